// Files on hosted: uploads, which are named after their content, and the files that workflows produce.

import { blake3 } from '@noble/hashes/blake3.js'
import { decode, encode } from 'fast-png'
import { hostedError } from '../../../../spec/server/errors.ts'
import {
  fileEntry,
  folderTypes,
  hostedUploadLimits,
  uploadReply,
} from '../../../../spec/server/files.ts'
import { formOf, viewPath, formsWithoutText } from '../../../generate/form.ts'
import { type Graph, node, solid } from '../../../generate/graphs.ts'
import { fitting } from '../../../judge/hosted/jobs.ts'
import { violations } from '../../../judge/judge.ts'
import { fetchFile, linkTo } from '../../../judge/hosted/links.ts'
import { proves, provesHosted } from '../../../judge/proves.ts'
import type { Subject } from '../../../judge/subject.ts'
import { expect } from '../../../judge/expect.ts'
import { fetchLink } from '../../../judge/http-client.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const hashOf = (bytes: Uint8Array) => Buffer.from(blake3(bytes)).toString('hex')

/** A picture of three by two points whose red is this. */
const png = (red: number) =>
  encode({
    width: 3,
    height: 2,
    channels: 3,
    data: Uint8Array.from({ length: 18 }, (_, index) => [red, 20, 30][index % 3]!),
  })

/** What node 2 of a workflow in a separate session lists, and the pictures in it. */
async function outputsOf(subject: Subject, graph: Graph): Promise<any> {
  const session = await subject.connect()
  const { messages } = await subject.run(session, graph)
  const executed: any = messages.findLast(({ type }) => type === 'executed')?.data
  return executed.output
}
const imagesOf = async (subject: Subject, graph: Graph): Promise<any[]> =>
  (await outputsOf(subject, graph)).images

provesHosted(['files/upload', 'files/upload-reply'], async (subject) => {
  for (const type of folderTypes) {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => (index + type.length) & 255)
    const reply = await subject.upload({ name: 'all bytes.bin', bytes }, { type })
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    const { name, ...rest } = fitting(uploadReply, reply)
    expect(rest).toEqual({ subfolder: '', type })
    expect(await fetchFile(subject, name)).toEqual(Buffer.from(bytes))
  }
  const empty = await subject.upload({ name: 'empty', bytes: bytesOf('') })
  expect(await fetchFile(subject, empty.json().name)).toHaveLength(0)
})

proves('files/hosted-upload-name', async ({ upload, request }) => {
  const bytes = bytesOf('some bytes')
  const hash = hashOf(bytes)
  const name = async (given: string) => (await upload({ name: given, bytes })).json().name
  expect(await name('a.png')).toBe(`${hash}.png`)
  expect(await name('b.PNG')).toBe(`${hash}.png`)
  expect(await name('archive.tar.gz')).toBe(`${hash}.gz`)
  expect(await name('none')).toBe(hash)
  expect(await name('.hidden')).toBe(`${hash}.hidden`)
  // A known answer: the hash of empty content.
  const nothing = (await upload({ name: 'n.txt', bytes: bytesOf('') })).json().name
  expect(nothing).toBe('af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262.txt')
  // An unusual ending does not get into a name.
  const unusual = ['a.b/c', 'a.', 'a.p%00', '../../etc/passwd', 'a.ž', `a.${'x'.repeat(17)}`]
  for (const filename of unusual) {
    const form = formOf({ name: 'image', filename, content: bytes })
    const reply = await request('POST', '/upload/image', ...form)
    expect({ filename, name: reply.json().name }).toEqual({ filename, name: hash })
  }
})

