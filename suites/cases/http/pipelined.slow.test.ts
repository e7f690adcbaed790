// Several requests on one connection, in one write: each gets its reply, in order, whatever is between them.

import { talking } from '../../generate/graphs.ts'
import { proves, provesLocal } from '../../judge/proves.ts'
import { markedRuns } from '../../judge/responses.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'
import { exchangeAll, outsideCors, statusOfHead } from '../../judge/wire.ts'

const line = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: here\r\n`
const get = (path: string, headers = ''): string => `${line('GET', path)}${headers}\r\n`
const post = (path: string, body: string, headers = ''): string =>
  `${line('POST', path)}Content-Length: ${body.length}\r\n${headers}\r\n${body}`

/** A submit, and the text in it that marks its run. */
const submission = ({ unique }: Subject, headers = '') => {
  const mark = unique('mine')
  const body = JSON.stringify({ prompt: talking(), extra_data: { mine: mark } })
  return { mark, submit: post('/prompt', body, headers) }
}

const upgrade =
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
const closing = 'Connection: close\r\n'

/** A path that everybody may read, with a different answer for each query. */
const pathOn = { local: '/system_stats', hosted: '/api/system_stats' } as const

/** The statuses of the answers to these requests, which are sent in one write. */
const statusesOf = async (url: string, ...requests: readonly string[]): Promise<number[]> =>
  (await exchangeAll(url, requests.join(''))).map(({ status }) => status)

proves('http/pipelined', async ({ url, deployment }) => {
  const path = pathOn[deployment]
  const last = get(path, closing)
  const statuses = (...requests: readonly string[]) => statusesOf(url, ...requests)
  expect(await statuses(get(path), post('/nowhere', '', upgrade), last)).toHaveLength(3)
  expect(await statuses(get(path, upgrade), get(path, upgrade), last)).toEqual([200, 200, 200])
  const empty = post(path, '', upgrade)
  expect(await statuses(get(path), empty, get(path), empty, last)).toEqual([
    200, 405, 200, 405, 200,
  ])
  // Answers with and without a body take turns, also for a client of the first HTTP.
  const old = `GET ${path} HTTP/1.0\r\nHost: here\r\nConnection: keep-alive\r\n\r\n`
  const head = `${line('HEAD', path)}\r\n`
  const requests = [get(path), head, old, get('/nowhere'), head, last]
  const answers = await exchangeAll(url, requests.join(''))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 200])
  const lengths = answers.map(({ body }) => body.length)
  expect([lengths[1], lengths[4]]).toEqual([0, 0])
  expect(new Set([lengths[0], lengths[2], lengths[5]]).size).toBe(1)
  // A request for a tunnel arrives while Node still sends the response before it.
  const tunnel = `${line('CONNECT', 'example.com:80')}\r\n`
  for (let depth = 0; depth <= 3; depth++) {
    const [refusal, ...before] = (await statuses(get(path).repeat(depth), tunnel)).toReversed()
    expect(before).toEqual(Array.from({ length: depth }, () => 200))
    expect(refusal).toBeGreaterThanOrEqual(400)
  }
  expect(await statuses(last)).toEqual([200])
})

provesLocal('http/pipelined', async (subject) => {
  const { url } = subject
  const { mark, submit } = submission(subject, upgrade)
  const warnings: string[] = []
  const note = ({ message }: Error): void => void warnings.push(message)
  process.on('warning', note)
  // The first answer is long, so that the following requests arrive while it is still being sent.
  const requests = [
    get('/object_info'),
    ...Array.from({ length: 40 }, (_, at) => get(`/object_info/N${at}`, upgrade)),
    submit,
    get('/prompt', closing),
  ]
  const answers = await exchangeAll(url, requests.join(''))
  process.off('warning', note)
  expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200))
  const { queue_remaining } = JSON.parse(answers.at(-1)!.body).exec_info
  expect(queue_remaining).toBeGreaterThanOrEqual(subject.isOwn ? 1 : 0)
  expect(await markedRuns(subject, mark)).toHaveLength(1)
  expect(warnings).toEqual([])
  // A handshake after a long answer.
  const handshake = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 12\r\n'
  expect(
    await statusesOf(url, get('/object_info'), get('/ws', handshake), get('/prompt', closing)),
  ).toEqual([200, 400, 200])
})

proves('http/garbage-last', async (subject) => {
  const { url, deployment } = subject
  const path = pathOn[deployment]
  const garbage = [
    'nonsense\r\n\r\n',
    'GET /queue HTTP/1.1\r\nNo colon\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01',
  ]
  for (const one of garbage) {
    const answers = await exchangeAll(url, get(path) + get(path) + one + one)
    expect(answers.map(({ status, header }) => [status, header('connection')])).toEqual([
      [200, undefined],
      [200, undefined],
      [400, 'close'],
    ])
  }
  if (deployment === 'hosted') return
  const { mark, submit } = submission(subject)
  expect(await statusesOf(url, get('/object_info'), submit, 'nonsense\r\n\r\n')).toEqual([
    200, 200, 400,
  ])
  // In the middle of a body: that request is the one that is not answered otherwise.
  const head = `${line('POST', '/prompt')}Transfer-Encoding: chunked\r\n\r\n`
  const broken = `${head}5\r\n{"pro\r\nmany\r\n`
  expect(await statusesOf(url, get('/prompt'), broken)).toEqual([200, 400])
  expect(await markedRuns(subject, mark)).toHaveLength(1)
})

proves('http/last-answer', async (subject) => {
  const { url, deployment } = subject
  const path = pathOn[deployment]
  const later = Array.from({ length: 2000 }, () => get(path))
  expect(await statusesOf(url, get(path), get(path, closing), ...later)).toEqual([200, 200])
  if (deployment === 'hosted') return
  const { mark, submit } = submission(subject)
  // More than a system buffers for a connection that nobody reads.
  const after = post('/queue', ' '.repeat(60_000)).repeat(40)
  for (let depth = 1; depth <= 8; depth++) {
    const before = get('/object_info').repeat(depth)
    const statuses = await statusesOf(url, before, post('/prompt', '{'), submit, after)
    expect(statuses).toEqual([...Array.from({ length: depth }, () => 200), 500])
  }
  expect(await markedRuns(subject, mark)).toEqual([])
})

proves('http/refused-early', async ({ url, deployment }) => {
  if (deployment === 'local') await outsideCors(url)
  const refused: readonly (readonly [
    method: string,
    path: string,
    status: number,
    headers?: string,
  ])[] =
    deployment === 'hosted'
      ? [
          ['POST', '/api/prompt', 401],
          ['POST', '/nowhere', 404],
          ['POST', '/api/system_stats', 405],
        ]
      : [
          ['POST', '/prompt', 403, 'Origin: http://evil.example\r\n'],
          ['POST', '/nowhere', 405],
          ['PUT', '/prompt', 405],
          ['GET', '/nowhere', 404],
          ['OPTIONS', '/prompt', 200],
        ]
  for (const [method, path, status, headers = ''] of refused) {
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${headers}`
    expect({ path, status: await statusOfHead(url, head) }).toEqual({ path, status })
  }
  // The body is skipped before the next request.
  const path = pathOn[deployment]
  const posted = post(path, `${'x'.repeat(4998)}\r\n`)
  expect(await statusesOf(url, posted, posted, get(path, closing))).toEqual([405, 405, 200])
})
