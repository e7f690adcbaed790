// Files: uploads, their names, and their use in workflows.

import { decode, encode } from 'fast-png'
import { vi } from 'vitest'
import { uploadReply } from '../../../spec/server/files.ts'
import { formOf, formsWithoutText, viewPath } from '../../generate/form.ts'
import type { Graph } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const view = (get: Subject['get'], filename: string, subfolder = '', type = 'input') =>
  get(viewPath({ filename, subfolder, type }))
const seen = ({ status, text, headers }: Reply) => [status, text, headers['content-type']]
const crash = '500 Internal Server Error\n\nServer got itself in trouble'

proves(
  'files/upload',
  async ({ get, upload }) => {
    for (const type of ['input', 'output', 'temp']) {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => (index + type.length) & 255)
      const { status } = await upload({ name: 'all bytes.bin', bytes }, { type })
      expect({ type, status }).toEqual({ type, status: 200 })
      const stored = await view(get, 'all bytes.bin', '', type)
      expect([...stored.bytes]).toEqual([...bytes])
    }
    expect((await upload({ name: 'empty.bin', bytes: bytesOf('') })).status).toBe(200)
    expect(await view(get, 'empty.bin')).toMatchObject({ status: 200, text: '' })
  },
  { deployment: 'local' },
)

proves('files/upload', async ({ view, request }) => {
  const first = { name: 'image', filename: 'twice.txt', content: 'first' }
  const form = formOf({ ...first, name: 'other' }, first, { ...first, content: 'second' })
  const reply = await request('POST', '/upload/image', ...form)
  expect(reply.status).toBe(200)
  const { name: filename, subfolder, type } = reply.json()
  expect((await view({ filename, subfolder, type })).text).toBe('first')
})

proves(
  'files/upload-reply',
  async ({ upload }) => {
    const file = { name: 'a b (ž).png', bytes: bytesOf('1') }
    const plain = await upload(file)
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(plain.json()).toEqual({ name: 'a b (ž).png', subfolder: '', type: 'input' })
    const deep = await upload(file, { type: 'temp', subfolder: 'x/./y/', overwrite: '1' })
    expect(deep.json()).toEqual({ name: 'a b (ž).png', subfolder: 'x/./y/', type: 'temp' })
    expect(violations(uploadReply, deep.json())).toEqual([])
  },
  { deployment: 'local' },
)

proves(['files/upload-overwrite', 'files/upload-overwrite-words'], async ({ get, upload }) => {
  const put = async (text: string, overwrite: string) =>
    (await upload({ name: 'o.txt', bytes: bytesOf(text) }, { overwrite })).json().name
  expect(await put('one', 'true')).toBe('o.txt')
  expect(await put('two', 'true')).toBe('o.txt')
  expect((await view(get, 'o.txt')).text).toBe('two')
  expect(await put('three', '1')).toBe('o.txt')
  expect((await view(get, 'o.txt')).text).toBe('three')
  for (const no of ['', '0', 'false', 'True', 'yes', 'on']) {
    expect([no, await put(`four ${no}`, no)]).not.toEqual([no, 'o.txt'])
  }
  expect((await view(get, 'o.txt')).text).toBe('three')
})

proves('files/upload-renamed', async ({ get, upload }) => {
  const put = async (name: string, text: string) =>
    (await upload({ name, bytes: bytesOf(text) })).json().name
  expect(await put('u.png', 'one')).toBe('u.png')
  expect(await put('u.png', 'two')).toBe('u (1).png')
  expect(await put('u.png', 'six')).toBe('u (2).png')
  expect(await put('u.png', 'one')).toBe('u.png')
  expect(await put('u.png', 'six')).toBe('u (2).png')
  const stored = ['u.png', 'u (1).png', 'u (2).png', 'u (3).png'].map((name) => view(get, name))
  expect((await Promise.all(stored)).map(({ text }) => text)).toEqual(['one', 'two', 'six', ''])
  for (const [name, second] of [
    ['a.b.png', 'a.b (1).png'],
    ['.hid', '.hid (1)'],
    ['n', 'n (1)'],
  ]) {
    expect([await put(name!, 'one'), await put(name!, 'two')]).toEqual([name, second])
  }
  const elsewhere = await upload({ name: 'u.png', bytes: bytesOf('seven') }, { subfolder: 'sub' })
  expect(elsewhere.json().name).toBe('u.png')
})

