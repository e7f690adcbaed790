// Files: masks, which are stored as their original with another alpha channel.

import { decode, encode } from 'fast-png'
import { uploadReply } from '../../../spec/server/files.ts'
import { viewPath } from '../../generate/form.ts'
import { node, solid } from '../../generate/graphs.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { proves, provesLocal } from '../../judge/proves.ts'
import { needsMetadata, orangeIn, passing, placedIn, put, viewOf } from '../../judge/own-files.ts'
import type { Subject } from '../../judge/subject.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'

const png = (width: number, height: number, channels: 3 | 4, of: (at: number) => number[]) => {
  const pixels = Array.from({ length: width * height }, (_, at) => of(at))
  return encode({ width, height, channels, data: Uint8Array.from(pixels.flat()) })
}
const colors = (at: number) => [10 + at, 20, 30]
const original = png(3, 2, 4, (at) => [...colors(at), 200])
const mask = png(3, 2, 4, (at) => [255, 255, 255, 40 * at])

type Fields = Readonly<Record<string, string>>
/** A reference to a file of the case: its subfolder is below the folder of the case. */
const placed = (subject: Subject, reference: unknown): string => {
  if (typeof reference === 'string') return reference
  const { subfolder, ...others } = reference as Record<string, string>
  return JSON.stringify({ ...others, ...placedIn(subject, subfolder) })
}
const uploadMask = (
  subject: Subject,
  reference: unknown,
  fields: Fields = {},
  { name = 'm.png', bytes = mask }: { name?: string; bytes?: Uint8Array } = {},
) => {
  const original_ref = placed(subject, reference)
  return put(subject, { name, bytes }, { original_ref, ...passing, ...fields }, '/upload/mask')
}

/** Masks of these originals or with these parts are answered with this status. */
async function answers(
  subject: Subject,
  status: number,
  masks: readonly {
    readonly reference?: unknown
    readonly name?: string
    readonly bytes?: Uint8Array
  }[],
): Promise<void> {
  for (const { reference = asOriginal, ...file } of masks) {
    const reply = await uploadMask(subject, reference, {}, file)
    expect({ reference, file, status: reply.status }).toEqual({ reference, file, status })
  }
}

/** Puts the original. */
const putOriginal = (subject: Subject, bytes: Uint8Array = original, fields: Fields = {}) =>
  put(subject, { name: 'o.png', bytes }, { overwrite: 'true', ...passing, ...fields })
const viewed = async (subject: Subject, filename: string, values: Fields = {}) =>
  subject.get(viewOf(subject, { filename, ...passing, ...values }))

const asOriginal = { filename: 'o.png', ...passing }
const withAlpha = Array.from({ length: 6 }, (_, at) => [...colors(at), 40 * at]).flat()

proves(['files/mask', 'files/mask-alpha'], async (subject) => {
  await putOriginal(subject)
  const reply = await uploadMask(subject, asOriginal, { subfolder: 'a/b/' })
  expect(withoutAssets(reply.json())).toEqual({
    name: 'm.png',
    subfolder: subject.unique('a/b/'),
    type: 'temp',
  })
  fitting(uploadReply, reply)
  const stored = await viewed(subject, 'm.png', { subfolder: 'a/b' })
  expect(stored.headers['content-type']).toBe('image/png')
  const { data, width, height } = decode(stored.bytes)
  expect({ data: [...data], width, height }).toEqual({ data: withAlpha, width: 3, height: 2 })
  expect((await viewed(subject, 'o.png')).bytes).toEqual(Buffer.from(original))
  const nameOf = async (fields: Fields = {}) =>
    (await uploadMask(subject, asOriginal, fields)).json().name
  expect(await nameOf()).toBe('m.png')
  expect(await nameOf()).toBe('m (1).png')
  expect(await nameOf({ overwrite: 'true' })).toBe('m.png')
  expect((await uploadMask(subject, asOriginal, { type: 'models' })).status).toBe(500)
  expect((await subject.upload(null, {}, '/upload/mask')).status).toBe(400)
})

provesLocal('files/mask', async (subject) => {
  await putOriginal(subject)
  const original_ref = placed(subject, asOriginal)
  const fields = { original_ref, subfolder: '../output' }
  const reply = await subject.upload({ name: 'm.png', bytes: mask }, fields, '/upload/mask')
  expect(reply.status).toBe(400)
})

