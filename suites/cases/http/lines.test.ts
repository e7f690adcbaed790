// HTTP around requests: lines that are too long, input that is not HTTP, kept connections, other upgrades, the page for
// a failure, and caching headers.

import { once } from 'node:events'
import { errors, limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import { dial, exchange, exchangeBytes, openTalk, serverLine } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const longest = limits.line.value
const refused = [400, errors.refusals.badRequestText.body.text]

/** Requests the queue with a request line of this length, or with a header line of this length. */
async function requestLine(url: string, length: number, name = ''): Promise<unknown[]> {
  const filled = '/queue'.padEnd(name === '' ? length - 'GET  HTTP/1.1'.length : 0, '?x')
  const headers = name === '' ? {} : { [name]: 'x'.repeat(length - `${name}: `.length) }
  const { status, body } = await exchange(url, 'GET', filled, headers)
  return [status, body]
}

proves('http/long-lines', async ({ url }) => {
  const get = (length: number, name?: string) => requestLine(url, length, name)
  expect((await get(longest))[0]).toBe(200)
  expect(await get(longest + 1)).toEqual(refused)
  for (const name of ['X-Long', 'Accept', 'Cookie']) {
    expect((await get(longest, name))[0]).toBe(200)
    expect(await get(longest + 1, name)).toEqual(refused)
  }
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`X-${at}`, 'x'.repeat(8000)]),
  )
  expect((await exchange(url, 'GET', '/queue', many)).status).toBe(200)
  const socket = { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Long': 'x'.repeat(9000) }
  const { status, body } = await exchange(url, 'GET', '/ws', socket)
  expect([status, body]).toEqual(refused)
})

// A line that no server would wait for to end. Elsewhere the reset of the connection can overtake the answer.
proves(
  'http/long-lines',
  async ({ url }) => {
    expect(await requestLine(url, 600_000, 'X-Long')).toEqual(refused)
  },
  ownWorld,
)

proves('http/transfer-encoding', async ({ url }) => {
  for (const coding of ['gzip', 'identity', 'chunked, gzip']) {
    for (const method of ['GET', 'POST']) {
      const lines = `${method} /queue HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: ${coding}\r\n\r\n`
      const { status } = await exchangeBytes(url, lines)
      expect({ coding, method, status }).toEqual({ coding, method, status: 400 })
    }
  }
})

proves('http/no-http', async ({ url, get }) => {
  const nonsense = [
    'FOO /queue HTTP/1.1\r\nHost: here\r\n\r\n',
    'get /queue HTTP/1.1\r\nHost: here\r\n\r\n',
    'GET /queue HTTP/1.1\r\nNo colon\r\n\r\n',
    'POST /queue HTTP/1.1\r\nHost: here\r\nContent-Length: many\r\n\r\n{}',
    'POST /queue HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n{}\r\n0\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'nonsense\r\n\r\n',
  ]
  for (const sent of nonsense) {
    const { status, body, header } = await exchangeBytes(url, Buffer.from(sent, 'latin1'))
    expect([sent, status, body]).toEqual([sent, ...refused])
    expect(header('content-type')).toBe('text/plain; charset=utf-8')
    expect(header('connection')).toBe('close')
  }
  const tunnel = await exchange(url, 'CONNECT', 'example.com:80')
  expect({ status: tunnel.status, allow: tunnel.header('allow') }).toEqual({
    status: 405,
    allow: 'GET,HEAD',
  })
  expect((await get('/prompt')).status).toBe(200)
})

proves('http/expectation', async (subject) => {
  const { url } = subject
  const mark = subject.unique('mine')
  const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
  for (const [method, path] of [
    ['POST', '/prompt'],
    ['GET', '/queue'],
    ['GET', '/nowhere'],
  ] as const) {
    const reply = await exchange(url, method, path, { Expect: 'nonsense' }, body)
    expect({ path, status: reply.status, body: reply.body }).toEqual({
      path,
      status: 417,
      body: 'Unknown Expect: nonsense',
    })
  }
  expect(await markedRuns(subject, mark)).toEqual([])
  const usual = await exchange(url, 'POST', '/queue', { Expect: '100-Continue' }, '{}')
  expect([usual.before, usual.status]).toEqual([[100], 200])
})

proves(
  'http/reasons',
  async ({ url, upload }) => {
    const long = await exchange(url, 'POST', '/prompt', {}, ' '.repeat(20_000))
    expect(long).toMatchObject({ status: 413, reason: 'Request Entity Too Large' })
    await upload({ name: 'a.txt', bytes: Buffer.from('abc') })
    const path = '/view?filename=a.txt&type=input'
    const beyond = await exchange(url, 'GET', path, { Range: 'bytes=9-' })
    expect(beyond).toMatchObject({ status: 416, reason: 'Requested Range Not Satisfiable' })
  },
  { maxUploadSize: 0.01 },
)

proves('http/fragment', async ({ url }) => {
  for (const path of ['/queue#f', '/queue#?x', '/object_info/KSampler?a#/b', '/api/queue#']) {
    expect({ path, status: (await exchange(url, 'GET', path)).status }).toEqual({
      path,
      status: 200,
    })
  }
})

proves('http/asterisk', async ({ url }) => {
  expect((await exchange(url, 'OPTIONS', '*')).status).toBe(200)
  for (const method of ['GET', 'POST']) {
    const { status, body } = await exchange(url, method, '*')
    expect({ method, status, body }).toEqual({
      method,
      status: 404,
      body: errors.refusals.notFoundText.body.text,
    })
  }
})

