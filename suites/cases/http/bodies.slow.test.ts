// Bodies of requests: how large, how encoded, in which charset, and what happens to one that never ends.

import { once } from 'node:events'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { errors, limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { together } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'
import { dial, exchange, exchangeBytes, summaryOf } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const textWith = (mine: string): string =>
  JSON.stringify({ prompt: talking('grün'), extra_data: { mine } })
/** The body of a submit, and the text in it that marks its run. */
const marked = ({ unique }: Subject) => {
  const mark = unique('grün')
  return { mark, text: textWith(mark) }
}
const failed = {
  status: 500,
  type: 'text/plain; charset=utf-8',
  length: '55',
  body: errors.refusals.internal.body.text,
}

proves('http/body-compressed', async (subject) => {
  const { url } = subject
  const { mark, text } = marked(subject)
  const packed: [coding: string, bytes: Uint8Array][] = [
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['identity', Buffer.from(text)],
  ]
  for (const [coding, bytes] of packed) {
    const headers = { 'Content-Encoding': coding }
    expect({
      coding,
      status: (await exchange(url, 'POST', '/prompt', headers, bytes)).status,
    }).toEqual({ coding, status: 200 })
  }
  expect(await markedRuns(subject, mark)).toEqual(packed.map(() => ({ mine: mark })))
})

proves('http/body-undecodable', async (subject) => {
  const { url } = subject
  const { mark, text } = marked(subject)
  const broken: [coding: string, bytes: Uint8Array][] = [
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, 40)],
    ['deflate', Buffer.from('x')],
  ]
  for (const [coding, bytes] of broken) {
    const headers = { 'Content-Encoding': coding }
    expect(summaryOf(await exchange(url, 'POST', '/prompt', headers, bytes))).toEqual(failed)
  }
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

const limit = 1049
const limited = { maxUploadSize: 0.001 }
const limitText = errors.refusals.bodyTooLarge.body.text.replace('{limit}', `${limit}`)

proves(
  ['http/body-limit', 'http/body-compressed'],
  async ({ url }) => {
    const blanks = (count: number) => Buffer.alloc(count, ' ')
    const send = async (bytes: Uint8Array, headers = {}, path = '/queue') => {
      const { status, body } = await exchange(url, 'POST', path, headers, bytes)
      return [status, body]
    }
    const fits = Buffer.concat([Buffer.from('{}'), blanks(limit - 2)])
    expect(await send(fits)).toEqual([200, ''])
    const tooLarge = [413, limitText]
    expect(await send(blanks(limit + 1))).toEqual(tooLarge)
    expect(await send(blanks(40 * 2 ** 20))).toEqual(tooLarge)
    const gzip = { 'Content-Encoding': 'gzip' }
    expect(await send(gzipSync(fits), gzip)).toEqual([200, ''])
    expect(await send(gzipSync(blanks(limit + 1)), gzip)).toEqual(tooLarge)
    expect(await send(gzipSync(blanks(2 ** 20)), gzip)).toEqual(tooLarge)
    expect(await send(deflateSync(blanks(2 ** 20)), { 'Content-Encoding': 'deflate' })).toEqual(
      tooLarge,
    )
    // An endpoint that takes no body does not look at it.
    expect((await send(blanks(limit + 1), {}, '/nowhere'))[0]).toBe(405)
    expect((await exchange(url, 'GET', '/queue', {}, blanks(limit + 1))).status).toBe(200)
    const foreign = { Origin: 'http://evil.example' }
    expect((await send(blanks(limit + 1), foreign))[0]).toBe(403)
  },
  limited,
)

/** The head of a submit without its last line, and the status that is due for a body that is too long. */
const longSubmit = ({ url, deployment }: Subject): [head: string, refused: number] =>
  deployment === 'hosted'
    ? [`POST /api/prompt HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`, 401]
    : [`POST /prompt HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`, 413]

proves('http/long-body', async (subject) => {
  const [head, refused] = longSubmit(subject)
  // The body never arrives, and does not have to.
  const length = `Content-Length: ${120 * 2 ** 20}\r\n\r\n`
  const { status, header } = await exchangeBytes(subject.url, head + length)
  expect({ status, connection: header('connection') }).toEqual({
    status: refused,
    connection: 'close',
  })
})

proves('http/long-body', async (subject) => {
  const [head, refused] = longSubmit(subject)
  // Nor does the end of a body without a length.
  const piece = `1000000\r\n${' '.repeat(2 ** 24)}\r\n`
  const pieces = Array.from({ length: subject.deployment === 'hosted' ? 2 : 8 }, () => piece)
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
  const { status, header } = await exchangeBytes(subject.url, head + chunked, ...pieces)
  expect({ status, connection: header('connection') }).toEqual({
    status: refused,
    connection: 'close',
  })
})

for (const [maxUploadSize, summaryOf] of [
  [null, `${limits.body.value}`],
  [100, '104857600.0'],
  [1, '1048576.0'],
  [0.001, '1048.576'],
] as const) {
  proves(
    'http/body-limit-feature',
    async ({ get, connect }) => {
      const features = `{"supports_preview_metadata": true, "max_upload_size": ${summaryOf}}`
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
  const { url } = subject
  const { mark, text } = marked(subject)
  const send = (charset: string, bytes: Uint8Array, path = '/prompt') =>
    exchange(url, 'POST', path, { 'Content-Type': `text/plain; charset=${charset}` }, bytes)
  const ascii = Buffer.from(text.replaceAll('ü', '\\u00fc'))
  const readable: [charset: string, bytes: Uint8Array][] = [
    ['utf-8', Buffer.from(text)],
    ['"UTF8"', Buffer.from(text)],
    ['latin-1', Buffer.from(text, 'latin1')],
    ['ISO-8859-1; x=y', Buffer.from(text, 'latin1')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['us-ascii', ascii],
    ['', Buffer.from(text)],
  ]
  for (const [charset, bytes] of readable)
    expect({ charset, status: (await send(charset, bytes)).status }).toEqual({
      charset,
      status: 200,
    })
  expect(await markedRuns(subject, mark)).toEqual(readable.map(() => ({ mine: mark })))
  const unreadable: [charset: string, bytes: Uint8Array][] = [
    ['nonsense', ascii],
    ['utf-8', Buffer.from(text, 'latin1')],
    ['ascii', Buffer.from(text)],
    ['utf-16le', Buffer.from(text)],
    ['utf-8', Buffer.from(`\uFEFF${text}`)],
  ]
  for (const [charset, bytes] of unreadable)
    expect([charset, summaryOf(await send(charset, bytes))]).toEqual([charset, failed])
  expect((await send('nonsense', Buffer.from('{}'), '/interrupt')).status).toBe(500)
  expect(await markedRuns(subject, mark)).toHaveLength(readable.length)
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

proves('http/member-in-text', async ({ post }) => {
  const statuses = async (path: string, bodies: readonly unknown[]) => {
    const summaryOf: number[] = []
    for (const body of bodies) summaryOf.push((await post(path, body)).status)
    return summaryOf
  }
  const [trips, passes] = [
    ['prompt', 'my prompt', ['prompt'], 'number', ['front']],
    ['', 'promp', ['my prompt'], [['prompt']]],
  ]
  expect(await statuses('/prompt', trips)).toEqual(trips.map(() => 500))
  expect(await statuses('/prompt', passes)).toEqual(passes.map(() => 400))
  const nodes = ['class_type', 'my class_type', ['class_type']]
  const graphs = nodes.map((one) => ({ prompt: { '1': one } }))
  expect(await statuses('/prompt', graphs)).toEqual([500, 500, 500])
  expect(await statuses('/prompt', [{ prompt: { '1': 'class' } }])).toEqual([400])
  for (const path of ['/queue', '/history']) {
    const changes = ['clear', 'delete', ['delete'], ['x', 'clear'], 'undeleted']
    expect(await statuses(path, changes)).toEqual(changes.map(() => 500))
    expect(await statuses(path, ['', [], ['cleared'], 'cle'])).toEqual([200, 200, 200, 200])
  }
})
