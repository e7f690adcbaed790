// Files: viewing them, and how they are named there.

import { decode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { proves } from '../../judge/proves.ts'
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
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Puts a file whose content is `text` under this name. */
const putText = (subject: Subject, name: string, text: string, fields = {}) =>
  put(subject, { name, bytes: bytesOf(text) }, { overwrite: 'true', ...fields })

proves('files/view', async (subject) => {
  const { get } = subject
  const { folder } = await orangeIn(subject)
  const entry = { filename: 'orange_00001_.png', subfolder: 'deep/er', type: 'output' }
  /** A view of a file below the folder of the picture. */
  const view = ({ subfolder = '', ...values }: Partial<typeof entry>) =>
    get(viewPath({ ...values, subfolder: below(folder, subfolder) }))
  const reply = await view(entry)
  expect({ status: reply.status, contentLength: reply.headers['content-length'] }).toEqual({
    status: 200,
    contentLength: `${reply.bytes.length}`,
  })
  const { width, height, data, channels } = decode(reply.bytes)
  expect({ width, height }).toEqual({ width: 64, height: 64 })
  expect(Array.from(data.slice(0, 3))).toEqual([0xff, 0x80, 0])
  expect(Array.from(data.slice(-channels, channels === 3 ? undefined : -1))).toEqual([
    0xff, 0x80, 0,
  ])
  expect((await view({ filename: entry.filename, subfolder: 'deep/er' })).status).toBe(200)
  expect((await view({ ...entry, subfolder: 'deep/../deep/./er/' })).bytes).toEqual(reply.bytes)
  for (const [other, status] of [
    [{ subfolder: 'x/../deep/er' }, 404],
    [{ filename: 'any/orange_00001_.png' }, 200],
    [{ subfolder: 'deep' }, 404],
    [{ type: 'input' }, 404],
  ] as const)
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

const unknownType = 'application/octet-stream'

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
    'a.latent': 'application/octet-stream',
    'a.html': 'application/octet-stream',
    'a.css': 'application/octet-stream',
    none: 'application/octet-stream',
  }
  for (const [name, type] of Object.entries(types)) {
    await putText(subject, name, name, passing)
    const { headers, text } = await subject.get(viewOf(subject, { filename: name, ...passing }))
    const disposition = `filename="${name}"`
    const found = headers['content-type']
    expect([text, headers['content-disposition']]).toEqual([name, disposition])
    // Some types come from the list of the machine, which may lack them.
    if (found === unknownType && !subject.isOwn && /\.(flac|glb)$/.test(name)) continue
    expect([name, found]).toEqual([name, type])
  }
  await putText(subject, 'příliš žluťoučký.png', '', passing)
  const { headers } = await subject.get(
    viewOf(subject, { filename: 'příliš žluťoučký.png', ...passing }),
  )
  const raw = Buffer.from(headers['content-disposition'] ?? '', 'latin1').toString()
  expect(raw).toBe('filename="příliš žluťoučký.png"')
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

proves('files/view-missing', async (subject) => {
  const { get } = subject
  const paths = ['/view', '/view?type=input', viewPath({ filename: 'none.png' })]
  paths.push(viewPath({ filename: 'example.png', type: 'output' }), viewPath({ filename: 'sub/' }))
  paths.push(viewPath({ filename: 'none.png', type: 'input', subfolder: 'none' }))
  for (const path of paths) {
    const { status, text, headers } = await get(path)
    expect({ path, status, text, contentType: headers['content-type'] }).toEqual({
      path,
      status: 404,
      text: '',
      contentType: undefined,
    })
  }
})

proves('files/view-bad-name', async (subject) => {
  await putText(subject, 'a.txt', 'secret', { ...passing, subfolder: 'sub' })
  const view = async (values: Readonly<Record<string, string>>) => {
    const { status, text, headers } = await subject.get(viewPath(values))
    return [status, text, headers['content-type']]
  }
  for (const filename of [
    '',
    '/a.txt',
    '/etc/passwd',
    '..',
    '../a.txt',
    'sub/../a.txt',
    'a..txt',
  ]) {
    expect([filename, ...(await view({ filename }))]).toEqual([filename, 400, '', undefined])
  }
  for (const type of ['', 'Output', 'outputs', '../output', 'models']) {
    expect([type, ...(await view({ filename: 'a.txt', type }))]).toEqual([type, 400, '', undefined])
  }
  for (const subfolder of ['..', '../input', 'sub/../..', '/etc', '../../etc']) {
    const actual = await view({ filename: 'a.txt', subfolder })
    expect([subfolder, ...actual]).toEqual([subfolder, 403, '', undefined])
  }
  const inside = { filename: 'a.txt', ...passing, ...placedIn(subject, 'sub') }
  expect(await view(inside)).toEqual([200, 'secret', 'text/plain'])
})
