// The socket of any hosted server: what it sends about the runs of a case, whatever else its account does.

import type { Session } from '../../judge/client.ts'
import { type Graph, solid, talking } from '../../generate/graphs.ts'
import { isAtWork, newColor } from '../../judge/hosted/busy-account.ts'
import { cancel, isOf, submitOne } from '../../judge/hosted/jobs.ts'
import { judgeOrder, type Message } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { askForMetadata } from '../../judge/frames.ts'
import { missing } from '../../judge/skip.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const

/** The messages of one run, as a client separates them. */
const ofRun = (session: Session, prompt_id: string): readonly Message[] =>
  session.messages().filter(({ data }) => data['prompt_id'] === prompt_id)

const endings = /^execution_(success|error|interrupted)$/
const isEnd =
  (prompt_id: string) =>
  ({ type, data }: Message): boolean =>
    endings.test(type) && data['prompt_id'] === prompt_id

// Several runs at a time: their messages mix, and each run keeps its own order.
proves(
  ['messages/order', 'messages/hosted-names-run', 'messages/hosted-no-executing-null'],
  async (subject) => {
    const session = await subject.connect('any')
    const { graph: failing } = await subject.workloads.failing()
    const slow = await subject.workloads.slow()
    const stopped = await submitOne(subject, slow)
    const color = newColor(subject, 'mixed')
    const graphs: readonly Graph[] = [solid(color), talking(), failing, solid(color)]
    const ids: string[] = []
    for (const graph of graphs) ids.push(await submitOne(subject, graph))
    await subject.reach(session, isAtWork(stopped))
    await cancel(subject, stopped)
    const all = [stopped, ...ids]
    for (const id of all) await subject.reach(session, isEnd(id))
    const ends = all.map((id) => ofRun(session, id).at(-1)?.type)
    const [ok, error, interrupted] = ['success', 'error', 'interrupted'].map(
      (word) => `execution_${word}`,
    )
    expect(ends).toEqual([interrupted, ok, ok, error, ok])
    for (const id of all) expect(judgeOrder('hosted', ofRun(session, id))).toEqual([])
    const nameless = session.messages().filter(({ data }) => data['prompt_id'] === undefined)
    expect(new Set(nameless.map(({ type }) => type))).toEqual(new Set(['status']))
    const nulls = session
      .messages()
      .filter(({ type, data }) => type === 'executing' && data['node'] === null)
    expect(nulls).toEqual([])
  },
)

proves(['messages/notification', 'messages/hosted-one-notification'], async (subject) => {
  const session = await subject.connect()
  const { graph: failing } = await subject.workloads.failing()
  for (const graph of [solid(newColor(subject, 'notified')), failing, talking()]) {
    const { prompt_id } = await subject.run(session, graph)
    const own = ofRun(session, prompt_id)
    expect(own.slice(0, 2).map(({ type }) => type)).toEqual(['execution_start', 'notification'])
    expect(own.filter(({ type }) => type === 'notification')).toEqual([
      { type: 'notification', data: { value: expect.stringMatching(/\w/), prompt_id } },
    ])
  }
})

proves(['messages/hosted-sid', 'messages/status-on-connect'], async ({ connect }) => {
  const sids: unknown[] = []
  for (const clientId of ['me', 'me', undefined, '']) {
    const [first] = (await connect(clientId)).messages()
    expect(first?.type).toBe('status')
    expect(first?.data['status']).toEqual({ exec_info: { queue_remaining: expect.any(Number) } })
    sids.push(first?.data['sid'])
  }
  for (const sid of sids) expect(sid).toEqual(expect.stringMatching(/.{8}/))
  expect(new Set(sids).size).toBe(sids.length)
})

