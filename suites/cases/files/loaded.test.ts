// Files that nodes load: the colours and the alpha of a picture, separately.

import { createHash } from 'node:crypto'
import { decode, encode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { me, needsPosix } from '../../judge/own-runs.ts'
import { needsMetadata, passing, put } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { errorOf } from '../../judge/failures.ts'

/** A row of two pixels: red, green, blue and alpha. */
const pixels = [200, 100, 50, 0, 10, 20, 30, 191]
const png = (channels: 3 | 4, data: readonly number[]): Uint8Array =>
  encode({ width: 2, height: 1, channels, data: Uint8Array.from(data) })
const withAlpha = png(4, pixels)
const withoutAlpha = png(3, [200, 100, 50, 10, 20, 30])

/** Uploads a file, loads it, and returns what each output node of the graph saved. */
async function saved(
  subject: Subject,
  bytes: Uint8Array,
  graph: Graph,
): Promise<Record<string, ReturnType<typeof decode>>> {
  const { connect, run, get } = subject
  await put(subject, { name: 'mine.png', bytes }, { overwrite: 'true', ...passing })
  const { outputs } = (await run(await connect(`${bytes.length}`), graph)).entry
  const files: Record<string, ReturnType<typeof decode>> = {}
  for (const [id, { images }] of Object.entries<{ images: Record<string, string>[] }>(outputs)) {
    files[id] = decode((await get(viewPath(images[0]!))).bytes)
  }
  return files
}

/** A file of the case among the temporary ones, as a node loads it. */
const passed = ({ unique }: Subject, name: string): string => `${unique(name)} [temp]`

const loaded = (subject: Subject): Graph => ({
  load: node('LoadImage', { image: passed(subject, 'mine.png') }),
  colours: node('PreviewImage', { images: ['load', 0] }),
  mask: node('MaskPreview', { mask: ['load', 1] }),
  grey: node('MaskToImage', { mask: ['load', 1] }),
  image: node('PreviewImage', { images: ['grey', 0] }),
})

/** How a picture fails that is loaded and shown. */
async function failure(subject: Subject, image: string) {
  const { messages } = await subject.run(await me(subject), {
    load: node('LoadImage', { image }),
    show: node('PreviewImage', { images: ['load', 0] }),
  })
  return errorOf({ messages })
}

/** A pixel of each of these. */
const greys = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [value, value, value])

proves('files/loaded-alpha', async (subject) => {
  const { colours, mask, image } = await saved(subject, withAlpha, loaded(subject))
  expect([colours?.channels, [...colours!.data]]).toEqual([3, [200, 100, 50, 10, 20, 30]])
  expect([mask?.channels, [...mask!.data]]).toEqual([3, greys(255, 63)])
  expect(image?.data).toEqual(mask?.data)
  await put(subject, { name: 'plain.png', bytes: withoutAlpha }, passing)
  const { messages } = await subject.run(await me(subject), {
    load: node('LoadImage', { image: passed(subject, 'plain.png') }),
    take: node('ImageToMask', { image: ['load', 0], channel: 'alpha' }),
    mask: node('MaskPreview', { mask: ['take', 0] }),
  })
  expect(errorOf({ messages })).toMatchObject({ node_id: 'take', exception_type: 'IndexError' })
})

proves('files/loaded-without-alpha', async (subject) => {
  const { colours, mask } = await saved(subject, withoutAlpha, loaded(subject))
  expect([colours?.channels, [...colours!.data]]).toEqual([3, [200, 100, 50, 10, 20, 30]])
  expect(mask).toMatchObject({ width: 64, height: 64, channels: 3 })
  expect(new Set(mask?.data)).toEqual(new Set([0]))
})

proves('files/loaded-broken', async (subject) => {
  await needsPosix(subject)
  for (const subfolder of ['', 'deep/er']) {
    const fields = { subfolder, ...passing }
    await put(subject, { name: 'notimg.png', bytes: new Uint8Array(9) }, fields)
    const path = subject.unique(subfolder === '' ? 'notimg.png' : `${subfolder}/notimg.png`)
    expect(await failure(subject, `${path} [temp]`)).toMatchObject({
      exception_type: 'PIL.UnidentifiedImageError',
      // Each server has its own folders.
      exception_message: expect.toSatisfy(
        (text: string) =>
          text.startsWith("cannot identify image file '/") && text.endsWith(`/${path}'\n`),
      ),
    })
  }
})

