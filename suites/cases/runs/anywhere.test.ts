// What any local server executes: which nodes of a run, in which order, and what it reuses. Others may run graphs between.

import { encode } from 'fast-png'
import { type Graph, type Node, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { judgeOrder } from '../../judge/judge.ts'
import {
  me,
  cachedNodes,
  listedIds,
  ordered,
  runInTurn,
  sortedNodes,
  uniqueNumber,
} from '../../judge/own-runs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { proves } from '../../judge/proves.ts'
import type { Run, Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

const local = { deployment: 'local' } as const

/** A picture that is in no cache. */
const picture = (subject: Subject, name: string, batch_size = 1): Node =>
  node('EmptyImage', { width: 64, height: 32, batch_size, color: uniqueNumber(subject, name) })
const preview = (source: string): Node => node('PreviewImage', { images: [source, 0] })
const turned = (source: string): Node => node('ImageInvert', { image: [source, 0] })

/** The nodes that came from the cache, and those that ran. */
const sides = ({ messages }: Run): unknown[] => [
  cachedNodes({ messages }),
  sortedNodes('executing', messages),
]

proves(
  'runs/unchanged-is-cached',
  async (subject) => {
    const first: Graph = {
      '1': picture(subject, 'one'),
      '2': picture(subject, 'two'),
      '3': turned('1'),
      '4': preview('3'),
    }
    const relinked = { ...first, '3': turned('2') }
    const retyped = {
      ...relinked,
      '3': node('ImageFlip', { image: ['2', 0], flip_method: 'x-axis: vertically' }),
    }
    const runs = await runInTurn(subject, await me(subject), [first, first, relinked, retyped])
    expect(runs.map(sides)).toEqual([
      [[], ['1', '3', '4']],
      [['1', '3', '4'], []],
      [['1'], ['2', '3', '4']],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ])
  },
  local,
)

proves('runs/cache-ignores-ids', async (subject) => {
  const fill = picture(subject, 'same')
  const runs = await runInTurn(subject, await me(subject), [
    { '1': fill, '2': preview('1') },
    { a: { ...fill, _meta: { title: 'Empty' } } as Node, b: preview('a') },
  ])
  expect(runs.map(sides)).toEqual([
    [[], ['1', '2']],
    [['a', 'b'], []],
  ])
  const other = picture(subject, 'doubled')
  const [doubled] = await runInTurn(subject, await me(subject), [
    {
      one: other,
      two: other,
      join: node('ImageBatch', { image1: ['one', 0], image2: ['two', 0] }),
      show: preview('join'),
    },
  ])
  expect(nodesOf('executing', doubled!.messages)).toHaveLength(3)
  expect(nodesOf('executing', doubled!.messages).slice(1)).toEqual(['join', 'show'])
})

proves('runs/cache-of-last-graph', async (subject) => {
  const graphs = ['a', 'b', 'a'].map((name) => ({
    '1': picture(subject, name),
    '2': preview('1'),
  }))
  const { graph } = await subject.workloads.failing()
  const runs = await runInTurn(subject, await me(subject), [...graphs, graph, graph])
  expect(runs.slice(0, 3).map(sides)).toEqual(graphs.map(() => [[], ['1', '2']]))
})

proves('runs/cache-until-first-node', async (subject) => {
  const graph = { '1': picture(subject, 'kept'), '2': preview('1') }
  const failsFirst = { '1': node('ImageInvert', { image: 'no picture' }), '2': preview('1') }
  const failsLater = {
    '1': picture(subject, 'other'),
    '2': node('ImageBatch', { image1: ['1', 0], image2: 'no picture' }),
    '3': preview('2'),
  }
  const runs = await runInTurn(subject, await me(subject), [
    graph,
    failsFirst,
    graph,
    failsLater,
    graph,
  ])
  expect(runs.map(({ entry }) => entry.status.status_str)).toEqual([
    'success',
    'error',
    'success',
    'error',
    'success',
  ])
  const cached = runs.map(({ messages }) => cachedNodes({ messages }))
  expect(cached).toEqual([[], [], ['1', '2'], [], []])
})

proves('runs/cached-output-again', async (subject) => {
  const prefix = subject.unique('again')
  const graph = {
    '1': picture(subject, 'again'),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: prefix }),
  }
  const [first, again] = await runInTurn(subject, await me(subject), [graph, graph])
  const subfolder = prefix.split('/').slice(0, -1).join('/')
  const image = { filename: 'again_00001_.png', subfolder, type: 'output' }
  expect(withoutAssets(first?.entry.outputs)).toEqual({ '2': { images: [image] } })
  expect(again?.entry.outputs).toEqual(first?.entry.outputs)
  const status = async (filename: string) =>
    (await subject.view({ filename, subfolder, type: 'output' })).status
  expect([await status('again_00001_.png'), await status('again_00002_.png')]).toEqual([200, 404])
})

/** Uploads a picture of one pixel, and returns the name under which a node finds it. */
async function uploaded({ upload, unique }: Subject, red: number): Promise<string> {
  const subfolder = unique('loaded')
  const data = new Uint8Array([red, 0, 0])
  const bytes = encode({ width: 1, height: 1, channels: 3, data })
  expect((await upload({ name: 'mine.png', bytes }, { subfolder, overwrite: 'true' })).status).toBe(
    200,
  )
  return `${subfolder}/mine.png`
}

proves('runs/changed-file-runs', async (subject) => {
  const session = await me(subject)
  const image = await uploaded(subject, 1)
  const graph = { '1': node('LoadImage', { image }), '2': preview('1') }
  const [, again] = await runInTurn(subject, session, [graph, graph])
  expect(sides(again!)).toEqual([['1', '2'], []])
  await uploaded(subject, 2)
  expect(sides(await subject.run(session, graph))).toEqual([[], ['1', '2']])
})

proves('runs/given-fingerprint', async (subject) => {
  const image = await uploaded(subject, 1)
  const graph = (is_changed: unknown): Graph => ({
    '1': { ...node('LoadImage', { image }), is_changed } as Node,
    '2': preview('1'),
  })
  const [same, other] = [subject.unique('same'), subject.unique('other')]
  const runs = await runInTurn(
    subject,
    await me(subject),
    [same, same, [other]].map((one) => graph(one)),
  )
  expect(runs.map(sides)).toEqual([
    [[], ['1', '2']],
    [['1', '2'], []],
    [[], ['1', '2']],
  ])
})

proves(
  'runs/sources-first',
  async (subject) => {
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
  },
  local,
)

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

proves(
  'runs/failure-ends',
  async (subject) => {
    const { graph, node_id } = await subject.workloads.failing()
    const session = await me(subject)
    const { prompt_id, messages, entry } = await subject.run(session, graph)
    expect(judgeOrder('local', ordered(messages, prompt_id))).toEqual([])
    expect(nodesOf('executing', messages).at(-1)).toBe(node_id)
    expect(entry.status.status_str).toBe('error')
    expect(entry.status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      'execution_error',
    ])
    await session.settled()
    const ends = session
      .messages()
      .filter(({ type, data }) => /_(error|success)$/.test(type) && data['prompt_id'] === prompt_id)
    expect(ends.map(({ type }) => type)).toEqual(['execution_error'])
    expect((await listedIds(subject)).running).not.toContain(prompt_id)
  },
  local,
)

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
