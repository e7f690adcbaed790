// The log of a server, and its subscribers.

import { errors, limits } from '../../../spec/index.ts'
import { type Graph, slow, solid, talking } from '../../generate/graphs.ts'
import { rawLogs } from '../../../spec/server/internal.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import type { Message } from '../../judge/judge.ts'
import { watch } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { exchanges, withEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const SUBSCRIBE = '/internal/logs/subscribe'
const isLog = ({ type }: Message) => type === 'logs'
const isStart = ({ type }: Message) => type === 'execution_start'
const subscribe = (subject: Subject, clientId: unknown, enabled: unknown) =>
  exchanges(subject, [['PATCH', SUBSCRIBE, { clientId, enabled }, 200, '']])

type Entry = { readonly t: string; readonly m: string }
const lines = async ({ get }: Subject): Promise<Entry[]> =>
  (await get('/internal/logs/raw')).json().entries

/** The lines of the log that name a run. */
const linesOf = async (subject: Subject, prompt_id: string): Promise<string[]> =>
  (await lines(subject)).map(({ m }) => m).filter((line) => line.includes(prompt_id))

/** Runs a graph to its end; returns its id. */
async function ended({ submit, idle }: Subject, graph: Graph): Promise<string> {
  const reply = await submit(graph)
  expect(reply.status).toBe(200)
  await idle()
  return reply.json().prompt_id
}

proves('internal/log', async (subject) => {
  const fine = await ended(subject, talking())
  const fails = await ended(subject, (await subject.workloads.failing()).graph)
  expect(await linesOf(subject, fine)).toEqual([
    `Prompt ${fine} has started\n`,
    `Prompt ${fine} has succeeded\n`,
  ])
  expect(await linesOf(subject, fails)).toEqual([
    `Prompt ${fails} has started\n`,
    `Prompt ${fails} has failed\n`,
  ])
  if (!subject.isOwn) return
  const { connect, submit, idle, post, reach } = subject
  const session = await connect('me')
  await submit(slow(), { prompt_id: 'stops', client_id: 'me' })
  await reach(session, isStart)
  await post('/interrupt', {})
  await submit(talking(), { prompt_id: 'n'.repeat(1000) })
  await idle()
  const said = (await lines(subject)).map(({ m }) => m)
  expect(said.slice(4)).toEqual([
    'Prompt stops has started\n',
    'Prompt stops was interrupted\n',
    `Prompt ${'n'.repeat(200)} has started\n`,
    `Prompt ${'n'.repeat(200)} has succeeded\n`,
  ])
})

proves('internal/log-lines', async (subject) => {
  await ended(subject, talking())
  const logs = fitting(rawLogs, await subject.get('/internal/logs/raw'))
  expect(logs.entries.length).toBeLessThanOrEqual(limits.log.value)
  expect(logs.entries.length).toBeGreaterThan(0)
  for (const { t } of logs.entries) expect(t).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
})

proves('internal/log-text', async (subject) => {
  await ended(subject, talking())
  // Others may write lines in between, and a full log forgets its first ones.
  const before = await lines(subject)
  const reply = await subject.get('/internal/logs')
  const after = new Set((await lines(subject)).map(({ t, m }) => t + m))
  const entries = before.filter(({ t, m }) => after.has(t + m))
  expect(entries.length).toBeGreaterThan(0)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.json()).toContain(entries.map(({ t, m }) => `${t} - ${m}`).join(''))
})

// What a server writes about a run is its own matter, but it writes something.
proves('internal/log-subscription', async (subject) => {
  const { connect, idle, isOwn, run, submit, unique } = subject
  const clientId = unique('me')
  const [me, other] = [await connect(clientId), await connect()]
  const again = () => run(me, talking(unique('logged')))
  const logs = watch(me, isLog)
  await subscribe(subject, clientId, true)
  await subscribe(subject, unique('nobody'), true)
  await again()
  const sent = await logs(1)
  expect(sent.length).toBeGreaterThan(0)
  const listed = await lines(subject)
  for (const { data } of sent)
    for (const entry of data['entries'] as Entry[]) expect(listed).toContainEqual(entry)
  if (isOwn)
    expect(sent).toEqual(
      listed.map((entry) => ({ type: 'logs', data: { entries: [entry], size: null } })),
    )
  await subscribe(subject, clientId, false)
  // What was on its way comes before the end of this run.
  await again()
  const { length } = await logs(0)
  await again()
  expect(await logs(0)).toHaveLength(length)
  expect(other.messages().filter(isLog)).toEqual([])
  if (!isOwn) return
  // A client that is disconnected while a message is due must subscribe again.
  await subscribe(subject, clientId, true)
  await me.close()
  await submit(solid())
  await idle()
  const back = await connect(clientId)
  const count = async () => {
    await submit(talking())
    await idle()
    await back.settled()
    return back.messages().filter(isLog).length
  }
  expect(await count()).toBe(0)
  for (const [index, enabled] of [1, 'yes', [0]].entries()) {
    await subscribe(subject, clientId, 0)
    await subscribe(subject, clientId, enabled)
    expect(await count()).toBe(2 * (index + 1))
  }
})

proves('internal/log-subscription-refusals', async (subject) => {
  const bodies = ['', '{', '[]', 'null', '{"clientId": "me"}', '{"enabled": true}']
  const wrong = [...bodies, '{"clientId": ["me"], "enabled": true}']
  const { text } = errors.refusals.internal.body
  await exchanges(subject, withEach(wrong, 'PATCH', SUBSCRIBE, 500, text))
  for (const clientId of [null, 5, true]) await subscribe(subject, clientId, true)
})
