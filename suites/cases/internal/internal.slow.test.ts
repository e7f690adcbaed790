// The paths below /internal/: the log with its subscribers.

import { errors, type EndpointName, endpoints, limits } from '../../../spec/index.ts'
import { failing, type Graph, slow, solid, talking } from '../../generate/graphs.ts'
import { rawLogs } from '../../../spec/server/internal.ts'
import { type Message, violations } from '../../judge/judge.ts'
import { watch } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const { refusals } = errors
const textType = 'text/plain; charset=utf-8'
const isLog = ({ type }: Message) => type === 'logs'
const isStart = ({ type }: Message) => type === 'execution_start'
const subscribe = ({ request }: Subject, clientId: unknown, enabled: unknown) =>
  request('PATCH', '/internal/logs/subscribe', JSON.stringify({ clientId, enabled }))

type Entry = { readonly t: string; readonly m: string }
const lines = async ({ get }: Subject): Promise<Entry[]> =>
  (await get('/internal/logs/raw')).json().entries

proves('internal/no-alias', async ({ url }) => {
  const below = Object.values(endpoints).filter(({ path }) => path.startsWith('/internal/'))
  expect(below.length).toBeGreaterThan(4)
  for (const { path } of below) {
    expect((await exchange(url, 'GET', `/api${path}`)).status).toBe(404)
  }
})

proves('internal/unknown-path', async ({ url }) => {
  const text = refusals.notFoundText.body.text
  for (const path of [
    '/internal',
    '/internal/nowhere',
    '/internal/logs/',
    '/internal/',
    '/internal/files/a/b',
  ]) {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const { status, type, body } = summaryOf(await exchange(url, method, path))
      expect({ method, path, status, type, body }).toEqual({
        method,
        path,
        status: 404,
        type: textType,
        body: text,
      })
    }
  }
})

proves('internal/wrong-method', async ({ url }) => {
  const cases: Partial<Record<EndpointName, [method: string, path: string, allow: string]>> = {
    subscribeLogs: ['GET', '/internal/logs/subscribe', 'PATCH'],
    logs: ['POST', '/internal/logs', 'GET,HEAD'],
    folderFiles: ['DELETE', '/internal/files/input', 'GET,HEAD'],
  }
  for (const [method, path, allow] of Object.values(cases)) {
    const reply = await exchange(url, method, path)
    expect({ path, status: reply.status, allow: reply.header('allow') }).toEqual({
      path,
      status: 405,
      allow,
    })
    expect(reply.body).toBe(refusals.methodNotAllowed.body.text)
  }
})

proves(
  'internal/log',
  async (subject) => {
    const { submit, idle, connect, reach, post } = subject
    const session = await connect('me')
    await submit(talking(), { prompt_id: 'fine' })
    await submit(failing(), { prompt_id: 'fails' })
    await submit(slow(), { prompt_id: 'stops', client_id: 'me' })
    await reach(session, isStart)
    await post('/interrupt', {})
    await idle()
    const said = (await lines(subject)).map(({ m }) => m).slice(-6)
    expect(said).toEqual([
      'Prompt fine has started\n',
      'Prompt fine has succeeded\n',
      'Prompt fails has started\n',
      'Prompt fails has failed\n',
      'Prompt stops has started\n',
      'Prompt stops was interrupted\n',
    ])
    await submit(talking(), { prompt_id: 'n'.repeat(1000) })
    await idle()
    expect((await lines(subject)).at(-1)?.m).toBe(`Prompt ${'n'.repeat(200)} has succeeded\n`)
  },
  ownWorld,
)

proves(
  'internal/log-subscription',
  async (subject) => {
    const { connect, submit, idle } = subject
    const [me, other] = [await connect('me'), await connect('other')]
    const reply = await subscribe(subject, 'me', true)
    expect(reply).toMatchObject({ status: 200, text: '' })
    await subscribe(subject, 'nobody', true)
    await submit(solid(), { prompt_id: 'mine', client_id: 'other' })
    await idle()
    await me.settled()
    const entries = (await lines(subject)).slice(-2)
    expect(me.messages().filter(isLog)).toEqual(
      entries.map((entry) => ({ type: 'logs', data: { entries: [entry], size: null } })),
    )
    await subscribe(subject, 'me', false)
    await submit(solid())
    await idle()
    await me.settled()
    await other.settled()
    expect(me.messages().filter(isLog)).toHaveLength(2)
    expect(other.messages().filter(isLog)).toEqual([])
  },
  ownWorld,
)

proves(
  'internal/log-subscription',
  async (subject) => {
    const { connect, submit, idle } = subject
    // A client that is disconnected while a message is due must subscribe again.
    await (await connect('me')).close()
    await subscribe(subject, 'me', true)
    await submit(talking())
    await idle()
    const back = await connect('me')
    await submit(talking())
    await idle()
    await back.settled()
    expect(back.messages().filter(isLog)).toEqual([])
    for (const enabled of [1, 'yes', [0]]) {
      await subscribe(subject, 'me', 0)
      await subscribe(subject, 'me', enabled)
      const before = back.messages().filter(isLog).length
      await submit(talking())
      await idle()
      await back.settled()
      expect(back.messages().filter(isLog)).toHaveLength(before + 2)
    }
  },
  ownWorld,
)

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
})

proves('internal/log-lines', async (subject) => {
  await ended(subject, talking())
  const logs = (await subject.get('/internal/logs/raw')).json()
  expect(violations(rawLogs, logs)).toEqual([])
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
  const clientId = subject.unique('me')
  const [me, other] = [await subject.connect(clientId), await subject.connect()]
  const run = () => subject.run(me, talking(subject.unique('logged')))
  const logs = watch(me, isLog)
  expect(await subscribe(subject, clientId, true)).toMatchObject({ status: 200, text: '' })
  await run()
  const sent = await logs(1)
  expect(sent.length).toBeGreaterThan(0)
  const listed = (await lines(subject)).map(({ t, m }) => t + m)
  for (const { data } of sent)
    for (const { t, m } of data['entries'] as Entry[]) expect(listed).toContain(t + m)
  await subscribe(subject, clientId, false)
  // What was on its way comes before the end of this run.
  await run()
  const { length } = await logs(0)
  await run()
  expect(await logs(0)).toHaveLength(length)
  expect(other.messages().filter(isLog)).toEqual([])
})

proves('internal/log-subscription-refusals', async (subject) => {
  const bodies = ['', '{', '[]', 'null', '{"clientId": "me"}', '{"enabled": true}']
  for (const body of [...bodies, '{"clientId": ["me"], "enabled": true}']) {
    const { status, text } = await subject.request('PATCH', '/internal/logs/subscribe', body)
    expect({ body, status, text }).toEqual({ body, status: 500, text: refusals.internal.body.text })
  }
  for (const clientId of [null, 5, true]) {
    expect((await subscribe(subject, clientId, true)).status).toBe(200)
  }
})
