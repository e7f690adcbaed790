// What a server executes of a workflow, in which order, and what ends a run.

import { failing, type Graph, type Node, node, slow } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { judgeOrder } from '../../judge/judge.ts'
import { me, messagesAbout, ordered, uniqueNumber } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { dataOf, nodesOf, transcript } from '../../support/transcript.ts'
import { listedIds } from '../../judge/responses.ts'

/** A picture that is in no cache. */
const picture = (subject: Subject, name: string): Node =>
  node('EmptyImage', { width: 64, height: 32, batch_size: 1, color: uniqueNumber(subject, name) })
const preview = (source: string): Node => node('PreviewImage', { images: [source, 0] })
const turned = (source: string): Node => node('ImageInvert', { image: [source, 0] })

proves('runs/sources-first', async (subject) => {
  const { messages } = await subject.run(await me(subject), {
    show: preview('turn'),
    unneeded: turned('fill'),
    turn: turned('join'),
    join: node('ImageBatch', { image1: ['fill', 0], image2: ['back', 0] }),
    back: turned('fill'),
    fill: picture(subject, 'source'),
  })
  expect(nodesOf('executing', messages)).toEqual(['fill', 'back', 'join', 'turn', 'show'])
  expect(nodesOf('executed', messages)).toEqual(['show'])
})

/** `near` is two links before the output, and `far` three. */
const unequalArms = (subject: Subject): Graph => ({
  show: preview('join'),
  join: node('ImageBatch', { image1: ['near', 0], image2: ['turn', 0] }),
  turn: turned('far'),
  near: picture(subject, 'near'),
  far: picture(subject, 'far'),
})

proves('runs/node-order', async (subject) => {
  const session = await me(subject)
  const { messages } = await subject.run(session, unequalArms(subject))
  expect(nodesOf('executing', messages)).toEqual(['near', 'far', 'turn', 'join', 'show'])
  // A node one link before an output goes before a node two links before one.
  const chains = await subject.run(session, {
    '1': picture(subject, 'long'),
    '2': turned('1'),
    '3': preview('2'),
    '4': picture(subject, 'short'),
    '5': preview('4'),
  })
  expect(nodesOf('executing', chains.messages)).toEqual(['4', '5', '1', '2', '3'])
})

proves('runs/last-link-first', async (subject) => {
  const text = (name: string) => node('PrimitiveString', { value: subject.unique(name) })
  // The first and the last link are to one node.
  const joined = { string_a: ['one', 0], string_b: ['two', 0], delimiter: ['one', 0] }
  const graph = {
    two: text('two'),
    one: text('one'),
    both: node('StringConcatenate', joined),
    show: node('PreviewAny', { source: ['both', 0] }),
  }
  const { messages } = await subject.run(await me(subject), graph)
  expect(nodesOf('executing', messages).map(String)).toEqual(['one', 'two', 'both', 'show'])
})

proves('runs/order-of-outputs', async (subject) => {
  const chain = (id: string): Graph => ({
    [`${id} source`]: picture(subject, id),
    [`${id} turn`]: turned(`${id} source`),
    [id]: preview(`${id} turn`),
  })
  const graph = { ...chain('one'), ...chain('two'), ...chain('three') }
  const { messages, entry } = await subject.run(await me(subject), graph)
  expect(entry.targets.toSorted()).toEqual(['one', 'three', 'two'])
  const order = nodesOf('executing', messages).map(String)
  expect(order.filter((id) => entry.targets.includes(id))).toEqual(entry.targets)
  expect(order.toSorted()).toEqual(Object.keys(graph).toSorted())
})

proves('runs/joined-texts', async (subject) => {
  const session = await subject.connect('me')
  const { entry } = await subject.run(session, {
    '1': node('StringConcatenate', { string_a: 'one', string_b: 'two', delimiter: ' - ' }),
    '2': node('PreviewAny', { source: ['1', 0] }),
  })
  expect(entry.outputs).toEqual({ '2': { text: ['one - two'] } })
})

/** One node fails before the other has its turn. */
const failingTwice: Graph = {
  ...failing(),
  said: node('FlowdoubleText', { text: 'first' }),
  worse: node('FlowdoubleFail', { exception_type: 'KeyError', message: 'x', value: ['said', 0] }),
  after: node('FlowdoubleText', { text: 'never', value: ['2', 0] }),
}

proves('runs/failure-ends', async (subject) => {
  const { deployment, isOwn } = subject
  const { graph, node_id } = isOwn
    ? { graph: failingTwice, node_id: 'worse' }
    : await subject.workloads.failing()
  const session = await me(subject)
  const { prompt_id, messages, entry } = await subject.run(session, graph)
  expect(judgeOrder(deployment, ordered(messages, prompt_id))).toEqual([])
  expect(nodesOf('executing', messages).at(-1)).toBe(node_id)
  expect(entry.status.status_str).toBe('error')
  if (isOwn || deployment === 'local')
    expect(entry.status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      'execution_error',
    ])
  await session.settled()
  const ends = messagesAbout(session, prompt_id).filter(({ type }) => /_(error|succ)/.test(type))
  expect(ends.map(({ type }) => type)).toEqual(['execution_error'])
  expect((await listedIds(subject)).running).not.toContain(prompt_id)
  if (isOwn) {
    expect(nodesOf('executing', messages)).toEqual(['said', 'worse'])
    expect(entry.outputs).toEqual({ said: { text: ['first'] } })
    expect(await subject.history()).toEqual([prompt_id])
  }
})

// A bare name is that of a class of Python itself.
const className =
  /^(\w+\.)+\w+$|^(Exception|[A-Z]\w+(Error|Exception|Exit|Interrupt|Iteration|Warning))$/

proves('runs/local-exception-names', async (subject) => {
  const { messages } = await subject.run(
    await me(subject),
    (await subject.workloads.failing()).graph,
  )
  const error = messages.find(({ type }) => type === 'execution_error')
  expect(error?.data['exception_type']).toMatch(className)
})

// A day is the longest that a flowdouble node takes; a server elsewhere is not asked for so much.
const daySeconds = 86_400

proves('runs/no-time-out', async (subject) => {
  const { connect, unique, workloads, isOwn } = subject
  const other = await connect(unique('other'))
  const graph = isOwn ? slow(daySeconds, 30) : await workloads.slow()
  const { messages, entry } = await subject.run(await me(subject), graph)
  expect(entry.status).toMatchObject({ status_str: 'success', completed: true })
  const [start] = dataOf('execution_start', messages)
  const [end] = dataOf('execution_success', messages)
  expect(end).toBeDefined()
  if (!isOwn) return
  const spanMs = Number(end?.['timestamp']) - Number(start?.['timestamp'])
  expect(spanMs).toBeGreaterThanOrEqual(1000 * daySeconds)
  await other.settled()
  expect(transcript(other.received).at(-1)).toBe('status 0')
})