provesLocal('files/mask', async (subject) => {
  await needsMetadata(subject)
  const session = await subject.connect(subject.unique('me'))
  await putOriginal(subject)
  const { name } = (await uploadMask(subject, asOriginal)).json()
  const graph = {
    '1': node('LoadImage', { image: `${subject.unique(name)} [temp]` }),
    '2': node('PreviewImage', { images: ['1', 0] }),
  }
  const { entry } = await subject.run(session, graph)
  const [shown] = entry.outputs['2'].images
  const { width, data, text } = decode((await subject.get(viewPath(shown))).bytes)
  expect([width, ...data.slice(0, 3)]).toEqual([3, ...colors(0)])
  expect(Object.keys(text)).toEqual(['prompt'])
})

provesLocal('files/mask-original', async (subject) => {
  await putOriginal(subject, original, { type: 'temp', subfolder: 'deep' })
  const temp = { type: 'temp', subfolder: 'deep' }
  for (const reference of [
    { filename: 'o.png', ...temp },
    { filename: 'deep/o.png', type: 'temp' },
    { filename: 'o.png [temp]', subfolder: 'deep' },
    { filename: 'o.png [temp]', type: 'nonsense', subfolder: 'deep/../deep' },
  ]) {
    await uploadMask(subject, reference, { overwrite: '1' })
    const { bytes } = await viewed(subject, 'm.png')
    expect([reference, [...decode(bytes).data]]).toEqual([reference, withAlpha])
    await put(subject, { name: 'm.png', bytes: new Uint8Array() }, { overwrite: '1', ...passing })
  }
  const { type: _, ...saved } = (await orangeIn(subject)).image
  const large = png(64, 64, 4, () => [0, 0, 0, 9])
  await uploadMask(subject, JSON.stringify(saved), {}, { bytes: large, name: 'n.png' })
  const { data } = decode((await viewed(subject, 'n.png')).bytes)
  expect(Array.from(data.slice(0, 4))).toEqual([0xff, 0x80, 0, 9])
})

proves('files/mask-alpha', async (subject) => {
  const dataOf = async (name: string) => [...decode((await viewed(subject, name)).bytes).data]
  const opaque = png(3, 2, 3, () => [1, 2, 3])
  await putOriginal(subject)
  await uploadMask(subject, asOriginal, {}, { bytes: opaque, name: 'opaque.png' })
  const filled = Array.from({ length: 6 }, (_, at) => [...colors(at), 255]).flat()
  expect(await dataOf('opaque.png')).toEqual(filled)
  await putOriginal(subject, png(3, 2, 3, colors))
  await uploadMask(subject, asOriginal, {}, { name: 'of rgb.png' })
  expect(await dataOf('of rgb.png')).toEqual(withAlpha)
  // A mask on a mask replaces the first.
  await uploadMask(
    subject,
    { filename: 'of rgb.png', type: 'temp' },
    {},
    { bytes: png(3, 2, 4, () => [0, 0, 0, 77]), name: 'again.png' },
  )
  const again = Array.from({ length: 6 }, (_, at) => [...colors(at), 77]).flat()
  expect(await dataOf('again.png')).toEqual(again)
  const alpha = await viewed(subject, 'again.png', { channel: 'a' })
  expect(Array.from(decode(alpha.bytes).data.slice(0, 4))).toEqual([0, 0, 0, 77])
})

proves('files/mask-bad-original', async (subject) => {
  await putOriginal(subject)
  const texts = ['', 'no json', '[]', '"o.png"', '5', 'null', '{}', '{"filename": 5}']
  const references = [...texts, '{"filename": "o.png", "subfolder": 5, "type": "temp"}']
  await answers(
    subject,
    500,
    references.map((reference) => ({ reference })),
  )
  const missing = await put(subject, { name: 'm.png', bytes: mask }, passing, '/upload/mask')
  expect(missing).toMatchObject({
    status: 500,
    text: '500 Internal Server Error\n\nServer got itself in trouble',
  })
  expect((await viewed(subject, 'm.png')).status).toBe(404)
})

