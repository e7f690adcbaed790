// The messages of a run in order: the whole sequence, once for each kind of run.

import {
  changed,
  failing,
  type Graph,
  node,
  slow,
  solid,
  talking,
  textToImage,
} from '../../generate/graphs.ts'
import type { Session } from '../../judge/client.ts'
import { judgeOrder, type Message } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** A source, a node of three steps, a node that joins them, and an output. */
const chain: Graph = {
  fill: node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 0 }),
  steps: node('FlowdoublePreviews', { width: 64, height: 64, steps: 3, seed: 1 }),
  join: node('ImageBatch', { image1: ['fill', 0], image2: ['steps', 0] }),
  show: node('PreviewImage', { images: ['join', 0] }),
}

/** What precedes the nodes of a single run on each deployment, and what follows its last message. */
const frames = {
  local: {
    begin: ['status 1', 'status 1', 'execution_start'],
    end: ['status 0', 'executing null'],
  },
  hosted: {
    begin: ['status 1', 'status 1', 'execution_start', 'notification'],
    end: ['status 0'],
  },
} as const

/** Lets a submitted run end, and returns all messages that its client received after the first. */
async function rest({ idle }: Subject, session: Session): Promise<readonly Message[]> {
  await idle()
  await session.settled()
  return session.messages().slice(1)
}

/** The messages of a run from its submit until nothing more arrives. */
async function whole(
  subject: Subject,
  session: Session,
  graph: Graph,
): Promise<readonly Message[]> {
  const before = session.messages().length
  await subject.run(session, graph)
  return (await rest(subject, session)).slice(before - 1)
}

/** What a node without steps sends, after those that have finished. */
const ran = (id: string, before = ''): string[] => [
  `progress_state ${before}${id} running 0/1`,
  `executing ${id}`,
  `progress_state ${before}${id} finished 1/1`,
]