proves('files/hosted-upload-same', async (subject) => {
  const put = async (text: string, fields: Readonly<Record<string, string>>, name = 'u.txt') =>
    (await subject.upload({ name, bytes: bytesOf(text) }, fields)).json().name
  const one = await put('one', {})
  const link = await linkTo(subject, one)
  const etag = (await fetchLink(link)).headers.get('etag')
  if (subject.isOwn) await subject.emulator?.advance(10_000)
  for (const fields of [{}, { overwrite: 'true' }, { overwrite: '1' }, { type: 'temp' }])
    expect(await put('one', fields, 'another name.txt')).toBe(one)
  const again = await fetchLink(link)
  expect([again.text, again.headers.get('etag')]).toEqual(['one', etag])
  expect(await put('two', { overwrite: 'true' })).not.toBe(one)
  expect((await fetchLink(link)).text).toBe('one')
})

proves('files/hosted-upload-subfolder', async (subject) => {
  const bytes = bytesOf('flat')
  for (const subfolder of ['', 'a/b', 'x/./y/', '../..', '/etc', 'ž ☃']) {
    const reply = await subject.upload({ name: 's.txt', bytes }, { subfolder, type: 'input' })
    expect(reply.json()).toEqual({ name: `${hashOf(bytes)}.txt`, subfolder, type: 'input' })
    expect(await fetchFile(subject, reply.json().name)).toEqual(Buffer.from(bytes))
  }
})

proves('files/hosted-upload-type', async (subject) => {
  const loading = (image: string): Graph => ({
    '1': node('LoadImage', { image }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: 'copy' }),
  })
  const uploaded = async (red: number, fields: Readonly<Record<string, string>>) =>
    (await subject.upload({ name: 'my.png', bytes: png(red) }, fields)).json()
  const plain = await uploaded(10, {})
  expect(plain.type).toBe('output')
  const names = [plain.name, (await uploaded(20, { type: 'input' })).name]
  names.push((await uploaded(30, { type: 'temp', subfolder: 'deep' })).name)
  for (const [index, name] of names.entries()) {
    const [saved] = await imagesOf(subject, loading(name))
    const { data } = decode(await fetchFile(subject, saved.filename))
    expect([name, ...data.slice(0, 3)]).toEqual([name, 10 * (index + 1), 20, 30])
  }
  const [saved] = await imagesOf(subject, loading(`${plain.name} [output]`))
  expect(decode(await fetchFile(subject, saved.filename)).data[0]).toBe(10)
  for (const name of ['none.png', `deep/${names[2]}`, `../${plain.name}`]) {
    const refused = await subject.submit(loading(name))
    expect({ name, status: refused.status }).toEqual({ name, status: 400 })
  }
})

provesHosted('files/upload-is-usable', async (subject) => {
  const { name } = (await subject.upload({ name: 'my.png', bytes: png(200) })).json()
  const graph = {
    '1': node('LoadImage', { image: name }),
    '2': node('PreviewImage', { images: ['1', 0] }),
  }
  const [shown] = await imagesOf(subject, graph)
  const { width, height, data } = decode(await fetchFile(subject, shown.filename))
  expect([width, height, ...data.slice(0, 3)]).toEqual([3, 2, 200, 20, 30])
  const text = (await subject.get('/object_info/LoadImage')).text
  expect(text).toContain(name)
})

/** The first bytes of a PNG file that announces this size. */
function headOf(width: number, height: number): Uint8Array {
  const bytes = Buffer.from(png(0))
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}

proves('files/hosted-upload-limits', async ({ isOwn, upload, request }) => {
  const { bytes: most, side, pixels } = hostedUploadLimits
  const put = (bytes: Uint8Array) => upload({ name: 'x.png', bytes })
  const tooLarge = [
    [side + 1, 1],
    [1, side + 1],
    [8192, 8193],
    [side, side],
  ] as const
  for (const [width, height] of tooLarge)
    fitting(hostedError, await put(headOf(width, height)), 400)
  expect((await put(png(1))).status).toBe(200)
  if (!isOwn) return
  expect({ most, side, pixels }).toEqual({ most: 52_428_800, side: 16_384, pixels: 8192 * 8192 })
  expect((await put(headOf(side, 1))).status).toBe(200)
  expect((await put(headOf(8192, 8192))).status).toBe(200)
  const send = (size: number, path: string) =>
    request('POST', path, ...formOf({ name: 'image', filename: 'x', content: Buffer.alloc(size) }))
  expect((await send(most, '/upload/image')).status).toBe(200)
  for (const path of ['/upload/image', '/upload/mask'])
    fitting(hostedError, await send(most + 1, path), 400)
})