proves('files/upload-subfolder', async ({ get, upload }) => {
  const put = (text: string, subfolder: string) =>
    upload({ name: 's.txt', bytes: bytesOf(text) }, { subfolder })
  expect((await put('deep', 'a/b')).json()).toEqual({
    name: 's.txt',
    subfolder: 'a/b',
    type: 'input',
  })
  expect((await view(get, 's.txt', 'a/b')).text).toBe('deep')
  expect(seen(await view(get, 's.txt'))).toEqual([404, '', undefined])
  expect(seen(await view(get, 's.txt', 'a'))).toEqual([404, '', undefined])
  expect(seen(await view(get, 's.txt', 'a/b', 'output'))).toEqual([404, '', undefined])
  expect((await put('other', 'a/x/../b')).json().name).toBe('s (1).txt')
  const back = await put('came back', '../input/z')
  expect(back.json()).toEqual({ name: 's.txt', subfolder: '../input/z', type: 'input' })
  expect((await view(get, 's.txt', 'z')).text).toBe('came back')
  expect((await view(get, 's.txt', '../input/z')).text).toBe('came back')
  expect((await put('top', '')).json().name).toBe('s.txt')
  expect((await view(get, 's.txt')).text).toBe('top')
})

proves('files/upload-bad', async ({ get, request, upload }) => {
  const image = { name: 'image', filename: 'x.txt', content: 'x' }
  const send = async (...form: readonly [body: Buffer, headers: Record<string, string>]) =>
    seen(await request('POST', '/upload/image', ...form))
  expect(seen(await upload(null, { type: 'input' }))).toEqual([400, '', undefined])
  expect(await send(...formOf())).toEqual([400, '', undefined])
  expect(await send(...formOf({ ...image, name: 'file' }))).toEqual([400, '', undefined])
  const json = { 'Content-Type': 'application/json' }
  expect(await send(Buffer.from('{}'), json)).toEqual([400, '', undefined])
  for (const subfolder of ['..', '../output', '../inputs', 'a/../..', '/tmp', '/']) {
    const form = formOf(image, { name: 'subfolder', content: subfolder })
    expect([subfolder, ...(await send(...form))]).toEqual([subfolder, 400, '', undefined])
  }
  for (const filename of ['../x.txt', 'a/../../x.txt', '..']) {
    const form = formOf({ ...image, filename })
    expect([filename, ...(await send(...form))]).toEqual([filename, 400, '', undefined])
  }
  const text = 'text/plain; charset=utf-8'
  for (const type of ['', 'Input', 'models', '../input']) {
    const form = formOf(image, { name: 'type', content: type })
    expect([type, ...(await send(...form))]).toEqual([type, 500, crash, text])
  }
  // The type is checked first, even if there is no image.
  expect(await send(...formOf({ name: 'type', content: 'nope' }))).toEqual([500, crash, text])
  expect((await upload({ name: 'y.txt', bytes: bytesOf('y') }, { subfolder: 'deep' })).status).toBe(
    200,
  )
  for (const filename of ['', '.', 'deep', 'deep/.', 'deep/..', 'no/x.txt']) {
    const form = formOf({ ...image, filename })
    expect([filename, ...(await send(...form))]).toEqual([filename, 500, crash, text])
  }
  const mixed = { 'Content-Type': 'multipart/mixed; boundary=x' }
  expect(await send(Buffer.from('garbage'), mixed)).toEqual([400, '', undefined])
  const [body, headers] = formOf(image)
  expect(await send(body.subarray(0, -20), headers)).toEqual([500, crash, text])
  expect(seen(await view(get, 'x.txt'))).toEqual([404, '', undefined])
})

