// Files: viewing them, whole and wherever they are, and how they are named there.

import { decode, encode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { solid } from '../../generate/graphs.ts'
import { proves, provesLocal } from '../../judge/proves.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import {
  below,
  bytesIn,
  inEachFolder,
  orangeIn,
  passing,
  placedIn,
  put,
  viewOf,
} from '../../judge/own-files.ts'
import { exchanges, toEach } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** Puts a file whose content is `text` under this name. */
const putText = (subject: Subject, name: string, text: string, fields = {}) =>
  put(subject, { name, bytes: Buffer.from(text) }, { overwrite: 'true', ...passing, ...fields })

/** A picture that hardly compresses. */
function noise(side: number): Uint8Array {
  const data = new Uint8Array(side * side * 3)
  let state = 1
  for (const at of data.keys()) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    data[at] = state >>> 24
  }
  return encode({ width: side, height: side, channels: 3, data })
}

/** Pictures whose names and subfolders share parts, and whose sizes go beyond usual buffers, by the length of their sides. */
const pictures = [
  [1, 'a.png', ''],
  [2, 'a.png', 'deep'],
  [3, 'a.png', 'deep/er'],
  [4, 'a.png', 'a/b'],
  [5, 'ü & + ? %.png', 'mit leer/é'],
  [100, 'noise 100.png', 'sizes'],
  [400, 'noise 400.png', 'sizes'],
] as const

provesLocal(['files/view', 'files/upload', 'files/upload-subfolder'], async (subject) => {
  const contents = pictures.map(([side]) => noise(side))
  for (const [at, [, name, subfolder]] of pictures.entries()) {
    const reply = await put(subject, { name, bytes: contents[at]! }, { ...passing, subfolder })
    const stored = { name, subfolder: subject.unique(subfolder), ...passing }
    expect(withoutAssets(reply.json())).toEqual(stored)
  }
  for (const [at, [side, filename, subfolder]] of pictures.entries()) {
    const viewed = await subject.get(viewOf(subject, { filename, subfolder, ...passing }))
    const content = contents[at]!
    expect([side, viewed.status, viewed.headers['content-length']]).toEqual([
      side,
      200,
      `${content.length}`,
    ])
    expect(Buffer.compare(viewed.bytes, content)).toBe(0)
  }
})

proves('files/view', async (subject) => {
  const { get } = subject
  const { folder } = await orangeIn(subject)
  const entry = { filename: 'orange_00001_.png', subfolder: 'deep/er', type: 'output' }
  /** A view of a file below the folder of the picture. */
  const view = ({ subfolder = '', ...values }: Partial<typeof entry>) =>
    get(viewPath({ ...values, subfolder: below(folder, subfolder) }))
  const reply = await view(entry)
  expect(reply.status).toBe(200)
  expect(reply.headers['content-length']).toBe(`${reply.bytes.length}`)
  const { width, height, data, channels } = decode(reply.bytes)
  expect({ width, height }).toEqual({ width: 64, height: 64 })
  expect(Array.from(data.slice(0, 3))).toEqual([0xff, 0x80, 0])
  const last = data.slice(-channels, channels === 3 ? undefined : -1)
  expect(Array.from(last)).toEqual([0xff, 0x80, 0])
  expect((await view({ filename: entry.filename, subfolder: 'deep/er' })).status).toBe(200)
  expect((await view({ ...entry, subfolder: 'deep/../deep/./er/' })).bytes).toEqual(reply.bytes)
  const others = [
    [{ subfolder: 'x/../deep/er' }, 404],
    [{ filename: 'any/orange_00001_.png' }, 200],
    [{ subfolder: 'deep' }, 404],
    [{ type: 'input' }, 404],
  ] as const
  for (const [other, status] of others)
    expect({ other, status: (await view({ ...entry, ...other })).status }).toEqual({
      other,
      status,
    })
  // Files of one name in several folders.
  const { statuses: _, ...file } = await inEachFolder(subject)
  await putText(subject, 'all bytes.bin', 'top', passing)
  for (const type of ['output', 'input', 'temp'])
    expect((await get(viewPath({ ...file, type }))).bytes).toEqual(Buffer.from(bytesIn(type)))
  const top = viewOf(subject, { filename: 'all bytes.bin', ...passing })
  expect((await get(top)).text).toBe('top')
})

