// Animations: files that show all pictures of a batch, one after the other.

import { decode, decodeApng } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node, type Node } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { needsMetadata } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'

const savePng = (fps = 8): Node =>
  node('SaveAnimatedPNG', {
    images: ['frames', 0],
    filename_prefix: 'P',
    fps,
    compress_level: 4,
  })
const saveWebp = (fps = 8): Node =>
  node('SaveAnimatedWEBP', {
    images: ['frames', 0],
    filename_prefix: 'W',
    fps,
    lossless: true,
    quality: 80,
    method: 'default',
  })

const one = (color: number): Node =>
  node('EmptyImage', { width: 6, height: 4, batch_size: 1, color })
/** `frames` is a batch of so many pictures. */
const batch = (batch_size: number, width = 6, height = 4): Graph => ({
  frames: node('EmptyImage', { width, height, batch_size, color: 0x204060 }),
})
/** Two pictures of different colours as one batch, and a node that shows them one by one. */
const twoColors: Graph = {
  left: one(0xff0000),
  right: one(0x0000ff),
  frames: node('ImageBatch', { image1: ['left', 0], image2: ['right', 0] }),
  shown: node('PreviewImage', { images: ['frames', 0] }),
}

/** `frames` is a batch of this many squares, each of another colour. */
const colored = (count: number, side: number): Graph => {
  const graph: Record<string, Node> = {}
  for (let at = 0; at < count; at++) {
    const name = at === 0 ? 'until 0' : `square ${at}`
    graph[name] = node('EmptyImage', { width: side, height: side, batch_size: 1, color: 40 * at })
    const until = at === count - 1 ? 'frames' : `until ${at}`
    const inputs = { image1: [`until ${at - 1}`, 0], image2: [name, 0] }
    if (at > 0) graph[until] = node('ImageBatch', inputs)
  }
  return graph
}

/** A saver whose prefix is below the folder of the case. */
const placedSaver = ({ unique }: Subject, { class_type, inputs }: Node): Node =>
  node(class_type, { ...inputs, filename_prefix: unique(String(inputs['filename_prefix'])) })

/** Runs a graph with a saver and returns its reported output, its file, and what the other nodes showed. */
async function save(subject: Subject, graph: Graph, saving: Node, fields = {}) {
  const { connect, get, run, unique } = subject
  const saver = placedSaver(subject, saving)
  const { entry } = await run(await connect(unique('me')), { ...graph, saver }, fields)
  const { saver: output, shown } = entry.outputs
  const { bytes, headers } = await get(viewPath(output.images[0]))
  const stills: Buffer[] = []
  for (const image of shown?.images ?? []) stills.push((await get(viewPath(image))).bytes)
  return { output, bytes, headers, stills }
}

proves('files/animated', async (subject) => {
  const subfolder = subject.unique('')
  const images = (filename: string) => [{ filename, subfolder, type: 'output' }]
  const outputOf = async (count: number, saver: Node) =>
    withoutAssets((await save(subject, batch(count), saver)).output)
  expect(await outputOf(2, savePng())).toEqual({ images: images('P_00001_.png'), animated: [true] })
  expect(await outputOf(1, savePng())).toEqual({ images: images('P_00002_.png'), animated: [true] })
  expect(await outputOf(2, saveWebp())).toEqual({
    images: images('W_00001_.webp'),
    animated: [true],
  })
  expect(await outputOf(1, saveWebp())).toEqual({
    images: images('W_00002_.webp'),
    animated: [false],
  })
})

proves('files/one-picture-not-animated', async (subject) => {
  for (const saver of [savePng(), saveWebp()]) {
    expect((await save(subject, batch(2), saver)).output).toMatchObject({ animated: [true] })
    expect(Object.keys((await save(subject, batch(1), saver)).output)).toEqual(['images'])
  }
})

proves('files/mask-preview', async ({ connect, get, run, unique }) => {
  const graph = {
    mask: node('SolidMask', { value: 1, width: 2, height: 1 }),
    shown: node('MaskPreview', { mask: ['mask', 0] }),
  }
  const { entry } = await run(await connect(unique('me')), graph)
  const { images, animated } = entry.outputs['shown']
  expect({ animated, count: images.length }).toEqual({ animated: [false], count: 1 })
  expect(decode((await get(viewPath(images[0]))).bytes).text).toEqual({})
})

