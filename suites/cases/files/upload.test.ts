// Files: uploads, their names, and their use in workflows.

import { decode, encode } from 'fast-png'
import { uploadReply } from '../../../spec/server/files.ts'
import { formOf, formsWithoutText, viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { bytesIn, inEachFolder, passing, placedIn, put, viewOf } from '../../judge/own-files.ts'
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
const passingField = { name: 'type', content: passing.type }
const seen = ({ status, text, headers }: Reply) => [status, text, headers['content-type']]
const crash = '500 Internal Server Error\n\nServer got itself in trouble'

proves(
  'files/upload',
  async (subject) => {
    const { statuses, ...file } = await inEachFolder(subject)
    expect(statuses).toEqual({ input: 200, output: 200, temp: 200 })
    for (const type of Object.keys(statuses)) {
      const stored = await subject.get(viewPath({ ...file, type }))
      expect([...stored.bytes]).toEqual([...bytesIn(type)])
    }
    expect((await pass(subject, 'empty.bin', '')).status).toBe(200)
    expect(await view(subject, 'empty.bin')).toMatchObject({ status: 200, text: '' })
  },
  { deployment: 'local' },
)

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

proves(
  'files/upload-reply',
  async (subject) => {
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
    expect(withoutAssets(deep.json())).toEqual({
      name: 'a b (ž).png',
      subfolder: unique('x/./y/'),
      type: 'temp',
    })
    expect(violations(uploadReply, deep.json())).toEqual([])
  },
  { deployment: 'local' },
)

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
  expect(seen(await view(subject, 's.txt'))).toEqual([404, '', undefined])
  expect(seen(await view(subject, 's.txt', 'a'))).toEqual([404, '', undefined])
  expect(seen(await view(subject, 's.txt', 'a/b', 'output'))).toEqual([404, '', undefined])
  expect((await send('other', 'a/x/../b')).json().name).toBe('s (1).txt')
  expect((await send('top', '')).json().name).toBe('s.txt')
  expect((await view(subject, 's.txt')).text).toBe('top')
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

const image = { name: 'image', filename: 'x.txt', content: 'x' }
const sending =
  ({ request }: Subject) =>
  async (...form: readonly [body: Buffer, headers: Record<string, string>]) =>
    seen(await request('POST', '/upload/image', ...form))
const text = 'text/plain; charset=utf-8'

proves('files/upload-bad', async (subject) => {
  const send = sending(subject)
  expect(seen(await subject.upload(null, { type: 'input' }))).toEqual([400, '', undefined])
  expect(await send(...formOf())).toEqual([400, '', undefined])
  const own = fieldsOf(subject)
  expect(await send(...formOf({ ...image, name: 'file' }, ...own))).toEqual([400, '', undefined])
  const json = { 'Content-Type': 'application/json' }
  expect(await send(Buffer.from('{}'), json)).toEqual([400, '', undefined])
  for (const type of ['', 'Input', 'models', '../input']) {
    const form = formOf(image, { name: 'type', content: type }, ...own)
    expect([type, ...(await send(...form))]).toEqual([type, 500, crash, text])
  }
  // The type is checked first, even if there is no image.
  expect(await send(...formOf({ name: 'type', content: 'nope' }))).toEqual([500, crash, text])
  expect((await pass(subject, 'y.txt', 'y', { subfolder: 'deep' })).status).toBe(200)
  for (const filename of ['', '.', 'deep', 'deep/.', 'deep/..', 'no/x.txt']) {
    const form = formOf({ ...image, filename }, ...own, passingField)
    expect([filename, ...(await send(...form))]).toEqual([filename, 500, crash, text])
  }
  const made = { name: 'subfolder', content: subject.unique('made by this upload') }
  const itself = formOf({ ...image, filename: '.' }, made, passingField)
  expect(await send(...itself)).toEqual([500, crash, text])
  const mixed = { 'Content-Type': 'multipart/mixed; boundary=x' }
  expect(await send(Buffer.from('garbage'), mixed)).toEqual([400, '', undefined])
  const [body, headers] = formOf(...own, image)
  expect(await send(body.subarray(0, -20), headers)).toEqual([500, crash, text])
  expect(seen(await view(subject, 'x.txt', '', 'input'))).toEqual([404, '', undefined])
})

proves('files/upload-bad', async (subject) => {
  const send = sending(subject)
  for (const subfolder of ['..', '../output', '../inputs', 'a/../..', '/tmp', '/']) {
    const form = formOf(image, { name: 'subfolder', content: subfolder })
    expect([subfolder, ...(await send(...form))]).toEqual([subfolder, 400, '', undefined])
  }
  for (const filename of ['../x.txt', 'a/../../x.txt', '..']) {
    const form = formOf({ ...image, filename })
    expect([filename, ...(await send(...form))]).toEqual([filename, 400, '', undefined])
  }
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
  for (const path of ['/upload/image', '/upload/mask']) {
    const send = async (body: string | Buffer, headers: Readonly<Record<string, string>>) =>
      (await request('POST', path, body, headers)).status
    expect(await send(...formOf({ name: 'image', content: 'x' }))).toBe(500)
    expect(await send(...formOf({ name: 'image', content: '' }))).toBe(400)
    expect(await send('type=input&image=x', urlencoded)).toBe(500)
    expect(await send('image=&type=input', urlencoded)).toBe(400)
    expect(await send('type=input', urlencoded)).toBe(400)
  }
})

proves('files/upload-text-bytes', async (subject) => {
  const { request } = subject
  for (const path of ['/upload/image', '/upload/mask']) {
    for (const parts of formsWithoutText) {
      // A subfolder of the case would stand before the unreadable one, and count instead.
      const own = parts.some(({ name }) => name === 'subfolder') ? [] : fieldsOf(subject)
      const reply = await request('POST', path, ...formOf(...own, ...parts))
      expect(seen(reply)).toEqual([500, crash, 'text/plain; charset=utf-8'])
    }
  }
})

proves('files/upload-text-bytes', async (subject) => {
  // All parts count, also those that stand behind one of the same name.
  const unreadable = { name: 'type', content: Uint8Array.of(0xff) }
  const form = formOf(...fieldsOf(subject), image, { name: 'type', content: 'input' }, unreadable)
  expect((await sending(subject)(...form))[0]).toBe(500)
})

proves('files/upload-boundary', async (subject) => {
  const [body] = formOf(image)
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
    const [status] = await sending(subject)(body, { 'Content-Type': type })
    expect({ type, status }).toEqual({ type, status: 500 })
  }
  // Nor does an empty body have one.
  const empty = { 'Content-Type': 'multipart/form-data; boundary=zz' }
  expect((await sending(subject)(Buffer.alloc(0), empty))[0]).toBe(500)
})