proves('files/hosted-upload-text-bytes', async ({ request }) => {
  for (const path of ['/upload/image', '/upload/mask']) {
    for (const parts of formsWithoutText) {
      fitting(hostedError, await request('POST', path, ...formOf(...parts)), 400)
    }
  }
})

proves('files/hosted-upload-bad', async ({ request, upload, as }) => {
  const image = { name: 'image', filename: 'x.txt', content: 'x' }
  for (const path of ['/upload/image', '/upload/mask']) {
    const send = async (...form: readonly [body: Buffer, headers: Record<string, string>]) =>
      fitting(hostedError, await request('POST', path, ...form), 400)
    await send(...formOf())
    await send(...formOf({ ...image, name: 'file' }))
    await send(...formOf({ ...image, filename: '' }))
    await send(...formOf({ name: 'image', content: 'a text' }))
    await send(Buffer.from('{}'), { 'Content-Type': 'application/json' })
    await send(Buffer.from('image=x'), { 'Content-Type': 'application/x-www-form-urlencoded' })
    const [body, headers] = formOf(image)
    await send(body.subarray(0, -20), headers)
    for (const type of ['', 'Input', 'models', '../input']) {
      await send(...formOf(image, { name: 'type', content: type }))
    }
    // A caller without access gets no message about it.
    expect((await as('').upload(null, {}, path)).status).toBe(401)
    expect((await as('test-key-free').upload(null, {}, path)).status).toBe(403)
  }
  expect((await upload({ name: 'x.txt', bytes: bytesOf('x') })).status).toBe(200)
})

provesHosted(['files/hosted-output-name', 'files/entry'], async (subject) => {
  const [first] = await imagesOf(subject, solid(1, 'deep/er'))
  expect(violations(fileEntry, first)).toEqual([])
  expect(first).toEqual({
    filename: expect.stringMatching(/^[0-9a-f]{64}\.png$/),
    subfolder: '',
    type: 'output',
  })
  const [other] = await imagesOf(subject, solid(2, 'deep/er'))
  expect(other.filename).not.toBe(first.filename)
  const graph: Graph = { ...solid(3), '2': node('PreviewImage', { images: ['1', 0] }) }
  const [shown] = await imagesOf(subject, graph)
  expect(shown).toMatchObject({ subfolder: '', type: 'temp' })
  // A name follows from the content, which includes its workflow: the same again is the same file.
  await subject.post('/free', { free_memory: true })
  expect(await imagesOf(subject, solid(1, 'deep/er'))).toEqual([first])
  expect((await subject.get(viewPath({ filename: first.filename }))).status).toBe(302)
})

provesHosted(['files/hosted-video', 'files/videos'], async (subject) => {
  const graph: Graph = {
    '1': node('EmptyImage', { width: 64, height: 64, batch_size: 2, color: 0 }),
    '2': node('SaveWEBM', {
      images: ['1', 0],
      filename_prefix: 'v',
      codec: 'vp9',
      fps: 24,
      crf: 32,
    }),
  }
  const outputs = await outputsOf(subject, graph)
  expect(Object.keys(outputs)).toEqual(['video'])
  const [video] = outputs.video
  expect(violations(fileEntry, video)).toEqual([])
  const { status, headers } = await fetchLink(await linkTo(subject, video.filename))
  expect([status, headers.get('content-type')]).toEqual([200, 'video/webm'])
  expect(video.filename).toMatch(/^[0-9a-f]{64}\.webm$/)
})