/** Names and contents of the chunks of a PNG file. */
function pngChunks(bytes: Buffer): [name: string, content: Buffer][] {
  const chunks: [string, Buffer][] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const end = at + 8 + bytes.readUInt32BE(at)
    chunks.push([bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, end)])
  }
  return chunks
}

/** The same of a WebP file, or of the content of one of its chunks. */
function webpChunks(bytes: Buffer): [name: string, content: Buffer][] {
  const chunks: [string, Buffer][] = []
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at + 4)
    chunks.push([bytes.toString('latin1', at, at + 4), bytes.subarray(at + 8, at + 8 + length)])
    at += 8 + length + (length % 2)
  }
  return chunks
}

/** Whether a WebP file holds one picture. */
const isStill = (bytes: Buffer): boolean => {
  const names = webpChunks(bytes.subarray(12)).map(([name]) => name)
  return names.filter((name) => /^VP8[ L]$/.test(name)).length === 1 && !names.includes('ANMF')
}

type Frame = ReturnType<typeof decodeApng>['frames'][number]
/** How long a frame shows, in seconds: 125/1000 is 1/8. */
const secondsOf = ({ delayNumber, delayDenominator }: Frame): number =>
  delayNumber / delayDenominator
/** The chunks of a PNG file without those that only hold texts. */
const withoutTexts = (bytes: Buffer): string[] =>
  pngChunks(bytes)
    .map(([name]) => name)
    .filter((name) => name !== 'comf')

/** The frames of an animated WebP file: width, milliseconds, and what holds the picture. */
const webpFrames = (bytes: Buffer) =>
  webpChunks(bytes.subarray(12))
    .filter(([name]) => name === 'ANMF')
    .map(([, content]) => ({
      width: content.readUIntLE(6, 3) + 1,
      ms: content.readUIntLE(12, 3),
      picture: webpChunks(content.subarray(16))[0],
    }))

/** A picture of two frames, saved once for all cases. */
const twoFrames = (subject: Subject) =>
  subject.once('two frames', () => save(subject, twoColors, saveWebp(8)))

proves('files/animation-frames', async (subject) => {
  const { bytes, headers, stills } = await save(subject, twoColors, savePng(8))
  expect(headers['content-type']).toBe('image/png')
  const { frames, width, height, numberOfPlays } = decodeApng(bytes, { checkCrc: true })
  expect({ width, height, numberOfPlays }).toEqual({ width: 6, height: 4, numberOfPlays: 0 })
  expect(frames.map(secondsOf)).toEqual([0.125, 0.125])
  expect(stills).toHaveLength(2)
  expect(stills[0]).not.toEqual(stills[1])
  expect(frames.map(({ data }) => Array.from(data))).toEqual(
    stills.map((png) => Array.from(decode(png).data)),
  )
  const single = await save(subject, batch(1), savePng())
  expect(withoutTexts(single.bytes)).toEqual(['IHDR', 'IDAT', 'IEND'])
  expect(decode(single.bytes)).toMatchObject({ width: 6, height: 4, channels: 3 })
  const webp = await twoFrames(subject)
  expect(webp.headers['content-type']).toBe('image/webp')
  expect([webp.bytes.toString('latin1', 0, 4), webp.bytes.readUInt32LE(4) + 8]).toEqual([
    'RIFF',
    webp.bytes.length,
  ])
  const chunks = webpChunks(webp.bytes.subarray(12))
  const names = chunks.map(([name]) => name).filter((name) => name !== 'EXIF')
  expect(names).toEqual(['VP8X', 'ANIM', 'ANMF', 'ANMF'])
  const [[, header]] = chunks as [[string, Buffer]]
  expect([header[0]! & 2, header.readUIntLE(4, 3) + 1, header.readUIntLE(7, 3) + 1]).toEqual([
    2, 6, 4,
  ])
  const [first, second] = webpFrames(webp.bytes)
  expect([first?.width, first?.ms, second?.width, second?.ms]).toEqual([6, 125, 6, 125])
  expect(second?.picture).not.toEqual(first?.picture)
  expect(isStill((await save(subject, batch(1), saveWebp())).bytes)).toBe(true)
})