proves('files/mask-lost-original', async (subject) => {
  await putOriginal(subject)
  for (const reference of [
    { filename: 'none.png', type: 'temp' },
    { filename: 'o.png' },
    { filename: 'o.png', type: 'temp', subfolder: 'sub' },
    { filename: '', type: 'temp' },
    { filename: '/o.png', type: 'temp' },
    { filename: '../temp/o.png', type: 'temp' },
    { filename: 'o.png', type: 'nonsense' },
    { filename: 'o.png', type: null },
    { filename: 'o.png', type: 'output', subfolder: '../temp' },
    { filename: 'temp/o.png', type: 'temp', subfolder: '..' },
    { filename: 'o.png', type: 'temp', subfolder: 'no/..' },
  ]) {
    const reply = await uploadMask(subject, reference)
    expect({ reference, status: reply.status, json: withoutAssets(reply.json()) }).toEqual({
      reference,
      status: 200,
      json: { name: 'm.png', subfolder: subject.unique(''), type: 'temp' },
    })
    expect((await viewed(subject, 'm.png')).status).toBe(404)
  }
})

proves('files/mask-unfit', async (subject) => {
  await putOriginal(subject)
  const wide = png(4, 2, 4, () => [0, 0, 0, 0])
  const tall = png(3, 3, 4, () => [0, 0, 0, 0])
  const text = new TextEncoder().encode('no picture')
  // An image without its last bytes is one to some decoders.
  const cut = subject.isOwn ? mask.subarray(0, -14) : mask.subarray(0, -24)
  const unfit = [wide, tall, text, new Uint8Array(), cut]
  await answers(
    subject,
    500,
    unfit.map((bytes) => ({ bytes })),
  )
  await putOriginal(subject, text)
  expect((await uploadMask(subject, asOriginal)).status).toBe(500)
  const huge = png(1, 1, 4, () => [0, 0, 0, 0])
  new DataView(huge.buffer, huge.byteOffset).setUint32(16, 5000)
  new DataView(huge.buffer, huge.byteOffset).setUint32(20, 5000)
  await putOriginal(subject, huge)
  expect((await uploadMask(subject, asOriginal, {}, { bytes: huge })).status).toBe(500)
  expect((await viewed(subject, 'm.png')).status).toBe(404)
})

proves('files/mask-format', async (subject) => {
  await putOriginal(subject)
  const upper = await uploadMask(subject, asOriginal, {}, { name: 'M.PNG' })
  expect([upper.status, (await viewed(subject, 'M.PNG')).text.slice(1, 4)]).toEqual([200, 'PNG'])
  await uploadMask(subject, asOriginal, {}, { name: 'm.webp' })
  const { bytes, headers } = await viewed(subject, 'm.webp')
  expect([bytes.toString('latin1', 8, 15), headers['content-type']]).toEqual([
    'WEBPVP8',
    'image/webp',
  ])
  const names = ['m.jpg', 'm', '.png', '.bmp', 'm.txt']
  await answers(
    subject,
    500,
    names.map((name) => ({ name })),
  )
  for (const name of names) expect((await viewed(subject, name)).status).toBe(404)
})

proves('files/mask-text', async (subject) => {
  await needsMetadata(subject)
  const text = { workflow: '{"nodes": []}', note: 'caf\u00e9' }
  const { data, width, height } = decode(original)
  await putOriginal(subject, encode({ width, height, data, channels: 4, text }))
  await uploadMask(subject, asOriginal)
  const stored = await viewed(subject, 'm.png')
  expect(decode(stored.bytes, { checkCrc: true }).text).toEqual(text)
  await uploadMask(subject, { filename: 'm.png', type: 'temp' }, {}, { name: 'again.png' })
  expect(decode((await viewed(subject, 'again.png')).bytes).text).toEqual(text)
  const graph = solid(1, subject.unique('out'))
  await subject.run(await subject.connect(subject.unique('me')), graph)
  const bytes = png(64, 64, 4, () => [0, 0, 0, 9])
  await uploadMask(subject, { filename: 'out_00001_.png' }, {}, { bytes, name: 'n.png' })
  const { prompt } = decode((await viewed(subject, 'n.png')).bytes).text
  expect(JSON.parse(prompt ?? '')).toEqual(graph)
})