proves(
  ['messages/order', 'messages/status-of-a-run', 'messages/executing', 'messages/progress'],
  async (subject) => {
    const { begin, end } = frames[subject.deployment]
    const messages = await whole(subject, await subject.connect('me'), chain)
    const [steps, fill] = ['steps finished 3/3, ', 'fill finished 1/1, ']
    const before = `${steps}${fill}join finished 1/1, `
    expect(transcript(messages)).toEqual([
      ...begin,
      'execution_cached',
      'progress_state steps running 0/1',
      'executing steps',
      'progress_state steps running 1/3',
      'progress steps 1/3',
      'progress_state steps running 2/3',
      'progress steps 2/3',
      'progress_state steps running 3/3',
      'progress steps 3/3',
      'progress_state steps finished 3/3',
      ...ran('fill', steps),
      ...ran('join', `${steps}${fill}`),
      `progress_state ${before}show running 0/1`,
      'executing show',
      'executed show',
      `progress_state ${before}show finished 1/1`,
      'execution_success',
      ...end,
    ])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

proves(
  ['messages/order', 'messages/executed-cached'],
  async (subject) => {
    const { begin, end } = frames[subject.deployment]
    const session = await subject.connect('me')
    await whole(subject, session, chain)
    const messages = await whole(subject, session, chain)
    expect(transcript(messages)).toEqual([
      ...begin,
      'execution_cached fill steps join show',
      'executed show',
      'progress_state show finished 1/1',
      'execution_success',
      ...end,
    ])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    const { begin, end } = frames[subject.deployment]
    const session = await subject.connect('me')
    const also: Graph = { also: node('PreviewImage', { images: ['fill', 0] }) }
    await whole(subject, session, { ...chain, ...also })
    const other = { ...changed(chain, 'steps', { steps: 1 }), ...also }
    const messages = await whole(subject, session, other)
    const [first, second] = ['also finished 1/1, ', 'also finished 1/1, steps finished 1/1, ']
    expect(transcript(messages)).toEqual([
      ...begin,
      'execution_cached fill also',
      'executed also',
      'progress_state also finished 1/1',
      `progress_state ${first}steps running 0/1`,
      'executing steps',
      `progress_state ${first}steps running 1/1`,
      'progress steps 1/1',
      `progress_state ${second.slice(0, -2)}`,
      ...ran('join', second),
      `progress_state ${second}join finished 1/1, show running 0/1`,
      'executing show',
      'executed show',
      `progress_state ${second}join finished 1/1, show finished 1/1`,
      'execution_success',
      ...end,
    ])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    const { begin, end } = frames[subject.deployment]
    const messages = await whole(subject, await subject.connect('me'), failing())
    expect(transcript(messages)).toEqual([
      ...begin,
      'execution_cached',
      ...ran('1'),
      'progress_state 1 finished 1/1, 2 running 0/1',
      'executing 2',
      'execution_error 2',
      ...end,
    ])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

const interrupted = ['progress_state 1 running 1/5', 'progress 1 1/5', 'execution_interrupted 1']

proves(
  'messages/order',
  async (subject) => {
    const { connect, submit, reach, post, deployment } = subject
    const { begin, end } = frames[deployment]
    const session = await connect('me')
    await submit(slow(), { client_id: 'me' })
    await reach(session, ({ type }) => type === 'progress')
    await post('/interrupt', {})
    const messages = await rest(subject, session)
    const started = ['execution_cached', 'progress_state 1 running 0/1', 'executing 1']
    expect(transcript(messages)).toEqual([...begin, ...started, ...interrupted, ...end])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    const { connect, submit, reach, post, deployment } = subject
    const { begin, end } = frames[deployment]
    const session = await connect('me')
    await submit(solid(), { client_id: 'me' })
    await reach(session, ({ type }) => type === 'executing')
    await post('/interrupt', {})
    const messages = await rest(subject, session)
    expect(transcript(messages).slice(begin.length)).toEqual([
      'execution_cached',
      ...ran('1'),
      'progress_state 1 finished 1/1, 2 running 0/1',
      'executing 2',
      'execution_interrupted 2',
      ...end,
    ])
    expect(judgeOrder(subject.deployment, messages)).toEqual([])
  },
  ownWorld,
)

// On hosted even the last node can be stopped [jobs/cancel-running].
proves(
  ['messages/order', 'messages/success'],
  async (subject) => {
    const { connect, submit, reach, post } = subject
    const { end } = frames.local
    const session = await connect('me')
    await submit(talking(), { client_id: 'me' })
    await reach(session, ({ type }) => type === 'executing')
    await post('/interrupt', {})
    expect(transcript(await rest(subject, session)).slice(-6)).toEqual([
      'executing 1',
      'executed 1',
      'progress_state 1 finished 1/1',
      'execution_success',
      ...end,
    ])
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  ['messages/order', 'messages/status', 'messages/status-of-a-run'],
  async ({ connect, submit, idle }) => {
    const { end } = frames.local
    const session = await connect('me')
    await submit(talking(), { client_id: 'me' })
    await submit(talking('again'), { client_id: 'me' })
    await idle()
    await session.settled()
    const messages = session.messages().slice(1)
    const spoken = [
      'execution_start',
      'execution_cached',
      'progress_state 1 running 0/1',
      'executing 1',
      'executed 1',
      'progress_state 1 finished 1/1',
      'execution_success',
    ]
    const first = ['status 1', 'status 2', 'status 2', ...spoken, 'status 1', 'executing null']
    expect(transcript(messages)).toEqual([...first, 'status 1', ...spoken, ...end])
    expect(judgeOrder('local', messages.slice(0, first.length))).toEqual([])
    expect(judgeOrder('local', messages.slice(first.length))).toEqual([])
  },
  // On hosted both run at a time.
  { ...ownWorld, deployment: 'local' },
)

proves(
  'messages/order',
  async ({ connect, run, submit, idle }) => {
    const { begin, end } = frames.local
    const session = await connect('me')
    const refused = await submit({ '1': node('NoSuchNode') }, { client_id: 'me' })
    expect(refused.status).toBe(400)
    await idle()
    const { messages } = await run(session, { '1': node('FlowdoubleNotify', { value: 'hello' }) })
    expect(transcript(messages)).toEqual([
      ...begin,
      'execution_cached',
      'progress_state 1 running 0/1',
      'executing 1',
      'notification',
      'progress_state 1 finished 1/1',
      'execution_success',
      ...end,
    ])
    expect(judgeOrder('local', messages)).toEqual([])
    expect(messages.find(({ type }) => type === 'notification')?.data).toEqual({ value: 'hello' })
  },
  { ...ownWorld, deployment: 'local' },
)

proves(
  'messages/local-notification',
  async ({ connect, run }) => {
    const session = await connect('me')
    const notificationsOf = (messages: readonly Message[]) =>
      messages.flatMap(({ type, data }) => (type === 'notification' ? data['value'] : []))
    expect(notificationsOf((await run(session, textToImage())).messages)).toEqual([])
    const asking = { ...talking(), '2': node('FlowdoubleNotify', { value: 'hello' }) }
    expect(notificationsOf((await run(session, asking)).messages)).toEqual(['hello'])
  },
  ownWorld,
)

provesQuirk('local.notification', async ({ connect, run }) => {
  const { messages } = await run(await connect('me'), talking())
  const lines = transcript(messages)
  expect(lines.slice(2, 5)).toEqual(['execution_start', 'notification', 'execution_cached'])
  expect(lines.filter((line) => line === 'notification')).toHaveLength(1)
  expect(messages[3]?.data).toEqual({ value: expect.stringMatching(/./) })
  expect(judgeOrder('local', messages)).toEqual([])
})
