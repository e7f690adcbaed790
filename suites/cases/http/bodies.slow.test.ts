// Bodies of requests: how large, how encoded, in which charset, and what happens to one that never ends.

import { once } from 'node:events'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { errors, limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { together } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import { wireExchanges, type WireRow } from '../../judge/rows.ts'
import type { Subject } from '../../judge/subject.ts'
import { dial, exchangeBytes } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const textWith = (mine: string): string =>
  JSON.stringify({ prompt: talking('grün'), extra_data: { mine } })
/** The body of a submit, and the text in it that marks its run. */
const marked = ({ unique }: Subject) => {
  const mark = unique('grün')
  return { mark, text: textWith(mark) }
}
const ok = { status: 200 }
const failed = {
  status: 500,
  'content-type': 'text/plain; charset=utf-8',
  'content-length': '55',
  body: errors.refusals.internal.body.text,
}

type Body = string | Uint8Array
type Encoded = readonly (readonly [encoding: string, body: Body])[]

/** Submits in these encodings, which a header names; all are answered alike. */
const submits = (ways: Encoded, answer: object, headerOf: (encoding: string) => object) =>
  ways.map(([encoding, body]): WireRow => [
    'POST',
    '/prompt',
    { ...answer },
    { ...headerOf(encoding) },
    body,
  ])
const coded = (coding: string) => ({ 'Content-Encoding': coding })

proves('http/body-compressed', async (subject) => {
  const { mark, text } = marked(subject)
  const packed: Encoded = [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
  ]
  await wireExchanges(subject.url, submits(packed, ok, coded))
  expect(await markedRuns(subject, mark)).toEqual(packed.map(() => ({ mine: mark })))
})

proves('http/body-undecodable', async (subject) => {
  const { mark, text } = marked(subject)
  const broken: Encoded = [
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, 40)],
    ['deflate', Buffer.from('x')],
  ]
  await wireExchanges(subject.url, submits(broken, failed, coded))
  expect(await markedRuns(subject, mark)).toEqual([])
})

proves(
  'http/body-cut',
  together('data', async ({ request, get, unique }) => {
    const path = `/userdata/${encodeURIComponent(unique('cut.txt'))}`
    const text = 'a lighthouse by the sea'
    const packed = gzipSync(text)
    const store = async (bytes: Buffer): Promise<readonly [number, string]> => {
      const { status } = await request('POST', path, bytes, { 'Content-Encoding': 'gzip' })
      return [status, (await get(path)).text]
    }
    const [headOnly, noTrailer] = [packed.subarray(0, 10), packed.subarray(0, -8)]
    expect(await store(noTrailer)).toEqual([200, text])
    expect(await store(headOnly)).toEqual([200, ''])
  }),
)

const blanks = (count: number) => Buffer.alloc(count, ' ')
const tooLarge = (limit: number) => ({
  status: 413,
  'content-type': 'text/plain; charset=utf-8',
  body: errors.refusals.bodyTooLarge.body.text.replace('{limit}', `${limit}`),
})

proves('http/body-limit', async ({ url, get }) => {
  const limit = limits.body.value
  const prompt = Buffer.from(JSON.stringify({ prompt: talking() }))
  const filled = Buffer.concat([prompt, blanks(limit - prompt.length)])
  await wireExchanges(url, [
    ['POST', '/prompt', tooLarge(limit), {}, blanks(limit + 1)],
    ['POST', '/prompt', ok, {}, filled],
  ])
  expect((await get('/features')).json().max_upload_size).toBe(limit)
})

proves(
  ['http/body-limit', 'http/body-compressed'],
  ({ url }) => {
    const limit = 1049
    const taken = { status: 200, body: '' }
    const fits = Buffer.concat([Buffer.from('{}'), blanks(limit - 2)])
    const foreign = { Origin: 'http://evil.example' }
    return wireExchanges(url, [
      ['POST', '/queue', taken, {}, fits],
      ['POST', '/queue', tooLarge(limit), {}, blanks(limit + 1)],
      ['POST', '/queue', tooLarge(limit), {}, blanks(40 * 2 ** 20)],
      ['POST', '/queue', taken, coded('gzip'), gzipSync(fits)],
      ['POST', '/queue', tooLarge(limit), coded('gzip'), gzipSync(blanks(limit + 1))],
      ['POST', '/queue', tooLarge(limit), coded('gzip'), gzipSync(blanks(2 ** 20))],
      ['POST', '/queue', tooLarge(limit), coded('deflate'), deflateSync(blanks(2 ** 20))],
      // An endpoint that takes no body does not look at it.
      ['POST', '/nowhere', { status: 405 }, {}, blanks(limit + 1)],
      ['GET', '/queue', ok, {}, blanks(limit + 1)],
      ['POST', '/queue', { status: 403 }, foreign, blanks(limit + 1)],
    ])
  },
  { maxUploadSize: 0.001 },
)

