// Files: the pictures in them, viewed in another format or with fewer channels.

import { crc32, deflateSync } from 'node:zlib'
import { decode, encode } from 'fast-png'
import { decode as decodeJpeg } from 'jpeg-js'
import { viewPath } from '../../generate/form.ts'
import { changed } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { passing, put, viewOf } from '../../judge/own-files.ts'
import { shown } from '../../judge/own-runs.ts'
import type { Subject } from '../../judge/subject.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'

const size = { width: 3, height: 2 }
const colors = Array.from({ length: 6 }, (_, at) => [40 * at, 200 - at, 7])
const alphas = [0, 50, 100, 150, 200, 255]
const rgba = encode({ ...size, channels: 4, data: pixels((at) => [...colors[at]!, alphas[at]!]) })
const rgb = encode({ ...size, channels: 3, data: pixels((at) => colors[at]!) })
const plain = encode({ ...size, channels: 3, data: pixels(() => colors[3]!) })
const palette = [
  [1, 2, 3, 0],
  [4, 5, 6, 255],
]
const indexed = encode({ ...size, channels: 1, data: pixels((at) => [at % 2]), palette })

function pixels(of: (at: number) => readonly number[]): Uint8Array {
  return Uint8Array.from(alphas.flatMap((_, at) => of(at)))
}

/** Puts files and returns a function that views one of them. */
async function views(subject: Subject, files: Readonly<Record<string, Uint8Array>>) {
  for (const [name, bytes] of Object.entries(files)) await put(subject, { name, bytes }, passing)
  return (filename: string, values: Readonly<Record<string, string>>) =>
    subject.get(viewOf(subject, { filename, ...passing, ...values }))
}

const headOf = ({ status, headers }: Reply) => [
  status,
  headers['content-type'],
  headers['content-disposition'],
  headers['etag'],
]

/** The content of the header of a lossless WebP file. */
function webpOf({ bytes }: Reply) {
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
  expect(bytes.toString('latin1', 8, 16)).toBe('WEBPVP8L')
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  const bits = bytes.readUInt32LE(21)
  const hasAlpha = ((bits >>> 28) & 1) === 1
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, hasAlpha }
}

proves('files/view-converted', async (subject) => {
  const view = await views(subject, { 'rgba.png': rgba, 'rgb.png': rgb, 'indexed.png': indexed })
  const colored = await view('rgba.png', { channel: 'rgb' })
  expect(headOf(colored)).toEqual([200, 'image/png', 'filename="rgba.png"', undefined])
  expect(decode(colored.bytes)).toMatchObject({ ...size, channels: 3, data: decode(rgb).data })
  const alpha = await view('rgba.png', { channel: 'a' })
  expect(headOf(alpha)).toEqual([200, 'image/png', 'filename="rgba.png"', undefined])
  const black = (of: (at: number) => number) => pixels((at) => [0, 0, 0, of(at)])
  expect(decode(alpha.bytes)).toMatchObject({ channels: 4, data: black((at) => alphas[at]!) })
  for (const name of ['rgb.png', 'indexed.png']) {
    const none = decode((await view(name, { channel: 'a' })).bytes)
    expect({ name, ...none }).toMatchObject({ name, channels: 4, data: black(() => 255) })
  }
  const flat = decode((await view('indexed.png', { channel: 'rgb' })).bytes)
  expect(flat).toMatchObject({ channels: 3, data: pixels((at) => palette[at % 2]!.slice(0, 3)) })
  for (const channel of ['rgba', '', 'A', 'alpha']) {
    const { bytes } = await view('rgba.png', { channel })
    expect([channel, [...bytes]]).toEqual([channel, [...rgba]])
  }
})

