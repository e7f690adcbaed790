// HTTP around requests: lines that are too long, input that is not HTTP, kept connections, other upgrades, and the page for
// a failure.

import { once } from 'node:events'
import { errors, limits } from '../../../spec/index.ts'
import { talking } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { codeOf, replyIn } from '../../judge/hosted/refusals.ts'
import { proves } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import { wireExchanges, type WireRow } from '../../judge/rows.ts'
import { dial, exchange, exchangeBytes, openTalk, serverLine } from '../../judge/wire.ts'

const textType = 'text/plain; charset=utf-8'
const ok = { status: 200 }
const refused = { status: 400, body: errors.refusals.badRequestText.body.text }

proves('http/long-lines', async ({ url, isOwn }) => {
  const longest = limits.line.value
  const path = (length: number): string => '/queue'.padEnd(length - 'GET  HTTP/1.1'.length, '?x')
  const line = (name: string, length: number) => ({
    [name]: 'x'.repeat(length - `${name}: `.length),
  })
  const many = Array.from({ length: 20 }, (_, at) => [`X-${at}`, 'x'.repeat(8000)])
  const socket = { Connection: 'Upgrade', Upgrade: 'websocket', 'X-Long': 'x'.repeat(9000) }
  await wireExchanges(url, [
    ['GET', path(longest), ok],
    ['GET', path(longest + 1), refused],
    ...['X-Long', 'Accept', 'Cookie'].flatMap((name): WireRow[] => [
      ['GET', '/queue', ok, line(name, longest)],
      ['GET', '/queue', refused, line(name, longest + 1)],
    ]),
    ['GET', '/queue', ok, Object.fromEntries(many)],
    ['GET', '/ws', refused, socket],
  ])
  // A line that no server would wait for to end. Elsewhere the reset of the connection can overtake the answer.
  if (isOwn) await wireExchanges(url, [['GET', '/queue', refused, line('X-Long', 600_000)]])
})

proves('http/transfer-encoding', async ({ url }) => {
  for (const coding of ['gzip', 'identity', 'chunked, gzip']) {
    for (const method of ['GET', 'POST']) {
      const lines = `${method} /queue HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: ${coding}\r\n\r\n`
      const { status } = await exchangeBytes(url, lines)
      expect({ coding, method, status }).toEqual({ coding, method, status: 400 })
    }
  }
})

proves('http/no-http', async ({ url }) => {
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
    const [type, connection] = [header('content-type'), header('connection')]
    const expected = { ...refused, type: textType, connection: 'close' }
    expect({ sent, status, body, type, connection }).toEqual({ sent, ...expected })
  }
  await wireExchanges(url, [
    ['CONNECT', 'example.com:80', { status: 405, allow: 'GET,HEAD' }],
    ['GET', '/prompt', ok],
  ])
})

proves('http/hosted-no-http', async ({ url }) => {
  const head = `GET /api/user HTTP/1.1\r\nHost: x\r\nX-API-Key: test-key\r\n`
  const broken = [
    'NONSENSE /api/user HTTP/1.1\r\nHost: x\r\n\r\n',
    'no HTTP at all\r\n\r\n',
    `${head}X-Long: ${'x'.repeat(9000)}\r\n\r\n`,
    `GET /api/user?${'x'.repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `${head}no colon\r\n\r\n`,
  ]
  for (const bytes of broken) {
    const sent = bytes.slice(0, 30)
    const code = codeOf(replyIn(await exchangeBytes(url, bytes)), 400)
    expect({ sent, code }).toEqual({ sent, code: 'BAD_REQUEST' })
  }
})

proves('http/expectation', async (subject) => {
  const { url } = subject
  const mark = subject.unique('mine')
  const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
  const answer = { status: 417, body: 'Unknown Expect: nonsense' }
  const ways = [
    ['POST', '/prompt'],
    ['GET', '/queue'],
    ['GET', '/nowhere'],
  ] as const
  await wireExchanges(
    url,
    ways.map(([method, path]) => [method, path, answer, { Expect: 'nonsense' }, body]),
  )
  expect(await markedRuns(subject, mark)).toEqual([])
  const usual = await exchange(url, 'POST', '/queue', { Expect: '100-Continue' }, '{}')
  expect([usual.before, usual.status]).toEqual([[100], 200])
})

proves(
  'http/reasons',
  async ({ url, upload }) => {
    await upload({ name: 'a.txt', bytes: Buffer.from('abc') })
    const [tooLarge, beyond] = ['Request Entity Too Large', 'Requested Range Not Satisfiable']
    const path = '/view?filename=a.txt&type=input'
    await wireExchanges(url, [
      ['POST', '/prompt', { status: 413, reason: tooLarge }, {}, ' '.repeat(20_000)],
      ['GET', path, { status: 416, reason: beyond }, { Range: 'bytes=9-' }],
    ])
  },
  { maxUploadSize: 0.01 },
)

proves('http/failure-page', ({ url }) => {
  const page =
    '<html><head><title>500 Internal Server Error</title></head><body>\n' +
    '<h1>500 Internal Server Error</h1>\nServer got itself in trouble\n</body></html>\n'
  const failure = (type: string, length: string, body: string) => ({
    status: 500,
    'content-type': type,
    'content-length': length,
    connection: 'close',
    body,
  })
  const html = failure('text/html; charset=utf-8', '145', page)
  const plain = failure(textType, '55', errors.refusals.internal.body.text)
  const other = { status: 405, body: errors.refusals.methodNotAllowed.body.text }
  return wireExchanges(url, [
    ['POST', '/prompt', html, { Accept: 'text/html' }, '{'],
    ['POST', '/prompt', html, { Accept: 'application/json, text/html;q=0.1' }, '{'],
    ['POST', '/prompt', plain, { Accept: '*/*' }, '{'],
    ['POST', '/prompt', plain, { Accept: 'text/plain' }, '{'],
    ['POST', '/prompt', plain, { Accept: '' }, '{'],
    ['DELETE', '/queue', other, { Accept: 'text/html' }],
  ])
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