proves(
  ['messages/hosted-reconnect', 'messages/hosted-names-run', 'messages/disconnect'],
  async (subject) => {
    const first = await subject.connect()
    const prompt_id = await submitOne(subject, await subject.workloads.slow())
    await subject.reach(first, isAtWork(prompt_id))
    await first.close()
    const back = await subject.connect('whoever')
    await back.next(({ data }) => data['prompt_id'] === prompt_id)
    expect(ofRun(back, prompt_id)[0]).toEqual({
      type: 'executing',
      data: { node: expect.any(String), prompt_id },
    })
    await subject.reach(back, isOf('execution_success', prompt_id))
    const after = await subject.connect()
    await after.settled()
    expect(ofRun(after, prompt_id)).toEqual([])
  },
)

proves(
  ['messages/hosted-status', 'messages/hosted-all-connections'],
  async ({ connect, submit, reach }) => {
    const sessions = [await connect('one'), await connect('one'), await connect()]
    for (const client_id of ['one', 'nobody', undefined]) {
      const fields = client_id === undefined ? {} : { client_id }
      const { prompt_id } = (await submit(talking(), fields)).json()
      for (const session of sessions) {
        await reach(session, isOf('execution_success', prompt_id))
      }
      const [received, ...others] = sessions.map((session) => ofRun(session, prompt_id))
      expect(received?.length).toBeGreaterThan(2)
      for (const one of others) expect(one).toEqual(received)
    }
    const isChange = ({ type, data }: Message): boolean => type === 'status' && !('sid' in data)
    for (const session of sessions) await session.next(isChange)
  },
)

const flags = JSON.stringify({ type: 'feature_flags', data: { supports_preview_metadata: true } })

proves(
  ['messages/feature-flags', 'messages/client-messages'],
  async (subject) => {
    const session = await subject.connect()
    session.send(flags)
    const answer = await session.next(({ type }) => type === 'feature_flags')
    expect(answer.data).toMatchObject({ supports_preview_metadata: true })
    const prompt_id = await submitOne(subject, await subject.workloads.slow())
    await subject.reach(session, isAtWork(prompt_id))
    for (const text of [flags, '{"type": "interrupt"}', 'no JSON', '7', '']) session.send(text)
    session.send(new Uint8Array(100))
    await session.settled()
    expect(session.messages().filter(({ type }) => type === 'feature_flags')).toEqual([answer])
    await subject.reach(session, isOf('execution_success', prompt_id))
  },
  hosted,
)

proves(
  ['messages/error', 'runs/failure-after-start', 'runs/failure-ends', 'runs/exception-words'],
  async (subject) => {
    const session = await subject.connect()
    const { graph, node_id } = await subject.workloads.failing()
    const { prompt_id } = await subject.run(session, graph)
    const types = ofRun(session, prompt_id).map(({ type }) => type)
    expect(types[0]).toBe('execution_start')
    expect(types.at(-1)).toBe('execution_error')
    expect(ofRun(session, prompt_id).at(-1)?.data).toMatchObject({
      node_id,
      node_type: graph[node_id]?.class_type,
      exception_message: expect.any(String),
      exception_type: expect.stringMatching(/^\w+$/),
      traceback: expect.any(Array),
    })
  },
  hosted,
)

/** Which kinds of previews a session has received. */
const previewKinds = (session: Session): readonly string[] => [
  ...new Set(session.frames().flatMap(({ frame }) => (frame === 'text' ? [] : [frame]))),
]

proves(
  'messages/hosted-previews',
  async (subject) => {
    const [plain, asking] = [await subject.connect(), await subject.connect()]
    await askForMetadata(asking)
    const { prompt_id } = await subject.run(plain, await subject.workloads.sampling(4))
    await subject.reach(asking, isOf('execution_success', prompt_id))
    if (plain.frames().length === 0) throw missing('The server sends no previews.')
    expect(previewKinds(plain)).toEqual(['previewImage'])
    expect(previewKinds(asking)).toEqual(['previewWithMetadata'])
  },
  { ...hosted, preview: 'jpeg' },
)