proves('files/upload-subfolder', async (subject) => {
  // The subfolder is made first, so that a name can lead through it.
  const form = formOf(
    { ...image, filename: '../up.txt' },
    { name: 'subfolder', content: subject.unique('made//deep') },
    passingField,
  )
  const reply = await subject.request('POST', '/upload/image', ...form)
  expect(reply.status).toBe(200)
  expect((await view(subject, 'up.txt', 'made')).text).toBe('x')
})

proves(
  'files/name-returns',
  async (subject) => {
    const { connect, run, unique } = subject
    const png = encode({ width: 1, height: 1, data: new Uint8Array(3), channels: 3 })
    await put(subject, { name: 'back.png', bytes: png })
    const load = node('LoadImage', { image: `../input/${unique('back.png')}` })
    const graph = { load, show: node('PreviewImage', { images: ['load', 0] }) }
    expect((await run(await connect(unique('me')), graph)).entry.status.status_str).toBe('success')
  },
  { deployment: 'local' },
)

proves(
  'files/upload-is-usable',
  async (subject) => {
    const { connect, request, run, submit, unique } = subject
    const loading = (image: string): Graph => ({
      '1': { class_type: 'LoadImage', inputs: { image } },
      '2': {
        class_type: 'SaveImage',
        inputs: { images: ['1', 0], filename_prefix: unique('copy') },
      },
    })
    const session = await connect(unique('me'))
    const pictureOf = async (image: string) => {
      const [{ filename }] = (await run(session, loading(image))).entry.outputs['2'].images
      const { data, width, height, channels } = decode(
        (await view(subject, filename, '', 'output')).bytes,
      )
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
  },
  { deployment: 'local' },
)
