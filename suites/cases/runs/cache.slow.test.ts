// The results that a server keeps: which nodes of a run it takes from the cache. Others may run graphs between.

import { encode } from 'fast-png'
import { changed, type Graph, type Node, node, solid, textToImage } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { cachedNodes, me, runInTurn, sortedNodes, uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Run, Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

/** A picture that is in no cache. */
const picture = (subject: Subject, name: string): Node =>
  node('EmptyImage', { width: 64, height: 32, batch_size: 1, color: uniqueNumber(subject, name) })
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
  { deployment: 'local' },
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

/** The same, in the order of the messages. */
const inOrder = ({ messages }: Run): unknown[] => [
  messages.find(({ type }) => type === 'execution_cached')?.data['nodes'],
  nodesOf('executing', messages),
]

proves(
  'runs/unchanged-is-cached',
  async ({ connect, run }) => {
    const session = await connect('me')
    const graph = textToImage(1)
    expect(inOrder(await run(session, graph))).toEqual([[], ['4', '5', '7', '6', '3', '8', '9']])
    expect(inOrder(await run(session, graph))).toEqual([Object.keys(graph), []])
    expect(inOrder(await run(session, textToImage(2)))).toEqual([
      ['4', '5', '6', '7'],
      ['3', '8', '9'],
    ])
    const renamed = changed(textToImage(2), '9', { filename_prefix: 'other' })
    expect(inOrder(await run(session, renamed))).toEqual([['3', '4', '5', '6', '7', '8'], ['9']])
  },
  ownWorld,
)

proves(
  'runs/stored-video-runs',
  async ({ connect, run, upload, get }) => {
    const session = await connect('me')
    const graph = {
      '1': node('LoadVideo', { file: 'mine.mp4' }),
      '2': node('SaveVideo', {
        video: ['1', 0],
        filename_prefix: 'v',
        format: 'auto',
        codec: 'auto',
      }),
    }
    const { bytes } = await get('/view?filename=example.mp4&type=input')
    await upload({ name: 'mine.mp4', bytes }, { overwrite: 'true' })
    await run(session, graph)
    expect(inOrder(await run(session, graph))).toEqual([['1', '2'], []])
    await upload({ name: 'mine.mp4', bytes }, { overwrite: 'true' })
    expect(inOrder(await run(session, graph))).toEqual([[], ['1', '2']])
  },
  ownWorld,
)

proves(
  'runs/cache-lru',
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, solid(1))
    await run(session, solid(2))
    expect(inOrder(await run(session, solid(1)))).toEqual([['1', '2'], []])
    // More than a hundred other entries evict it, and stay themselves.
    const texts = Array.from({ length: 120 }, (_, at) => node('FlowdoubleText', { text: `${at}` }))
    const many = (all: typeof texts): Graph =>
      Object.fromEntries(all.map((one, at) => [`t${at}`, one]))
    await run(session, many(texts))
    await run(session, solid(3))
    expect(inOrder(await run(session, solid(1)))).toEqual([[], ['1', '2']])
    expect(inOrder(await run(session, many(texts.slice(60, 62))))).toEqual([['t0', 't1'], []])
  },
  { cache: 'lru', clock: 'instant' },
)

proves(
  'runs/cache-none',
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, solid(1))
    expect(inOrder(await run(session, solid(1)))).toEqual([[], ['1', '2']])
    const { '1': fill } = solid() as { '1': Graph[string] }
    const same = {
      one: fill,
      two: fill,
      join: node('ImageBatch', { image1: ['one', 0], image2: ['two', 0] }),
      show: node('PreviewImage', { images: ['join', 0] }),
    }
    const { messages } = await run(session, same)
    expect(nodesOf('executing', messages)).toHaveLength(4)
  },
  { cache: 'none', clock: 'instant' },
)