/** The pixel that a view shows of a picture that was saved there, below this folder. */
async function savedPixel(
  { view }: Subject,
  { folder, image }: Awaited<ReturnType<typeof orangeIn>>,
  prefix: string,
): Promise<unknown> {
  const parts = below(folder, prefix).split('/')
  expect(image).toMatchObject({
    filename: `${parts.at(-1)}_00001_.png`,
    subfolder: parts.slice(0, -1).join('/'),
    type: 'output',
  })
  const { status, bytes } = await view(image)
  expect([prefix, status]).toEqual([prefix, 200])
  return Array.from(decode(bytes).data.slice(0, 3))
}

provesLocal('files/view', async (subject) => {
  const orange = await orangeIn(subject)
  expect(await savedPixel(subject, orange, 'deep/er/orange')).toEqual([0xff, 0x80, 0])
  const session = await subject.connect(subject.unique('me'))
  for (const [prefix, color, pixel] of [
    ['other/orange', 0x0080ff, [0, 0x80, 0xff]],
    ['a/b/orange', 0x00ff80, [0, 0xff, 0x80]],
  ] as const) {
    const { entry } = await subject.run(session, solid(color, subject.unique(prefix)))
    const saved = { folder: subject.unique(''), image: entry.outputs['2'].images[0] }
    expect(await savedPixel(subject, saved, prefix)).toEqual(pixel)
  }
})

const unknownType = 'application/octet-stream'

/** Puts files of these names, and views each with its media type and these headers. */
async function viewsAs(
  subject: Subject,
  types: Readonly<Record<string, string>>,
  headersOf: (name: string) => object,
): Promise<void> {
  for (const [name, type] of Object.entries(types)) {
    await putText(subject, name, name)
    // Some types come from the list of the machine, which may lack them.
    const isRare = !subject.isOwn && /\.(flac|glb)$/.test(name)
    const found = isRare ? expect.toBeOneOf([type, unknownType]) : type
    const path = viewOf(subject, { filename: name, ...passing })
    const headers = { 'content-type': found, ...headersOf(name) }
    await exchanges(subject, [['GET', path, undefined, 200, name, headers]])
  }
}

proves('files/view-headers', async (subject) => {
  const types = {
    'a.png': 'image/png',
    'A.JPG': 'image/jpeg',
    'a.webp': 'image/webp',
    'a.svg': 'image/svg+xml',
    'a.mp4': 'video/mp4',
    'a.webm': 'video/webm',
    'a.flac': 'audio/flac',
    'a.mp3': 'audio/mpeg',
    'a.glb': 'model/gltf-binary',
    'a.txt': 'text/plain',
    'a.json': 'application/json',
    'a.latent': unknownType,
    'a.html': unknownType,
    'a.css': unknownType,
    none: unknownType,
  }
  await viewsAs(subject, types, (name) => ({ 'content-disposition': `filename="${name}"` }))
  const filename = 'příliš žluťoučký.png'
  await putText(subject, filename, '')
  const { headers } = await subject.get(viewOf(subject, { filename, ...passing }))
  const raw = Buffer.from(headers['content-disposition'] ?? '', 'latin1').toString()
  expect(raw).toBe(`filename="${filename}"`)
})

/** No browser runs a file that has these headers as a page. */
const guarded = (disposition: string) => ({
  'content-disposition': disposition,
  'x-content-type-options': 'nosniff',
})

