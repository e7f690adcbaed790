// Files on hosted: masks, which become separate pictures.

import { decode, encode } from 'fast-png'
import { hostedError } from '../../../../spec/server/errors.ts'
import { maskLayers, uploadReply } from '../../../../spec/server/files.ts'
import { node } from '../../../generate/graphs.ts'
import { violations } from '../../../judge/judge.ts'
import { fetchFile } from '../../../judge/hosted/links.ts'
import { proves } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { expect } from '../../../judge/expect.ts'

const png = (width: number, height: number, of: (at: number) => number[]) => {
  const pixels = Array.from({ length: width * height }, (_, at) => of(at))
  return encode({ width, height, channels: 4, data: Uint8Array.from(pixels.flat()) })
}
const colors = (at: number) => [10 + at, 20, 30]
const original = png(3, 2, (at) => [...colors(at), 200])
const mask = png(3, 2, (at) => [255, 255, 255, 40 * at])
const withAlpha = Array.from({ length: 6 }, (_, at) => [...colors(at), 40 * at]).flat()

/** Uploads the original, and returns its name. */
const putOriginal = async ({ upload }: Subject, bytes: Uint8Array = original): Promise<string> =>
  (await upload({ name: 'o.png', bytes })).json().name

const uploadMask = (
  { upload }: Subject,
  reference: unknown,
  { name = 'm.png', bytes = mask, fields = {} } = {},
) => {
  const original_ref = typeof reference === 'string' ? reference : JSON.stringify(reference)
  return upload({ name, bytes }, { original_ref, ...fields }, '/upload/mask')
}

const hosted = { deployment: 'hosted' } as const

proves(
  ['files/mask', 'files/mask-original', 'files/hosted-mask'],
  async (subject) => {
    const filename = await putOriginal(subject)
    const reply = await uploadMask(subject, { filename }, { fields: { subfolder: 'a/b' } })
    expect(violations(uploadReply, reply.json())).toEqual([])
    const { name, ...rest } = reply.json()
    expect(rest).toEqual({ subfolder: 'a/b', type: 'output' })
    expect(name).toMatch(/^[0-9a-f]{64}\.png$/)
    expect([...decode(await fetchFile(subject, name)).data]).toEqual(withAlpha)
    // The same mask is the same file, however the original is referred to.
    const references = [
      { filename, subfolder: '', type: 'input' },
      { filename, subfolder: 'elsewhere', type: 'temp' },
    ]
    for (const reference of references) {
      const fields = { type: 'input', overwrite: 'true' }
      const again = await uploadMask(subject, reference, { fields })
      expect(again.json()).toEqual({ name, subfolder: '', type: 'input' })
    }
    expect(await fetchFile(subject, filename)).toEqual(Buffer.from(original))
  },
  hosted,
)

proves('files/hosted-mask', async (subject) => {
  const filename = await putOriginal(subject)
  const first = (await uploadMask(subject, { filename })).json().name
  const other = png(3, 2, () => [0, 0, 0, 77])
  // A mask on a mask replaces the first.
  const again = (await uploadMask(subject, { filename: first }, { bytes: other })).json().name
  expect(again).not.toBe(first)
  const alphas = [...decode(await fetchFile(subject, again)).data].filter((_, at) => at % 4 === 3)
  expect(alphas).toEqual([77, 77, 77, 77, 77, 77])
  const webp = (await uploadMask(subject, { filename }, { name: 'M.WEBP' })).json().name
  expect(webp).toMatch(/^[0-9a-f]{64}\.webp$/)
  expect((await fetchFile(subject, webp)).toString('latin1', 8, 12)).toBe('WEBP')
  const session = await subject.connect()
  const graph = {
    '1': node('LoadImage', { image: first }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'masked' }),
  }
  const { messages } = await subject.run(session, graph)
  const executed: any = messages.find(({ type }) => type === 'executed')?.data
  const { width, data } = decode(await fetchFile(subject, executed.output.images[0].filename))
  expect([width, ...data.slice(0, 3)]).toEqual([3, ...colors(0)])
})

proves('files/hosted-mask-original', async (subject) => {
  const filename = await putOriginal(subject)
  const broken = ['', 'no json', '[]', '"o.png"', '5', 'null', '{}', '{"filename": 5}']
  for (const reference of [...broken, '{"filename": ""}', JSON.stringify({ name: filename })]) {
    const reply = await uploadMask(subject, reference)
    expect({ reference, status: reply.status }).toEqual({ reference, status: 400 })
    expect(violations(hostedError, reply.json())).toEqual([])
  }
  const missing = await subject.upload({ name: 'm.png', bytes: mask }, {}, '/upload/mask')
  expect(missing.status).toBe(400)
  for (const name of ['none.png', `../${filename}`, `input/${filename}`, '/etc/passwd']) {
    const reply = await uploadMask(subject, { filename: name })
    expect({ name, status: reply.status }).toEqual({ name, status: 404 })
    expect(violations(hostedError, reply.json())).toEqual([])
  }
})

proves('files/hosted-mask-unfit', async (subject) => {
  const filename = await putOriginal(subject)
  const text = new TextEncoder().encode('no picture')
  for (const bytes of [png(4, 2, () => [0, 0, 0, 0]), text, mask.subarray(0, -14)]) {
    const reply = await uploadMask(subject, { filename }, { bytes })
    expect({ bytesLength: bytes.length, status: reply.status }).toEqual({
      bytesLength: bytes.length,
      status: 400,
    })
    expect(violations(hostedError, reply.json())).toEqual([])
  }
  for (const name of ['m.jpg', 'm', '.png']) {
    expect({ name, status: (await uploadMask(subject, { filename }, { name })).status }).toEqual({
      name,
      status: 400,
    })
  }
  const ofText = await putOriginal(subject, text)
  expect((await uploadMask(subject, { filename: ofText })).status).toBe(400)
})

proves('files/hosted-mask-layers', async (subject) => {
  const filename = await putOriginal(subject)
  const { name } = (await uploadMask(subject, { filename })).json()
  const layers = (asked: string, { get }: Subject = subject) =>
    get(`/files/mask-layers?filename=${encodeURIComponent(asked)}`)
  const reply = await layers(name)
  expect(reply.status).toBe(200)
  expect(violations(maskLayers, reply.json())).toEqual([])
  expect(reply.json()).toEqual({ mask: name, paint: null, painted: null, painted_masked: null })
  for (const asked of [filename, 'none.png', 'example.png', `../${name}`]) {
    expect({ asked, status: (await layers(asked)).status }).toEqual({ asked, status: 404 })
  }
  expect((await layers('')).status).toBe(400)
  expect((await subject.get('/files/mask-layers')).status).toBe(400)
  expect((await layers(name, subject.as(''))).status).toBe(401)
  // Another account does not have this file; this path requires no paid tier.
  expect((await layers(name, subject.as('test-key-free'))).status).toBe(404)
})
