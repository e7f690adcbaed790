// The whole sequence of the messages of a run, once for each kind of run.

import { changed, failing, type Graph, node, slow, solid, talking } from '../../generate/graphs.ts'
import type { Session } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import type { Message } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { dataOf, transcript } from '../../support/transcript.ts'

const ownLocal = { ...ownWorld, deployment: 'local' } as const

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

/** Submits a graph, does something meanwhile, and returns the messages from the submit until nothing more arrives. */
async function whole(
  { submit, idle }: Subject,
  session: Session,
  graph: Graph,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<readonly Message[]> {
  const before = session.messages().length
  expect((await submit(graph, { client_id: session.clientId })).status).toBe(200)
  await meanwhile()
  await idle()
  await session.settled()
  return session.messages().slice(before)
}

/** Expects these lines of a single run between its begin and its end. */
function expectLines({ deployment }: Subject, messages: readonly Message[], lines: string[]): void {
  const { begin, end } = frames[deployment]
  expect(transcript(messages)).toEqual([...begin, ...lines, ...end])
}

/** What a node without steps sends, after those that have finished. */
const ran = (id: string, before = ''): string[] => [
  `progress_state ${before}${id} running 0/1`,
  `executing ${id}`,
  `progress_state ${before}${id} finished 1/1`,
]

/** The same of an output. */
const shown = (id: string, before = ''): string[] => [
  `progress_state ${before}${id} running 0/1`,
  `executing ${id}`,
  `executed ${id}`,
  `progress_state ${before}${id} finished 1/1`,
]

proves(
  ['messages/order', 'messages/status-of-a-run', 'messages/executing', 'messages/progress'],
  async (subject) => {
    const [steps, fill] = ['steps finished 3/3, ', 'fill finished 1/1, ']
    expectLines(subject, await whole(subject, await subject.connect('me'), chain), [
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
      ...shown('show', `${steps}${fill}join finished 1/1, `),
      'execution_success',
    ])
  },
  ownWorld,
)

proves(
  ['messages/order', 'messages/executed-cached'],
  async (subject) => {
    const session = await subject.connect('me')
    await whole(subject, session, chain)
    expectLines(subject, await whole(subject, session, chain), [
      'execution_cached fill steps join show',
      'executed show',
      'progress_state show finished 1/1',
      'execution_success',
    ])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    const session = await subject.connect('me')
    const also: Graph = { also: node('PreviewImage', { images: ['fill', 0] }) }
    await whole(subject, session, { ...chain, ...also })
    const other = { ...changed(chain, 'steps', { steps: 1 }), ...also }
    const [first, second] = ['also finished 1/1, ', 'also finished 1/1, steps finished 1/1, ']
    expectLines(subject, await whole(subject, session, other), [
      'execution_cached fill also',
      'executed also',
      'progress_state also finished 1/1',
      `progress_state ${first}steps running 0/1`,
      'executing steps',
      `progress_state ${first}steps running 1/1`,
      'progress steps 1/1',
      `progress_state ${second.slice(0, -2)}`,
      ...ran('join', second),
      ...shown('show', `${second}join finished 1/1, `),
      'execution_success',
    ])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    expectLines(subject, await whole(subject, await subject.connect('me'), failing()), [
      'execution_cached',
      ...ran('1'),
      'progress_state 1 finished 1/1, 2 running 0/1',
      'executing 2',
      'execution_error 2',
    ])
  },
  ownWorld,
)

/** A run that is interrupted at a message of this type. */
async function interruptedAt(subject: Subject, type: string, graph: Graph) {
  const session = await subject.connect('me')
  return whole(subject, session, graph, async () => {
    await subject.reach(session, (message) => message.type === type)
    await subject.post('/interrupt', {})
  })
}

proves(
  'messages/order',
  async (subject) => {
    expectLines(subject, await interruptedAt(subject, 'progress', slow()), [
      'execution_cached',
      'progress_state 1 running 0/1',
      'executing 1',
      'progress_state 1 running 1/5',
      'progress 1 1/5',
      'execution_interrupted 1',
    ])
  },
  ownWorld,
)

proves(
  'messages/order',
  async (subject) => {
    expectLines(subject, await interruptedAt(subject, 'executing', solid()), [
      'execution_cached',
      ...ran('1'),
      'progress_state 1 finished 1/1, 2 running 0/1',
      'executing 2',
      'execution_interrupted 2',
    ])
  },
  ownWorld,
)

const spoken = ['execution_cached', ...shown('1'), 'execution_success']

// On hosted even the last node can be stopped [jobs/cancel-running].
proves(
  ['messages/order', 'messages/success'],
  async (subject) =>
    expectLines(subject, await interruptedAt(subject, 'executing', talking()), spoken),
  ownLocal,
)

// On hosted both run at a time.
proves(
  ['messages/order', 'messages/status', 'messages/status-of-a-run'],
  async (subject) => {
    const session = await subject.connect('me')
    const messages = await whole(subject, session, talking(), () =>
      subject.submit(talking('again'), { client_id: 'me' }),
    )
    const run = ['execution_start', ...spoken]
    const first = ['status 1', 'status 2', 'status 2', ...run, 'status 1', 'executing null']
    expect(transcript(messages)).toEqual([...first, 'status 1', ...run, ...frames.local.end])
  },
  ownLocal,
)

proves(
  'messages/order',
  async (subject) => {
    const session = await subject.connect('me')
    const refused = await subject.submit({ '1': node('NoSuchNode') }, { client_id: 'me' })
    expect(refused.status).toBe(400)
    await subject.idle()
    const notifying = { '1': node('FlowdoubleNotify', { value: 'hello' }) }
    const messages = await whole(subject, session, notifying)
    expectLines(subject, messages, [
      'execution_cached',
      'progress_state 1 running 0/1',
      'executing 1',
      'notification',
      'progress_state 1 finished 1/1',
      'execution_success',
    ])
    expect(dataOf('notification', messages)).toEqual([{ value: 'hello' }])
  },
  ownLocal,
)