proves('files/animation-merged', async (subject) => {
  const still = await save(subject, batch(5), savePng())
  expect(withoutTexts(still.bytes)).toEqual(['IHDR', 'IDAT', 'IEND'])
  expect(still.output.animated).toEqual([true])
  const webp = await save(subject, batch(5), saveWebp())
  expect(isStill(webp.bytes)).toBe(true)
  expect(webp.output.animated).toEqual([true])
  // Red, blue, blue, red.
  const twice: Graph = {
    left: one(0xff0000),
    right: one(0x0000ff),
    first: node('ImageBatch', { image1: ['left', 0], image2: ['right', 0] }),
    last: node('ImageBatch', { image1: ['right', 0], image2: ['left', 0] }),
    frames: node('ImageBatch', { image1: ['first', 0], image2: ['last', 0] }),
  }
  const delays = async (fps: number) => {
    const { frames } = decodeApng((await save(subject, twice, savePng(fps))).bytes)
    return frames.map(secondsOf)
  }
  expect(await delays(8)).toEqual([0.125, 0.25, 0.125])
  expect(await delays(0.02)).toEqual([50, 100, 50])
  const { bytes } = await save(subject, twice, saveWebp(8))
  const frames = webpChunks(bytes.subarray(12)).filter(([name]) => name === 'ANMF')
  expect(frames.map(([, content]) => content.readUIntLE(12, 3))).toEqual([125, 250, 125])
})

proves('files/animation-webp', async (subject) => {
  const { bytes, output } = await twoFrames(subject)
  const frames = webpFrames(bytes)
  expect(frames.map(({ picture }) => picture?.[0])).toEqual(['VP8L', 'VP8L'])
  // Viewing the file as a picture returns the first frame.
  const view = await subject.get(viewPath({ ...output.images[0], preview: 'webp' }))
  expect(frames[0]?.picture).toEqual(webpChunks(view.bytes.subarray(12))[0])
})

/** The content of an EXIF chunk: numbers in the order of bytes that it names, behind a marker that it may begin with. */
function tiffOf(content: Buffer) {
  const marker = content.toString('latin1', 0, 6) === 'Exif\0\0' ? 6 : 0
  const bytes = content.subarray(marker)
  const isBig = bytes.toString('latin1', 0, 2) === 'MM'
  const word = (at: number) => (isBig ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at))
  const long = (at: number) => (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at))
  expect([word(2), long(4)]).toEqual([42, 8])
  return { bytes, word, long }
}

const extra_pnginfo = { workflow: { title: 'Ü' }, note: 1 }

proves('files/animation-text', async (subject) => {
  await needsMetadata(subject)
  const fields = { extra_data: { extra_pnginfo } }
  const { bytes: png } = await save(subject, twoColors, savePng(), fields)
  const names = pngChunks(png).map(([name]) => name)
  expect(names.slice(names.indexOf('fdAT') + 1)).toEqual(['comf', 'comf', 'comf', 'IEND'])
  const pngTexts = pngChunks(png)
    .filter(([name]) => name === 'comf')
    .map(([, content]) => content.toString('latin1').split('\0') as [string, string])
  expect(pngTexts.map(([keyword]) => keyword)).toEqual(['prompt', 'workflow', 'note'])
  const outputOf = Object.fromEntries(
    pngTexts.map(([keyword, json]) => [keyword, JSON.parse(json)]),
  )
  expect(outputOf).toEqual({
    prompt: { ...twoColors, saver: placedSaver(subject, savePng()) },
    ...extra_pnginfo,
  })
  const { bytes } = await save(subject, twoColors, saveWebp(), fields)
  const exif = tiffOf(webpChunks(bytes.subarray(12)).find(([name]) => name === 'EXIF')![1])
  const tags = Array.from({ length: exif.word(8) }, (_, index) => {
    const at = 10 + 12 * index
    const [length, from] = [exif.long(at + 4), exif.long(at + 8)]
    expect([exif.word(at + 2), exif.bytes[from + length - 1]]).toEqual([2, 0])
    return [exif.word(at), exif.bytes.toString('latin1', from, from + length - 1)] as const
  })
  expect(tags.map(([tag]) => tag)).toEqual([0x010e, 0x010f, 0x0110])
  const texts = tags.map(([, text]) => text)
  expect(texts.slice(0, 2)).toEqual(['note:1', String.raw`workflow:{"title": "\u00dc"}`])
  expect(JSON.parse(texts[2]!.slice('prompt:'.length))).toEqual({
    ...twoColors,
    saver: placedSaver(subject, saveWebp()),
  })
})

proves('files/animation-pixels', async (subject) => {
  const { bytes } = await save(subject, colored(6, 2048), savePng())
  const [, control] = pngChunks(bytes).find(([name]) => name === 'acTL')!
  expect(control.readUInt32BE(0)).toBe(4)
})
