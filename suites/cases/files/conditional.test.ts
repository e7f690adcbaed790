// Files: conditional requests and range requests.

import { at } from '../../generate/userdata-paths.ts'
import { viewPath } from '../../generate/form.ts'
import { proves } from '../../judge/proves.ts'
import { passing, put, viewOf, write } from '../../judge/own-files.ts'
import { shown } from '../../judge/own-runs.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

type Headers = Readonly<Record<string, string>>
const pathOf = (subject: Subject) => viewOf(subject, { filename: 'f.txt', ...passing })

/** Puts a file of ten bytes, and returns a function that requests it. */
async function asking(subject: Subject) {
  const bytes = new TextEncoder().encode('0123456789')
  await put(subject, { name: 'f.txt', bytes }, { overwrite: 'true', ...passing })
  return async (headers: Headers, method = 'GET') =>
    subject.request(method, pathOf(subject), undefined, headers)
}

proves('files/view-conditional', async (subject) => {
  const { connect, get, run, unique } = subject
  const { entry } = await run(await connect(unique('me')), shown(subject, 'p'))
  await asking(subject)
  const picture = viewPath(entry.outputs['2'].images[0])
  await write(subject, 'mine.json')
  const files = [pathOf(subject), picture, at(unique('mine.json'))]
  // A server elsewhere need not have the examples.
  if (subject.isOwn) files.push('/view?filename=example.wav&type=input')
  for (const file of files) {
    const { bytes, headers } = await get(file)
    const size = bytes.length.toString(16)
    expect(headers['etag']).toMatch(new RegExp(`^"[0-9a-f]{12,}-${size}"$`))
    expect(headers['accept-ranges']).toBe('bytes')
    const modified = headers['last-modified'] ?? ''
    expect(new Date(modified).toUTCString()).toBe(modified)
    const secondsAgo = (Date.parse(headers['date'] ?? '') - Date.parse(modified)) / 1000
    expect(secondsAgo).toBeGreaterThanOrEqual(-1)
    expect(secondsAgo).toBeLessThan(3600)
    expect((await get(file)).headers['etag']).toBe(headers['etag'])
  }
})

proves('files/view-conditional', async (subject) => {
  // Not at a whole second, which is the resolution of an HTTP date.
  if (subject.isOwn) await subject.emulator?.advance(300)
  const ask = await asking(subject)
  const { headers } = await ask({})
  const etag = headers['etag']!
  const modified = headers['last-modified']!
  const before = new Date(Date.parse(modified) - 1000).toUTCString()
  const answers: [Headers, status: number][] = [
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-None-Match': `W/${etag}` }, 304],
    [{ 'If-None-Match': `"other", ${etag}` }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"other"' }, 200],
    [{ 'If-None-Match': etag.replaceAll('"', '') }, 200],
    [{ 'If-Modified-Since': modified }, 304],
    [{ 'If-Modified-Since': before }, 200],
    [{ 'If-Modified-Since': 'never' }, 200],
    [{ 'If-None-Match': '"other"', 'If-Modified-Since': modified }, 200],
    [{ 'If-Match': etag }, 200],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': `"other",${etag}` }, 200],
    [{ 'If-Match': '"other"' }, 412],
    [{ 'If-Match': `W/${etag}` }, 412],
    [{ 'If-Match': '"other"', 'If-None-Match': etag }, 412],
    [{ 'If-Unmodified-Since': modified }, 200],
    [{ 'If-Unmodified-Since': before }, 412],
    [{ 'If-Match': etag, 'If-Unmodified-Since': before }, 200],
  ]
  for (const [asked, status] of answers) {
    const { status: found, text, headers: of } = await ask(asked)
    expect({ asked, status: found, text }).toEqual({
      asked,
      status,
      text: status === 200 ? '0123456789' : '',
    })
    if (status !== 412) expect(of['etag']).toBe(etag)
  }
  const notModified = await ask({ 'If-None-Match': etag })
  expect(notModified.headers['last-modified']).toBe(modified)
  expect(notModified.headers['content-length']).toBeUndefined()
  const bytes = new TextEncoder().encode('abcdefghij')
  await put(subject, { name: 'f.txt', bytes }, { overwrite: 'true', ...passing })
  const changed = await ask({ 'If-None-Match': etag })
  expect(changed).toMatchObject({ status: 200, text: 'abcdefghij' })
  expect(changed.headers['etag']).not.toBe(etag)
})

proves('files/view-range', async (subject) => {
  const ask = await asking(subject)
  const parts: [range: string, content: string, returned: string][] = [
    ['bytes=0-0', '0', '0-0'],
    ['bytes=2-4', '234', '2-4'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-99', '0123456789', '0-9'],
    ['bytes=-0', '0123456789', '0-9'],
    ['bytes=8-99', '89', '8-9'],
    ['bytes=0-', '0123456789', '0-9'],
    ['BYTES=0-3', '0123', '0-3'],
  ]
  const { headers: whole } = await ask({})
  const kept = ['etag', 'last-modified', 'content-type', 'content-disposition'] as const
  for (const [range, content, returned] of parts) {
    const { status, text, headers } = await ask({ Range: range })
    expect({ range, status, text }).toEqual({ range, status: 206, text: content })
    expect(headers['content-range']).toBe(`bytes ${returned}/10`)
    expect(headers['content-length']).toBe(`${content.length}`)
    expect(kept.map((name) => headers[name])).toEqual(kept.map((name) => whole[name]))
  }
  for (const Range of ['bytes=10-', 'bytes=4-2', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'x']) {
    const { status, text, headers } = await ask({ Range })
    const refused = { status: 416, text: '', range: 'bytes */10' }
    expect({ Range, status, text, range: headers['content-range'] }).toEqual({ Range, ...refused })
  }
  const head = await ask({ Range: 'bytes=2-4' }, 'HEAD')
  expect(head).toMatchObject({ status: 206, text: '', headers: { 'content-length': '3' } })
  const modified = whole['last-modified']!
  const before = new Date(Date.parse(modified) - 1000).toUTCString()
  const status = async (asked: Headers) => (await ask({ Range: 'bytes=2-4', ...asked })).status
  expect(await status({ 'If-Range': modified })).toBe(206)
  expect(await status({ 'If-Range': before })).toBe(200)
  expect(await status({ 'If-None-Match': whole['etag']! })).toBe(304)
  expect(await status({ 'If-Match': '"other"' })).toBe(412)
})

proves('files/range-refused', async (subject) => {
  const ask = await asking(subject)
  const { status, text, headers } = await ask({ Range: 'bytes=99-' })
  expect({ status, text }).toEqual({ status: 416, text: '' })
  expect(headers['transfer-encoding']).toBe('chunked')
  expect(headers['content-length']).toBeUndefined()
})