proves('files/view-guarded', async (subject) => {
  const types = {
    'a.png': 'image/png',
    'a.webm': 'video/webm',
    'a.txt': 'text/plain',
    'a.json': 'application/json',
    none: unknownType,
  }
  await viewsAs(subject, types, (name) => guarded(`filename="${name}"`))
  // A server knows .xhtml only by the list of types of its machine, and sends an unknown type as bytes anyway.
  const rare = subject.isOwn ? ['a.xhtml'] : []
  for (const name of ['a.html', 'a.svg', 'a.xml', 'a.js', 'a.css', ...rare])
    await viewsAs(subject, { [name]: unknownType }, () => guarded(`attachment; filename="${name}"`))
  // A picture in another form is made by the server.
  const converted = await subject.get('/view?filename=example.png&type=input&channel=rgb')
  if (converted.status === 200)
    expect(converted.headers).not.toHaveProperty('x-content-type-options')
})

proves('files/view-as-image', async (subject) => {
  await putText(subject, 'shown.svg', '')
  await putText(subject, 'shown.html', '')
  const viewFor = async (use: string, filename = 'shown.svg') => {
    const path = viewOf(subject, { filename, ...passing })
    return (await subject.request('GET', path, undefined, { 'Sec-Fetch-Dest': use })).headers
  }
  const uncached = { 'cache-control': 'no-store', vary: 'Sec-Fetch-Dest' }
  expect(await viewFor('image')).toMatchObject({
    'content-type': 'image/svg+xml',
    'content-disposition': 'filename="shown.svg"',
    ...uncached,
  })
  expect(await viewFor('document')).toMatchObject({
    'content-type': unknownType,
    'content-disposition': 'attachment; filename="shown.svg"',
    ...uncached,
  })
  expect((await viewFor('image', 'shown.html'))['content-type']).toBe(unknownType)
})

proves('files/view-annotated', async (subject) => {
  const { filename: name, statuses: _, ...folder } = await inEachFolder(subject)
  /** The status of a view, and the type of the file. */
  const view = async (filename: string, more = {}) => {
    const { status, bytes } = await subject.get(viewPath({ filename, ...folder, ...more }))
    return [status, Buffer.from(bytes.subarray(256)).toString()]
  }
  expect(await view(name)).toEqual([200, 'output'])
  expect(await view(`${name} [input]`)).toEqual([200, 'input'])
  expect(await view(`${name} [temp]`)).toEqual([200, 'temp'])
  expect(await view(`${name} [output]`, { type: 'temp' })).toEqual([200, 'output'])
  expect(await view(`${name} [temp]`, { type: 'nonsense' })).toEqual([200, 'temp'])
  expect(await view(`${name}-[input]`)).toEqual([200, 'input'])
  expect(await view(`${name}[input]`)).toEqual([404, ''])
  expect(await view(`${name} [nonsense]`)).toEqual([404, ''])
  expect(await view(' [input]')).toEqual([400, ''])
})

proves('files/view-missing', (subject) => {
  const missing = [
    { filename: 'none.png' },
    { filename: 'example.png', type: 'output' },
    { filename: 'sub/' },
    { filename: 'none.png', type: 'input', subfolder: 'none' },
  ]
  const paths = ['/view', '/view?type=input', ...missing.map(viewPath)]
  return exchanges(subject, toEach(paths, 'GET', 404, '', { 'content-type': undefined }))
})

proves('files/view-bad-name', async (subject) => {
  await putText(subject, 'a.txt', 'secret', { subfolder: 'sub' })
  const names = ['', '/a.txt', '/etc/passwd', '..', '../a.txt', 'sub/../a.txt', 'a..txt']
  const types = ['', 'Output', 'outputs', '../output', 'models']
  const folders = ['..', '../input', 'sub/../..', '/etc', '../../etc']
  const bad = [
    ...names.map((filename) => viewPath({ filename })),
    ...types.map((type) => viewPath({ filename: 'a.txt', type })),
  ]
  const outside = folders.map((subfolder) => viewPath({ filename: 'a.txt', subfolder }))
  const untyped = { 'content-type': undefined }
  const inside = viewPath({ filename: 'a.txt', ...passing, ...placedIn(subject, 'sub') })
  await exchanges(subject, [
    ...toEach(bad, 'GET', 400, '', untyped),
    ...toEach(outside, 'GET', 403, '', untyped),
    ['GET', inside, undefined, 200, 'secret', { 'content-type': 'text/plain' }],
  ])
})