proves('files/view-converted', async (subject) => {
  const view = await views(subject, { 'p.png': rgba, 'plain.png': plain })
  const jpeg = (values: Readonly<Record<string, string>>) => view('p.png', values)
  const usual = await jpeg({ preview: 'jpeg' })
  expect(headOf(usual)).toEqual([200, 'image/jpeg', 'filename="p.png"', undefined])
  expect(decodeJpeg(usual.bytes)).toMatchObject(size)
  // One colour: an encoder may take the mean of neighbours.
  const best = (await view('plain.png', { preview: 'jpeg;100', channel: 'rgb' })).bytes
  for (const [at, value] of colors[3]!.entries())
    expect(Math.abs(decodeJpeg(best).data[at]! - value)).toBeLessThan(20)
  const same: [preview: string, other: string][] = [
    ['jpeg;90', 'jpeg'],
    ['jpeg;x', 'jpeg'],
    ['jpeg;９０', 'jpeg'],
    ['jpeg;10;90', 'jpeg'],
    ['jpeg;500', 'jpeg;100'],
    ['jpeg;0', 'jpeg;1'],
  ]
  for (const [preview, other] of same) {
    const [one, two] = [await jpeg({ preview }), await jpeg({ preview: other })]
    expect({ preview, text: one.text }).toEqual({ preview, text: two.text })
  }
  expect((await jpeg({ preview: 'jpeg;1' })).text).not.toBe(usual.text)
  for (const values of [
    { preview: '' },
    { preview: 'webp;90' },
    { preview: '50' },
    { preview: 'png;50' },
    { preview: 'JPEG;50' },
    { preview: 'jpeg;50', channel: 'rgba' },
    { preview: 'jpeg;50', channel: 'a' },
    { preview: 'jpeg;50', channel: 'grey scale' },
  ]) {
    const reply = await jpeg(values)
    const head = [200, 'image/webp', 'filename="p.png"', undefined]
    expect([values, ...headOf(reply)]).toEqual([values, ...head])
  }
  expect((await view('p.png', { preview: 'jpeg;²' })).status).toBe(500)
  const missing = await view('none.png', { preview: 'webp' })
  expect(missing).toMatchObject({ status: 404, text: '' })
})

proves('files/view-converted', async (subject) => {
  const { connect, get, run, unique } = subject
  const blue = changed(shown(subject, 'blue'), '1', { color: 0x102030 })
  const { entry } = await run(await connect(unique('me')), blue)
  const view = (values: Readonly<Record<string, string>>) =>
    get(viewPath({ ...entry.outputs['2'].images[0], ...values }))
  const { data, width } = decodeJpeg((await view({ preview: 'jpeg;95' })).bytes)
  expect([width, ...data.slice(0, 3)].map((value) => Math.round(value / 16))).toEqual([4, 1, 2, 3])
  const { text } = decode((await view({ channel: 'rgb' })).bytes)
  expect(text).toEqual({})
  expect(decode((await view({ channel: 'a' })).bytes).data.slice(0, 4)).toEqual(
    Uint8Array.of(0, 0, 0, 255),
  )
})

proves('files/view-webp', async (subject) => {
  const view = await views(subject, { 'p.png': rgba, 'o.png': rgb })
  const webp = await view('p.png', { preview: 'webp;1' })
  expect(webpOf(webp)).toEqual({ ...size, hasAlpha: true })
  expect((await view('p.png', { preview: 'webp;100' })).bytes).toEqual(webp.bytes)
  expect(webpOf(await view('p.png', { preview: 'webp', channel: 'rgb' })).hasAlpha).toBe(false)
  expect(webpOf(await view('o.png', { preview: 'webp' }))).toEqual({ ...size, hasAlpha: false })
  expect((await view('p.png', { preview: 'webp;101' })).status).toBe(500)
  expect((await view('p.png', { preview: 'jpeg;101', channel: 'rgba' })).status).toBe(500)
})

proves('files/view-bombs', async (subject) => {
  const zeros = deflateSync(new Uint8Array(40_000_000))
  const tiny = encode({ width: 2, height: 1, channels: 3, data: Uint8Array.of(1, 2, 3, 4, 5, 6) })
  const [head, rest] = [tiny.subarray(0, 33), tiny.subarray(33)]
  const data = Buffer.concat([Buffer.from('IDAT'), zeros])
  const bomb = Buffer.alloc(33 + 12 + zeros.length + 12)
  bomb.set(head)
  bomb.writeUInt32BE(zeros.length, 33)
  bomb.set(data, 37)
  bomb.writeUInt32BE(crc32(data), 37 + data.length)
  bomb.set(rest.slice(-12), 41 + data.length)
  const view = await views(subject, { 'bomb.png': bomb })
  const { status, bytes } = await view('bomb.png', { channel: 'a' })
  expect([status, decode(bytes)]).toMatchObject([200, { width: 2, height: 1 }])
  expect(bytes.length).toBeLessThan(200)
})