proves('http/failure-page', async ({ url }) => {
  const page =
    '<html><head><title>500 Internal Server Error</title></head><body>\n' +
    '<h1>500 Internal Server Error</h1>\nServer got itself in trouble\n</body></html>\n'
  const fail = async (Accept: string) => {
    const { header, body, status } = await exchange(url, 'POST', '/prompt', { Accept }, '{')
    return [status, header('content-type'), header('content-length'), header('connection'), body]
  }
  const html = [500, 'text/html; charset=utf-8', '145', 'close', page]
  expect(await fail('text/html')).toEqual(html)
  expect(await fail('application/json, text/html;q=0.1')).toEqual(html)
  const plain = errors.refusals.internal.body.text
  for (const accept of ['*/*', 'text/plain', '']) {
    expect(await fail(accept)).toEqual([500, 'text/plain; charset=utf-8', '55', 'close', plain])
  }
  const other = await exchange(url, 'DELETE', '/queue', { Accept: 'text/html' })
  expect({ status: other.status, body: other.body }).toEqual({
    status: 405,
    body: errors.refusals.methodNotAllowed.body.text,
  })
})

proves('http/cache-control', async ({ url }) => {
  const day = 'public, max-age=86400'
  const kept: [path: string, cacheControl: string | undefined][] = [
    ['/history/x.png', day],
    ['/object_info/x.JPEG?v=1', day],
    ['/object_info/x%2eTiff', day],
    ['/nowhere.webp', day],
    ['/models/none.png', 'public, max-age=3600'],
    ['/nowhere.js', 'no-cache'],
    ['/history/style.css', 'no-cache'],
    ['/history/index.json', 'no-cache'],
    ['/history/index-4.json', 'no-cache'],
    ['/', 'no-cache'],
    ['/history/other.json', undefined],
    ['/history/x.gif', undefined],
    ['/history/png', undefined],
    ['/queue', undefined],
    ['/view?filename=example.png&type=input', undefined],
    ['/queue?x.png', undefined],
    ['/../x.png', undefined],
  ]
  for (const [path, cacheControl] of kept) {
    const { header } = await exchange(url, 'GET', path)
    expect({ path, cacheControl: header('cache-control') }).toEqual({ path, cacheControl })
  }
  const home = await exchange(url, 'GET', '/api/')
  expect({ pragma: home.header('pragma'), expires: home.header('expires') }).toEqual({
    pragma: 'no-cache',
    expires: '0',
  })
})

proves('http/connection', async ({ url, isOwn }) => {
  const socket = dial(url)
  const ask = async (head: string, body = '') => {
    socket.write(`${head}\r\nHost: here\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    const [reply] = await once(socket, 'data')
    const [start = '', ...lines] = `${reply}`.split('\r\n\r\n')[0]!.split('\r\n')
    const connection = lines.filter((line) => /^connection/i.test(line))
    return [start.slice(0, 12), connection, serverLine(lines.at(-1), isOwn)]
  }
  const server = 'Server: flowdouble'
  for (const path of ['/queue', '/nowhere', '/models/x', '/../x', '/']) {
    const [status, connection, last] = await ask(`GET ${path} HTTP/1.1`)
    expect({ path, status, connection, last }).toEqual({
      path,
      status,
      connection: [],
      last: server,
    })
  }
  expect(await ask('DELETE /queue HTTP/1.1')).toEqual(['HTTP/1.1 405', [], server])
  expect(await ask('POST /queue HTTP/1.1', '{}')).toEqual(['HTTP/1.1 200', [], server])
  expect(await ask('GET /queue HTTP/1.0\r\nConnection: keep-alive')).toEqual([
    'HTTP/1.1 200',
    ['Connection: keep-alive'],
    'Connection: keep-alive',
  ])
  const closed = ['Connection: close']
  expect(await ask('POST /queue HTTP/1.1', '{')).toEqual(['HTTP/1.1 500', closed, closed[0]])
  await once(socket, 'close')
  const asked = await exchange(url, 'GET', '/queue', { Connection: 'close' })
  expect(asked.lines.at(-1)).toBe('Connection: close')
  const old = await exchangeBytes(url, 'GET /nowhere HTTP/1.0\r\n\r\n')
  expect([old.status, old.lines.at(-1), old.body]).toEqual([404, 'Connection: close', ''])
})

proves('http/other-upgrades', async (subject) => {
  const { url } = subject
  const mark = subject.unique('mine')
  const h2c = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAMAAABk',
  }
  const lines = (headers: Readonly<Record<string, string>>): string =>
    Object.entries({ Host: 'here', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
  // The connection stays open for another request.
  const after = `GET /nowhere HTTP/1.1\r\n${lines({})}\r\n`
  const { ask, end } = openTalk(url)
  const queue = await ask(`GET /queue HTTP/1.1\r\n${lines(h2c)}\r\n`)
  expect([queue.status, queue.body.slice(0, 16)]).toEqual([200, '{"queue_running"'])
  expect((await ask(after)).status).toBe(404)
  const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
  const length = { 'Content-Length': `${body.length}` }
  const head = `POST /prompt HTTP/1.1\r\n${lines({ ...h2c, ...length })}\r\n`
  expect((await ask(head + body)).status).toBe(200)
  expect(await markedRuns(subject, mark)).toEqual([{ mine: mark }])
  expect((await ask(after)).status).toBe(404)
  end()
  // A handshake to another path, in several writes.
  const socket = { Connection: 'Upgrade', Upgrade: 'websocket' }
  const pieces = ['GET /nowhere HTTP/1.1\r\n', lines(socket), '\r\n', after]
  expect((await exchangeBytes(url, ...pieces)).status).toBe(404)
  const { status, body: said } = await exchange(url, 'GET', '/ws', h2c)
  const text = errors.refusals.socketWithoutUpgrade.body.text
  expect({ status, said }).toEqual({ status: 400, said: text.replace('{upgrade}', 'h2c') })
})
