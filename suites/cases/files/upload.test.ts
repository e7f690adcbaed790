// Files: uploads, their names, and their use in workflows.

import { decode, encode } from 'fast-png'
import { uploadReply } from '../../../spec/server/files.ts'
import { formOf, formsWithoutText, viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { proves, provesLocal } from '../../judge/proves.ts'
import { bytesIn, inEachFolder, passing, placedIn, put, viewOf } from '../../judge/own-files.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'
import type { Reply } from '../../judge/reply.ts'
import { needsPosix } from '../../judge/own-runs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const view = (subject: Subject, filename: string, subfolder = '', type: string = passing.type) =>
  subject.get(viewOf(subject, { filename, subfolder, type }))
/** Puts a text where the server does not keep it. */
const pass = (subject: Subject, name: string, text: string, fields = {}) =>
  put(subject, { name, bytes: bytesOf(text) }, { ...passing, ...fields })
/** The fields of a form that place a file below the folder of the case. */
const fieldsOf = (subject: Subject, subfolder = '') =>
  Object.entries(placedIn(subject, subfolder)).map(([name, content]) => ({ name, content }))
const image = { name: 'image', filename: 'x.txt', content: 'x' }
const passingField = { name: 'type', content: passing.type }
const seen = ({ status, text, headers }: Reply) => [status, text, headers['content-type']]
const crash = '500 Internal Server Error\n\nServer got itself in trouble'

provesLocal('files/upload', async (subject) => {
  const { statuses, ...file } = await inEachFolder(subject)
  expect(statuses).toEqual({ input: 200, output: 200, temp: 200 })
  for (const type of Object.keys(statuses)) {
    const stored = await subject.get(viewPath({ ...file, type }))
    expect([...stored.bytes]).toEqual([...bytesIn(type)])
  }
  expect((await pass(subject, 'empty.bin', '')).status).toBe(200)
  expect(await view(subject, 'empty.bin')).toMatchObject({ status: 200, text: '' })
})

proves('files/upload', async (subject) => {
  const { view, request } = subject
  const first = { name: 'image', filename: 'twice.txt', content: 'first' }
  const files = [{ ...first, name: 'other' }, first, { ...first, content: 'second' }]
  const form = formOf(...files, ...fieldsOf(subject), passingField)
  const reply = await request('POST', '/upload/image', ...form)
  expect(reply.status).toBe(200)
  const { name: filename, subfolder, type } = reply.json()
  expect((await view({ filename, subfolder, type })).text).toBe('first')
})

provesLocal('files/upload-reply', async (subject) => {
  const { unique } = subject
  const file = { name: 'a b (ž).png', bytes: bytesOf('1') }
  const plain = await put(subject, file)
  expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(withoutAssets(plain.json())).toEqual({
    name: 'a b (ž).png',
    subfolder: unique(''),
    type: 'input',
  })
  const deep = await put(subject, file, { type: 'temp', subfolder: 'x/./y/', overwrite: '1' })
  expect(withoutAssets(fitting(uploadReply, deep))).toEqual({
    name: 'a b (ž).png',
    subfolder: unique('x/./y/'),
    type: 'temp',
  })
})

proves(['files/upload-overwrite', 'files/upload-overwrite-words'], async (subject) => {
  const send = async (text: string, overwrite: string) =>
    (await pass(subject, 'o.txt', text, { overwrite })).json().name
  expect(await send('one', 'true')).toBe('o.txt')
  expect(await send('two', 'true')).toBe('o.txt')
  expect((await view(subject, 'o.txt')).text).toBe('two')
  expect(await send('three', '1')).toBe('o.txt')
  expect((await view(subject, 'o.txt')).text).toBe('three')
  for (const no of ['', '0', 'false', 'True', 'yes', 'on']) {
    expect([no, await send(`four ${no}`, no)]).not.toEqual([no, 'o.txt'])
  }
  expect((await view(subject, 'o.txt')).text).toBe('three')
})

proves('files/upload-renamed', async (subject) => {
  const send = async (name: string, text: string) => (await pass(subject, name, text)).json().name
  expect(await send('u.png', 'one')).toBe('u.png')
  expect(await send('u.png', 'two')).toBe('u (1).png')
  expect(await send('u.png', 'six')).toBe('u (2).png')
  expect(await send('u.png', 'one')).toBe('u.png')
  expect(await send('u.png', 'six')).toBe('u (2).png')
  const stored = ['u.png', 'u (1).png', 'u (2).png', 'u (3).png'].map((name) => view(subject, name))
  expect((await Promise.all(stored)).map(({ text }) => text)).toEqual(['one', 'two', 'six', ''])
  for (const [name, second] of [
    ['a.b.png', 'a.b (1).png'],
    ['.hid', '.hid (1)'],
    ['n', 'n (1)'],
  ]) {
    expect([await send(name!, 'one'), await send(name!, 'two')]).toEqual([name, second])
  }
  const elsewhere = await pass(subject, 'u.png', 'seven', { subfolder: 'sub' })
  expect(elsewhere.json().name).toBe('u.png')
})

proves('files/upload-subfolder', async (subject) => {
  const send = (text: string, subfolder: string) => pass(subject, 's.txt', text, { subfolder })
  expect(withoutAssets((await send('deep', 'a/b')).json())).toEqual({
    name: 's.txt',
    subfolder: subject.unique('a/b'),
    type: 'temp',
  })
  expect((await view(subject, 's.txt', 'a/b')).text).toBe('deep')
  const elsewhere = [{}, { subfolder: 'a' }, { subfolder: 'a/b', type: 'output' }]
  const paths = elsewhere.map((place) =>
    viewOf(subject, { filename: 's.txt', ...passing, ...place }),
  )
  await exchanges(subject, toEach(paths, 'GET', 404, '', { 'content-type': undefined }))
  expect((await send('other', 'a/x/../b')).json().name).toBe('s (1).txt')
  expect((await send('top', '')).json().name).toBe('s.txt')
  expect((await view(subject, 's.txt')).text).toBe('top')
  // The subfolder is made first, so that a name can lead through it.
  const made = { name: 'subfolder', content: subject.unique('made//deep') }
  const form = formOf({ ...image, filename: '../up.txt' }, made, passingField)
  expect((await subject.request('POST', '/upload/image', ...form)).status).toBe(200)
  expect((await view(subject, 'up.txt', 'made')).text).toBe('x')
})

proves('files/upload-subfolder', async ({ upload, get, unique }) => {
  // A subfolder may lead out of the inputs and back into them.
  const subfolder = `../input/${unique('z')}`
  const back = await upload({ name: 's.txt', bytes: bytesOf('came back') }, { subfolder })
  expect(withoutAssets(back.json())).toEqual({ name: 's.txt', subfolder, type: 'input' })
  for (const folder of [unique('z'), subfolder]) {
    const path = viewPath({ filename: 's.txt', subfolder: folder, type: 'input' })
    expect((await get(path)).text).toBe('came back')
  }
})

/** Sends a form, and expects the server to reject it like this. */
const rejecting =
  ({ request }: Subject, path = '/upload/image') =>
  async (status: 400 | 500, ...form: readonly [body: Buffer | string, Record<string, string>]) => {
    const reply = await request('POST', path, ...form)
    const rejected =
      status === 500 ? [500, crash, 'text/plain; charset=utf-8'] : [400, '', undefined]
    expect([form[0].toString(), ...seen(reply)]).toEqual([form[0].toString(), ...rejected])
  }

proves('files/upload-bad', async (subject) => {
  const reject = rejecting(subject)
  const own = fieldsOf(subject)
  expect(seen(await subject.upload(null, { type: 'input' }))).toEqual([400, '', undefined])
  await reject(400, ...formOf())
  await reject(400, ...formOf({ ...image, name: 'file' }, ...own))
  await reject(400, '{}', { 'Content-Type': 'application/json' })
  for (const type of ['', 'Input', 'models', '../input'])
    await reject(500, ...formOf(image, { name: 'type', content: type }, ...own))
  // The type is checked first, even if there is no image.
  await reject(500, ...formOf({ name: 'type', content: 'nope' }))
  expect((await pass(subject, 'y.txt', 'y', { subfolder: 'deep' })).status).toBe(200)
  for (const filename of ['', '.', 'deep', 'deep/.', 'deep/..', 'no/x.txt'])
    await reject(500, ...formOf({ ...image, filename }, ...own, passingField))
  const made = { name: 'subfolder', content: subject.unique('made by this upload') }
  await reject(500, ...formOf({ ...image, filename: '.' }, made, passingField))
  await reject(400, 'garbage', { 'Content-Type': 'multipart/mixed; boundary=x' })
  const [body, headers] = formOf(...own, image)
  await reject(500, body.subarray(0, -20), headers)
  expect(seen(await view(subject, 'x.txt', '', 'input'))).toEqual([404, '', undefined])
})

// These would be outside the folder of the case.
proves('files/upload-bad', async (subject) => {
  const reject = rejecting(subject)
  for (const subfolder of ['..', '../output', '../inputs', 'a/../..', '/tmp', '/'])
    await reject(400, ...formOf(image, { name: 'subfolder', content: subfolder }))
  for (const filename of ['../x.txt', 'a/../../x.txt', '..'])
    await reject(400, ...formOf({ ...image, filename }))
})

proves('files/upload-odd-names', async (subject) => {
  await needsPosix(subject)
  const { request } = subject
  const send = async (filename: string, subfolder = '') => {
    const image = { name: 'image', filename: filename.replaceAll('\\', '\\\\'), content: filename }
    const form = formOf(image, ...fieldsOf(subject, subfolder), passingField)
    const reply = await request('POST', '/upload/image', ...form)
    return [reply.status, reply.status === 200 && reply.json().name]
  }
  expect(await send('/abs.png')).toEqual([200, 'abs.png'])
  expect(await send('//deep.png')).toEqual([200, 'deep.png'])
  expect(await send(' lead.png')).toEqual([200, ' lead.png'])
  expect(await send('trail.png ')).toEqual([200, 'trail.png '])
  expect(await send('in.png', 'a\\b')).toEqual([200, 'in.png'])
  expect((await view(subject, ' lead.png')).text).toBe(' lead.png')
  expect((await view(subject, 'abs.png')).text).toBe('/abs.png')
  expect((await view(subject, 'in.png', 'a\\b')).text).toBe('in.png')
  expect((await view(subject, 'in.png', 'a/b')).status).toBe(404)
})

proves('files/upload-image-text', async ({ request }) => {
  const urlencoded = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const forms = [
    [500, ...formOf({ name: 'image', content: 'x' })],
    [400, ...formOf({ name: 'image', content: '' })],
    [500, 'type=input&image=x', urlencoded],
    [400, 'image=&type=input', urlencoded],
    [400, 'type=input', urlencoded],
  ] as const
  for (const path of ['/upload/image', '/upload/mask'])
    for (const [status, body, headers] of forms) {
      const reply = await request('POST', path, body, headers)
      expect([path, body, reply.status]).toEqual([path, body, status])
    }
})

proves('files/upload-text-bytes', async (subject) => {
  for (const path of ['/upload/image', '/upload/mask']) {
    for (const parts of formsWithoutText) {
      // A subfolder of the case would stand before the unreadable one, and count instead.
      const own = parts.some(({ name }) => name === 'subfolder') ? [] : fieldsOf(subject)
      await rejecting(subject, path)(500, ...formOf(...own, ...parts))
    }
  }
})

// Unlike the case before, this one needs no allowance.
proves('files/upload-text-bytes', async (subject) => {
  // All parts count, also those that stand behind one of the same name.
  const unreadable = { name: 'type', content: Uint8Array.of(0xff) }
  const parts = [...fieldsOf(subject), image, { name: 'type', content: 'input' }, unreadable]
  await rejecting(subject)(500, ...formOf(...parts))
})

proves('files/upload-boundary', async (subject) => {
  const reject = rejecting(subject)
  const [body] = formOf(image)
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary='])
    await reject(500, body, { 'Content-Type': type })
  // Nor does an empty body have one.
  await reject(500, '', { 'Content-Type': 'multipart/form-data; boundary=zz' })
})

provesLocal('files/name-returns', async (subject) => {
  const { connect, run, unique } = subject
  const png = encode({ width: 1, height: 1, data: new Uint8Array(3), channels: 3 })
  await put(subject, { name: 'back.png', bytes: png })
  const load = node('LoadImage', { image: `../input/${unique('back.png')}` })
  const graph = { load, show: node('PreviewImage', { images: ['load', 0] }) }
  expect((await run(await connect(unique('me')), graph)).entry.status.status_str).toBe('success')
})

provesLocal('files/upload-is-usable', async (subject) => {
  const { connect, request, run, submit, unique } = subject
  const loading = (image: string): Graph => ({
    '1': node('LoadImage', { image }),
    '2': node('SaveImage', { images: ['1', 0], filename_prefix: unique('copy') }),
  })
  const session = await connect(unique('me'))
  const pictureOf = async (image: string) => {
    const [{ filename }] = (await run(session, loading(image))).entry.outputs['2'].images
    const { bytes } = await view(subject, filename, '', 'output')
    const { data, width, height, channels } = decode(bytes)
    return {
      size: [width, height],
      first: Array.from(data.slice(0, 3)),
      last: Array.from(data.slice(-channels)),
    }
  }
  const png = (red: number) =>
    encode({
      width: 3,
      height: 2,
      channels: 3,
      data: Uint8Array.from({ length: 18 }, (_, index) =>
        index < 15 ? [red, 20, 30][index % 3]! : 99,
      ),
    })
  const { name } = (await put(subject, { name: 'my.png', bytes: png(10) })).json()
  const other = (await put(subject, { name: 'my.png', bytes: png(200) })).json().name
  expect(await pictureOf(unique(name))).toMatchObject({ size: [3, 2], first: [10, 20, 30] })
  expect(await pictureOf(unique(other))).toMatchObject({ size: [3, 2], first: [200, 20, 30] })
  expect((await pictureOf(unique(other))).last.slice(0, 3)).toEqual([99, 99, 99])
  await put(subject, { name: 'my.png', bytes: png(50) }, { subfolder: 'sub' })
  await put(subject, { name: 'my.png', bytes: png(60) }, { type: 'output' })
  expect((await pictureOf(unique('sub/my.png'))).first).toEqual([50, 20, 30])
  expect((await pictureOf(unique('my.png [output]'))).first).toEqual([60, 20, 30])
  const part = { name: 'image', filename: 'sub/in.png', content: png(70) }
  const within = formOf(part, ...fieldsOf(subject))
  const named = (await request('POST', '/upload/image', ...within)).json().name
  expect((await pictureOf(unique(named))).first).toEqual([70, 20, 30])
  await put(subject, { name: 'my.png', bytes: png(80) }, { overwrite: 'true' })
  expect((await pictureOf(unique(name))).first).toEqual([80, 20, 30])
  const refused = await submit(loading(unique('none.png')))
  expect(refused.status).toBe(400)
  expect(refused.json().node_errors['1'].errors[0].type).toBe('custom_validation_failed')
})