proves('files/upload-odd-names', async ({ get, request }) => {
  const send = async (filename: string, subfolder = '') => {
    const image = { name: 'image', filename: filename.replaceAll('\\', '\\\\'), content: filename }
    const form = formOf(image, { name: 'subfolder', content: subfolder })
    const reply = await request('POST', '/upload/image', ...form)
    return [reply.status, reply.status === 200 && reply.json().name]
  }
  expect(await send('/abs.png')).toEqual([200, 'abs.png'])
  expect(await send('//deep.png')).toEqual([200, 'deep.png'])
  expect(await send(' lead.png')).toEqual([200, ' lead.png'])
  expect(await send('trail.png ')).toEqual([200, 'trail.png '])
  expect(await send('in.png', 'a\\b')).toEqual([200, 'in.png'])
  expect((await view(get, ' lead.png')).text).toBe(' lead.png')
  expect((await view(get, 'abs.png')).text).toBe('/abs.png')
  expect((await view(get, 'in.png', 'a\\b')).text).toBe('in.png')
  expect((await view(get, 'in.png', 'a/b')).status).toBe(404)
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

proves('files/upload-text-bytes', async ({ request }) => {
  const said = vi.spyOn(process.stderr, 'write')
  for (const path of ['/upload/image', '/upload/mask']) {
    for (const parts of formsWithoutText) {
      const reply = await request('POST', path, ...formOf(...parts))
      expect(seen(reply)).toEqual([500, crash, 'text/plain; charset=utf-8'])
    }
  }
  // It is an ordinary answer, not a failure of the server.
  const calls = said.mock.calls.flat()
  said.mockRestore()
  expect(calls).toEqual([])
})

proves(
  'files/upload-is-usable',
  async ({ connect, get, request, run, submit, upload }) => {
    const loading = (image: string): Graph => ({
      '1': { class_type: 'LoadImage', inputs: { image } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'copy' } },
    })
    const session = await connect('me')
    const pictureOf = async (image: string) => {
      const [{ filename }] = (await run(session, loading(image))).entry.outputs['2'].images
      const { data, width, height, channels } = decode(
        (await view(get, filename, '', 'output')).bytes,
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
    const { name } = (await upload({ name: 'my.png', bytes: png(10) })).json()
    const other = (await upload({ name: 'my.png', bytes: png(200) })).json().name
    expect(await pictureOf(name)).toMatchObject({ size: [3, 2], first: [10, 20, 30] })
    expect(await pictureOf(other)).toMatchObject({ size: [3, 2], first: [200, 20, 30] })
    expect((await pictureOf(other)).last.slice(0, 3)).toEqual([99, 99, 99])
    await upload({ name: 'my.png', bytes: png(50) }, { subfolder: 'sub' })
    await upload({ name: 'my.png', bytes: png(60) }, { type: 'output' })
    expect((await pictureOf('sub/my.png')).first).toEqual([50, 20, 30])
    expect((await pictureOf('my.png [output]')).first).toEqual([60, 20, 30])
    const within = formOf({ name: 'image', filename: 'sub/in.png', content: png(70) })
    const named = (await request('POST', '/upload/image', ...within)).json().name
    expect((await pictureOf(named)).first).toEqual([70, 20, 30])
    await upload({ name: 'my.png', bytes: png(80) }, { overwrite: 'true' })
    expect((await pictureOf(name)).first).toEqual([80, 20, 30])
    const refused = await submit(loading('none.png'))
    expect(refused.status).toBe(400)
    expect(refused.json().node_errors['1'].errors[0].type).toBe('custom_validation_failed')
  },
  { deployment: 'local' },
)