proves('files/loaded-by-codec', async (subject) => {
  await needsPosix(subject)
  await put(subject, { name: 'page.html', bytes: Buffer.from('<p>hello</p>') }, passing)
  await put(subject, { name: 'empty.png', bytes: new Uint8Array(0) }, passing)
  for (const name of ['page.html', 'empty.png'].map(subject.unique)) {
    const message = `^\\[Errno 1094995529\\] Invalid data found when processing input: '/.*/${name}'\n$`
    expect(await failure(subject, `${name} [temp]`)).toMatchObject({
      exception_type: 'av.error.InvalidDataError',
      exception_message: expect.stringMatching(new RegExp(message)),
    })
  }
  expect(await failure(subject, '')).toMatchObject({
    exception_type: 'av.error.IsADirectoryError',
    exception_message: expect.stringMatching(/^\[Errno 21\] Is a directory: '\/.*[^/]'\n$/),
  })
})

proves('files/loaded-narrow', async (subject) => {
  const sizes = [
    [15, 16],
    [33, 15],
    // Whole rows of 32 pixels need no padding.
    [32, 15],
    [16, 16],
  ] as const
  const types: unknown[] = []
  for (const [width, height] of sizes) {
    const name = `grey${width}x${height}.png`
    const data = new Uint8Array(width * height)
    await put(subject, { name, bytes: encode({ width, height, channels: 1, data }) }, passing)
    types.push((await failure(subject, passed(subject, name)))?.exception_type)
  }
  const narrow = 'av.error.ArgumentError'
  expect(types).toEqual([narrow, narrow, undefined, undefined])
})

/** A channel of the file as a mask, and its preview. */
const taken = (subject: Subject, channel: string): Graph => ({
  [`load ${channel}`]: node('LoadImageMask', { image: passed(subject, 'mine.png'), channel }),
  [channel]: node('MaskPreview', { mask: [`load ${channel}`, 0] }),
})

proves('files/loaded-mask', async (subject) => {
  const all = ['red', 'green', 'blue', 'alpha'].map((channel) => taken(subject, channel))
  const graph: Graph = Object.assign({}, ...all)
  const rows = Object.entries(await saved(subject, withAlpha, graph)).map(
    ([channel, { data }]) => [channel, [...data]] as const,
  )
  expect(Object.fromEntries(rows)).toEqual({
    red: greys(200, 10),
    green: greys(100, 20),
    blue: greys(50, 30),
    alpha: greys(255, 63),
  })
  const { mask } = await saved(subject, withAlpha, {
    load: loaded(subject)['load']!,
    take: node('ImageToMask', { image: ['load', 0], channel: 'green' }),
    mask: node('MaskPreview', { mask: ['take', 0] }),
  })
  expect([...mask!.data]).toEqual(greys(100, 20))
})

for (const [rule, width, height] of [
  ['files/loaded-mask-size', 2, 1],
  ['files/loaded-mask-small', 64, 64],
] as const) {
  proves(rule, async (subject) => {
    const { alpha } = await saved(subject, withoutAlpha, taken(subject, 'alpha'))
    expect(alpha).toMatchObject({ width, height })
    expect(new Set(alpha!.data)).toEqual(new Set([0]))
  })
}

proves('nodes/printed-masks', async (subject) => {
  const { connect, run, unique } = subject
  await put(subject, { name: 'mine.png', bytes: withAlpha }, { overwrite: 'true', ...passing })
  const { entry } = await run(await connect(unique('me')), {
    load: node('LoadImageMask', { image: passed(subject, 'mine.png'), channel: 'red' }),
    show: node('PreviewAny', { source: ['load', 0] }),
  })
  expect(entry.outputs['show'].text).toEqual(['tensor([[[0.7843, 0.0392]]])'])
})

proves('files/is-changed', async (subject) => {
  await needsMetadata(subject)
  const graph = loaded(subject)
  const { colours } = await saved(subject, withAlpha, graph)
  const { load, ...others } = JSON.parse(colours!.text['prompt']!)
  const hash = createHash('sha256').update(withAlpha).digest('hex')
  const { load: submitted, ...rest } = graph
  expect({ load, others }).toEqual({ load: { ...submitted, is_changed: [hash] }, others: rest })
  const entries = Object.values<any>((await subject.get('/history')).json())
  expect(entries.map(({ prompt }) => prompt[2])).toContainEqual(graph)
})

proves(
  'files/is-changed-of-own',
  async (subject) => {
    const saver = node('SaveImage', {
      images: ['load', 0],
      filename_prefix: subject.unique('loaded'),
    })
    const first = await saved(subject, withAlpha, { ...loaded(subject), saver })
    const again = async (image: string): Promise<unknown> => {
      const graph = { ...loaded(subject), load: node('LoadImage', { image }) }
      const { colours } = await saved(subject, withAlpha, graph)
      return JSON.parse(colours!.text['prompt']!).load.is_changed
    }
    expect(Object.keys(first)).toContain('colours')
    await put(subject, { name: 'plain.png', bytes: withoutAlpha })
    const [own, other] = [
      await again(`${subject.unique('loaded_00001_.png')} [output]`),
      await again('example.png'),
    ]
    expect(own).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(other).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(own).not.toEqual(other)
  },
  ownWorld,
)
