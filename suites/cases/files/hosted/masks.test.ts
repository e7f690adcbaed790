// Files on hosted: masks, which become separate pictures.

import { decode, encode } from 'fast-png'
import { hostedError } from '../../../../spec/server/errors.ts'
import { maskLayers, uploadReply } from '../../../../spec/server/files.ts'
import { node } from '../../../generate/graphs.ts'
import { fitting } from '../../../judge/hosted/jobs.ts'
import { fetchFile } from '../../../judge/hosted/links.ts'
import { proves, provesHosted } from '../../../judge/proves.ts'
import { exchanges, toEach } from '../../../judge/rows.ts'
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

provesHosted(['files/mask', 'files/mask-original', 'files/hosted-mask'], async (subject) => {
  const filename = await putOriginal(subject)
  const reply = await uploadMask(subject, { filename }, { fields: { subfolder: 'a/b' } })
  const { name, ...rest } = fitting(uploadReply, reply)
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
})

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
  for (const reference of [...broken, '{"filename": ""}', JSON.stringify({ name: filename })])
    fitting(hostedError, await uploadMask(subject, reference), 400)
  const missing = await subject.upload({ name: 'm.png', bytes: mask }, {}, '/upload/mask')
  expect(missing.status).toBe(400)
  for (const name of ['none.png', `../${filename}`, `input/${filename}`, '/etc/passwd']) {
    fitting(hostedError, await uploadMask(subject, { filename: name }), 404)
  }
})

proves('files/hosted-mask-unfit', async (subject) => {
  const filename = await putOriginal(subject)
  const text = new TextEncoder().encode('no picture')
  for (const bytes of [png(4, 2, () => [0, 0, 0, 0]), text, mask.subarray(0, -14)]) {
    fitting(hostedError, await uploadMask(subject, { filename }, { bytes }), 400)
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
  const path = (asked: string): string => `/files/mask-layers?filename=${encodeURIComponent(asked)}`
  expect(fitting(maskLayers, await subject.get(path(name)))).toEqual({
    mask: name,
    paint: null,
    painted: null,
    painted_masked: null,
  })
  const none = [filename, 'none.png', 'example.png', `../${name}`].map(path)
  await exchanges(subject, [
    ...toEach(none, 'GET', 404),
    ...toEach([path(''), '/files/mask-layers'], 'GET', 400),
  ])
  await exchanges(subject.as(''), [['GET', path(name), undefined, 401]])
  // Another account does not have this file; this path requires no paid tier.
  await exchanges(subject.as('test-key-free'), [['GET', path(name), undefined, 404]])
})
