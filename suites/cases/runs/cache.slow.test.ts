// The result cache of a server: which nodes a run skips.

import { changed, type Graph, node, solid, textToImage } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { nodesOf } from '../../support/transcript.ts'
import type { Run } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** The nodes that came from the cache, and those that ran. */
const sides = ({ messages }: Run): unknown[] => [
  messages.find(({ type }) => type === 'execution_cached')?.data['nodes'],
  nodesOf('executing', messages),
]

proves(
  'runs/unchanged-is-cached',
  async ({ connect, run }) => {
    const session = await connect('me')
    const graph = textToImage(1)
    expect(sides(await run(session, graph))).toEqual([[], ['4', '5', '7', '6', '3', '8', '9']])
    expect(sides(await run(session, graph))).toEqual([Object.keys(graph), []])
    expect(sides(await run(session, textToImage(2)))).toEqual([
      ['4', '5', '6', '7'],
      ['3', '8', '9'],
    ])
    const renamed = changed(textToImage(2), '9', { filename_prefix: 'other' })
    expect(sides(await run(session, renamed))).toEqual([['3', '4', '5', '6', '7', '8'], ['9']])
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
    expect(sides(await run(session, graph))).toEqual([['1', '2'], []])
    await upload({ name: 'mine.mp4', bytes }, { overwrite: 'true' })
    expect(sides(await run(session, graph))).toEqual([[], ['1', '2']])
  },
  ownWorld,
)

proves(
  'runs/cache-lru',
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, solid(1))
    await run(session, solid(2))
    expect(sides(await run(session, solid(1)))).toEqual([['1', '2'], []])
    // More than a hundred other entries evict it, and stay themselves.
    const texts = Array.from({ length: 120 }, (_, at) => node('FlowdoubleText', { text: `${at}` }))
    const many = (all: typeof texts): Graph =>
      Object.fromEntries(all.map((one, at) => [`t${at}`, one]))
    await run(session, many(texts))
    await run(session, solid(3))
    expect(sides(await run(session, solid(1)))).toEqual([[], ['1', '2']])
    expect(sides(await run(session, many(texts.slice(60, 62))))).toEqual([['t0', 't1'], []])
  },
  { cache: 'lru', clock: 'instant' },
)

proves(
  'runs/cache-none',
  async ({ connect, run }) => {
    const session = await connect('me')
    await run(session, solid(1))
    expect(sides(await run(session, solid(1)))).toEqual([[], ['1', '2']])
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