proves('http/long-body', async ({ url, deployment }) => {
  const isHosted = deployment === 'hosted'
  const line = `POST ${isHosted ? '/api' : ''}/prompt HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`
  // Neither the body of a length arrives, nor the end of one without, and neither has to.
  const length = `Content-Length: ${120 * 2 ** 20}\r\n\r\n`
  const piece = `1000000\r\n${' '.repeat(2 ** 24)}\r\n`
  const pieces = Array.from({ length: isHosted ? 2 : 8 }, () => piece)
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
  for (const sent of [[line + length], [line + chunked, ...pieces]]) {
    const { status, header } = await exchangeBytes(url, ...sent)
    const expected = { status: isHosted ? 401 : 413, connection: 'close' }
    expect({ status, connection: header('connection') }).toEqual(expected)
  }
})

for (const [maxUploadSize, written] of [
  [null, `${limits.body.value}`],
  [100, '104857600.0'],
  [1, '1048576.0'],
  [0.001, '1048.576'],
] as const) {
  proves(
    'http/body-limit-feature',
    async ({ get, connect }) => {
      const features = `{"supports_preview_metadata": true, "max_upload_size": ${written}}`
      expect((await get('/features')).text).toBe(features)
      const session = await connect('me')
      session.send('{"type": "feature_flags"}')
      await session.next(({ type }) => type === 'feature_flags')
      expect(session.texts.at(-1)).toBe(`{"type": "feature_flags", "data": ${features}}`)
    },
    { maxUploadSize },
  )
}

proves('http/body-charset', async (subject) => {
  const { mark, text } = marked(subject)
  const typed = (charset: string) => ({ 'Content-Type': `text/plain; charset=${charset}` })
  const ascii = Buffer.from(text.replaceAll('ü', '\\u00fc'))
  const readable: Encoded = [
    ['utf-8', Buffer.from(text)],
    ['"UTF8"', Buffer.from(text)],
    ['latin-1', Buffer.from(text, 'latin1')],
    ['ISO-8859-1; x=y', Buffer.from(text, 'latin1')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['us-ascii', ascii],
    ['', Buffer.from(text)],
  ]
  const unreadable: Encoded = [
    ['nonsense', ascii],
    ['utf-8', Buffer.from(text, 'latin1')],
    ['ascii', Buffer.from(text)],
    ['utf-16le', Buffer.from(text)],
    ['utf-8', Buffer.from(`\uFEFF${text}`)],
  ]
  await wireExchanges(subject.url, [
    ...submits(readable, ok, typed),
    ...submits(unreadable, failed, typed),
    ['POST', '/interrupt', { status: 500 }, typed('nonsense'), '{}'],
  ])
  expect(await markedRuns(subject, mark)).toEqual(readable.map(() => ({ mine: mark })))
})

const head = 'POST /prompt HTTP/1.1\r\nHost: here\r\nConnection: close\r\n'

proves('http/body-transfer', async (subject) => {
  const { url } = subject
  const { mark, text } = marked(subject)
  const chunks = Array.from(text, (char) => {
    const bytes = Buffer.from(char)
    return `${bytes.length.toString(16)}\r\n${char}\r\n`
  })
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`
  expect((await exchangeBytes(url, chunked)).status).toBe(200)
  const socket = dial(url)
  const length = `Content-Length: ${Buffer.byteLength(text)}`
  socket.write(`${head}${length}\r\nExpect: 100-continue\r\n\r\n`)
  const [go] = await once(socket, 'data')
  expect(`${go}`).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(text)
  const [answer] = await once(socket, 'data')
  expect(`${answer}`).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
  expect(await markedRuns(subject, mark)).toEqual([{ mine: mark }, { mine: mark }])
})

proves('http/body-broken-off', async ({ url, emulator, get }) => {
  const text = textWith('grün')
  const length = `Content-Length: ${Buffer.byteLength(text) + 1}`
  for (const header of [
    length,
    `${length}\r\nContent-Encoding: gzip`,
    'Transfer-Encoding: chunked',
  ]) {
    const socket = dial(url)
    socket.write(`${head}${header}\r\n\r\n${text.slice(0, 20)}`)
    await once(socket, 'connect')
    socket.end()
    socket.resume()
    await once(socket, 'close')
  }
  expect((await get('/prompt')).json().exec_info.queue_remaining).toBe(0)
  const inputs = (await emulator?.journal())?.filter((line) => line.includes('"kind":"request"'))
  expect(inputs).toHaveLength(1)
})