/** Views a large picture in two formats, and calls `during` while the server makes each. Each seed makes another picture. */
async function viewLarge(
  subject: Subject,
  seed: number,
  during: (preview: string, viewed: Promise<Reply>) => Promise<void>,
): Promise<void> {
  const [width, height] = [2000, 1001]
  const data = new Uint8Array(width * height).map((_, at) => at ^ (at >> 5) ^ seed)
  const large = encode({ width, height, channels: 1, data })
  const view = await views(subject, { 'large.png': large })
  for (const [preview, head] of [
    ['webp', 'RIFF'],
    ['jpeg', '\xff\xd8\xff'],
  ] as const) {
    const viewing = view('large.png', { preview })
    await during(preview, viewing)
    const { status, headers, bytes } = await viewing
    expect([status, headers['content-length']]).toEqual([200, `${bytes.length}`])
    expect((await view('large.png', { preview })).bytes.equals(bytes)).toBe(true)
    expect(bytes.toString('latin1', 0, head.length)).toBe(head)
  }
}

proves('files/large-pictures', (subject) => viewLarge(subject, 1, async () => undefined))

// Apart from the case before, which has started the thread: this one is about the order of answers.
proves(
  'files/large-pictures',
  (subject) =>
    viewLarge(subject, 0, async (preview, viewed) => {
      const order: string[] = []
      const ended = viewed.then(() => order.push(preview))
      for (let at = 0; at < 3; at++) {
        await subject.get('/queue')
        order.push('queue')
      }
      await ended
      expect(order).toEqual(['queue', 'queue', 'queue', preview])
    }),
  ownWorld,
)

const undecodable = [{ preview: 'webp' }, { preview: 'jpeg' }, { channel: 'a' }]

/** Expects that files cannot be viewed in another form, but as they are. */
async function expectUndecodable(
  view: (name: string, values: Readonly<Record<string, string>>) => Promise<Reply>,
  ...names: readonly string[]
): Promise<void> {
  for (const name of names) {
    for (const values of undecodable) {
      const { status, text } = await view(name, values)
      const refused = { status: 500, text: expect.stringMatching(/^500 Internal Server Error/) }
      expect({ name, values, status, text }).toEqual({ name, values, ...refused })
    }
    const { status } = await view(name, { channel: 'rgba' })
    expect({ name, status }).toEqual({ name, status: 200 })
  }
}

proves('files/view-undecodable', async (subject) => {
  const broken = rgba.slice()
  // A byte of the pixels, so that the checksum no longer matches.
  broken[broken.length - 20]! ^= 255
  const whole = await views(subject, { 'whole.png': rgba })
  const jpeg = (await whole('whole.png', { preview: 'jpeg' })).bytes
  const view = await views(subject, {
    'text.png': new TextEncoder().encode('no picture'),
    'empty.png': new Uint8Array(),
    'half.png': rgba.subarray(0, -24),
    'broken.png': broken,
    'half.jpg': jpeg.subarray(0, jpeg.length / 2),
    'whole.jpg': jpeg,
  })
  await expectUndecodable(view, 'text.png', 'empty.png', 'half.png', 'broken.png', 'half.jpg')
  expect((await view('whole.jpg', { preview: 'webp' })).status).toBe(200)
})

proves('files/view-cut', async (subject) => {
  const huge = encode({ width: 4097, height: 1, channels: 1, data: new Uint8Array(4097) })
  new DataView(huge.buffer, huge.byteOffset).setUint32(20, 4097)
  const whole = await views(subject, { 'whole.png': rgba })
  const jpeg = (await whole('whole.png', { preview: 'jpeg' })).bytes
  const view = await views(subject, {
    'cut.png': rgba.subarray(0, -12),
    'huge.png': huge,
    'cut.jpg': jpeg.subarray(0, -2),
  })
  await expectUndecodable(view, 'cut.png', 'huge.png', 'cut.jpg')
})
