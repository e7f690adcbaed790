// The rules for every path of hosted: refusals, HEAD, OPTIONS, pages of other origins, bodies.

import { gzipSync } from 'node:zlib'
import { hostedCors } from '../../../spec/server/http.ts'
import type { ReplyBody } from '../../../spec/language.ts'
import { everyHostedPath } from '../../generate/every-path.ts'
import { codeOf, notFound, replyIn } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { exchange, type Exchange, exchangeBytes } from '../../judge/wire.ts'
import type { Reply } from '../../judge/reply.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const
const key = { 'X-API-Key': 'test-key' }
const keys = ['', 'wrong-key', 'test-key-free', 'test-key']
import { streamType } from '../../../spec/v2/v2-streams.ts'
const gets = everyHostedPath.filter(({ method, path }) => method === 'GET' && path !== '/ws')
const jsonType = 'application/json; charset=utf-8'

/** Whether a reply has a body of that kind. */
function fits({ text, headers }: Pick<Reply, 'text' | 'headers'>, body: ReplyBody): boolean {
  const type = headers['content-type'] ?? ''
  if (body === 'empty') return text === '' && type === ''
  if (body === 'bytes') return type !== ''
  if (body === 'text') return type.startsWith('text/plain') && text !== ''
  if (body === 'html') return type.startsWith('text/html')
  if (body === 'stream') return type === streamType
  return type === jsonType && violations(body, JSON.parse(text)).length === 0
}

/** Bodies that no path accepts, and one that some accept. */
const bodies = ['{}', '', '{', 'null', '[1]', '7', '"text"', '\u0000\u00ff']

proves('http/hosted-refusals', async ({ raw }) => {
  const wrong = new Map<string, string>()
  for (const { method, path, bodies: documented, hasBody } of everyHostedPath) {
    for (const one of keys) {
      const headers: Record<string, string> = one === '' ? {} : { 'X-API-Key': one }
      for (const body of hasBody ? bodies : [undefined]) {
        const reply = await raw(method, path, body, headers)
        const isFine = documented[reply.status]?.some((kind) => fits(reply, kind)) ?? false
        const asked = `${method} ${path}`
        if (!isFine) wrong.set(asked, `of "${one}" with ${body}: ${reply.status} ${reply.text}`)
      }
    }
  }
  expect([...wrong]).toEqual([])
})

/** The outcome of a request without an account, by what the path requires. */
const refusalOf = (one: string, path: string, isPaid: boolean): [status: number, code: string] => {
  const isOpen = path === '/api/system_stats'
  if (!isOpen && !one.startsWith('test-key')) return [401, 'UNAUTHORIZED']
  return isPaid && one === 'test-key-free' ? [403, 'FORBIDDEN'] : [405, 'METHOD_NOT_ALLOWED']
}

proves(
  'http/hosted-refusals',
  async ({ raw }) => {
    for (const { method, path, hasBody, isPaid } of everyHostedPath) {
      if (path === '/ws') continue
      for (const one of keys) {
        const headers: Record<string, string> = one === '' ? {} : { 'X-API-Key': one }
        const [status, code] = refusalOf(one, path, isPaid)
        const put = await raw('PUT', path, undefined, headers)
        expect({ path, one, code: codeOf(put, status) }).toEqual({ path, one, code })
        if (!hasBody) continue
        const [refused, why] = status === 405 ? [413, 'PAYLOAD_TOO_LARGE'] : [status, code]
        const huge = await raw(method, path, ' '.repeat(2000), headers)
        expect({ path, one, code: codeOf(huge, refused) }).toEqual({ path, one, code: why })
      }
    }
  },
  { maxUploadSize: 0.001 },
)

proves('http/hosted-refusals', async ({ as, get }) => {
  expect(codeOf(await as('').get('/user'), 401)).toBe('UNAUTHORIZED')
  expect(codeOf(await as('test-key-free').get('/queue'), 403)).toBe('FORBIDDEN')
  expect(codeOf(await get('/nowhere'), 404)).toBe('NOT_FOUND')
})

proves('http/hosted-unknown-path', async ({ raw }) => {
  const paths = ['/api/nowhere', '/api', '/api/', '/api/user/', '/api/User', '/api/api/user']
  for (const path of [...paths, '/api/settings/a/b', '/api//user']) {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH']) {
      const reply = await raw(method, path, undefined, key)
      const isSo = method === 'HEAD' ? reply.status === 404 : notFound(reply)
      expect({ method, path, isSo }).toEqual({ method, path, isSo: true })
    }
    // Below the prefix a client without a key cannot find out which paths exist.
    expect((await raw('GET', path)).status).toBe(401)
  }
})

proves('http/hosted-wrong-method', async ({ raw }) => {
  const ways: [method: string, path: string, allow: string][] = [
    ['DELETE', '/api/prompt', 'GET,HEAD,POST'],
    ['PUT', '/api/settings', 'GET,HEAD,POST'],
    ['POST', '/api/system_stats', 'GET,HEAD'],
    ['POST', '/api/object_info/KSampler', 'GET,HEAD'],
    ['POST', '/api/users', 'GET,HEAD'],
    ['GET', '/api/free', 'POST'],
    ['GET', '/api/feedback', 'POST'],
    ['PATCH', '/api/userdata/a', 'DELETE,GET,HEAD,POST'],
  ]
  for (const [method, path, allow] of ways) {
    const reply = await raw(method, path, '{}', key)
    expect({ path, code: codeOf(reply, 405), allow: reply.headers['allow'] }).toEqual({
      path,
      code: 'METHOD_NOT_ALLOWED',
      allow,
    })
  }
})

/** The parts of an exchange that are the same at any time. */
const lasting = ({ status, lines }: Exchange) => ({
  status,
  lines: lines.filter((line) => !line.startsWith('Date: ')),
})

proves('http/hosted-head', async ({ url }) => {
  for (const { path } of [...gets, { path: '/api/nowhere' }, { path: '/api/free' }]) {
    for (const headers of [key, {}]) {
      const head = await exchange(url, 'HEAD', path, headers)
      const got = await exchange(url, 'GET', path, headers)
      expect({ path, lasting: lasting(head), body: head.body }).toEqual({
        path,
        lasting: lasting(got),
        body: '',
      })
    }
  }
})

/** The header lines for pages of other origins. */
const corsLines = ({ lines }: Exchange) =>
  lines.filter((line) => /^access-control-/i.test(line)).toSorted()
const named = Object.entries(hostedCors).map(([name, value]) => `${name}: ${value}`)

proves(
  'http/hosted-cors',
  async ({ url }) => {
    const ways: [method: string, path: string, status: number, headers: object, body?: string][] = [
      ['GET', '/api/system_stats', 200, {}],
      ['GET', '/api/user', 200, key],
      ['GET', '/api/user', 401, {}],
      ['GET', '/api/queue', 403, { 'X-API-Key': 'test-key-free' }],
      ['GET', '/api/nowhere', 404, key],
      ['GET', '/queue', 404, {}],
      ['DELETE', '/api/prompt', 405, key],
      ['POST', '/api/settings', 400, key, '{'],
      ['POST', '/api/settings', 413, key, ' '.repeat(2000)],
      ['HEAD', '/api/user', 200, key],
      ['GET', `/api/user?${'q'.repeat(9000)}`, 400, key],
    ]
    for (const Origin of ['https://page.example', 'http://127.0.0.1:bad', 'null', '']) {
      for (const [method, path, status, headers, body] of ways) {
        const all = { ...headers, ...(Origin !== '' && { Origin }) }
        const reply = await exchange(url, method, path, all, body)
        expect([path.slice(0, 40), reply.status]).toEqual([path.slice(0, 40), status])
        expect([path.slice(0, 40), corsLines(reply)]).toEqual([path.slice(0, 40), named.toSorted()])
      }
    }
  },
  { maxUploadSize: 0.001 },
)

proves(
  'http/hosted-bad-body',
  async ({ url, get }) => {
    const send = (path: string, body: string | Uint8Array, headers = {}) =>
      exchange(url, 'POST', path, { ...key, ...headers }, body)
    for (const path of ['/api/settings', '/api/free', '/api/feedback']) {
      for (const body of [
        '',
        '{',
        '[]',
        'null',
        '7',
        '{"a": 1} x',
        Buffer.from([0x22, 0xff, 0x22]),
      ]) {
        const code = codeOf(replyIn(await send(path, body)), 400)
        expect({ path, body, code }).toEqual({ path, body, code: 'BAD_REQUEST' })
      }
      const packed = gzipSync('{"type": "general"}')
      const gzip = { 'Content-Encoding': 'gzip' }
      expect((await send(path, packed, gzip)).status).toBeLessThan(300)
      for (const broken of [Buffer.from('{}'), packed.subarray(0, 20)]) {
        expect(codeOf(replyIn(await send(path, broken, gzip)), 400)).toBe('BAD_REQUEST')
      }
      const charset = { 'Content-Type': 'application/json; charset=nonsense' }
      expect(codeOf(replyIn(await send(path, '{}', charset)), 400)).toBe('BAD_REQUEST')
    }
    expect((await get('/settings')).json()).toEqual({ type: 'general' })
  },
  ownWorld,
)

proves(
  'http/hosted-body-limit',
  async ({ url, get }) => {
    const limit = 1049
    for (const { method, path } of everyHostedPath.filter(({ hasBody }) => hasBody)) {
      const reply = await exchange(url, method, path, key, ' '.repeat(limit + 1))
      expect({ path, code: codeOf(replyIn(reply), 413) }).toEqual({
        path,
        code: 'PAYLOAD_TOO_LARGE',
      })
      expect(reply.body).toContain(`${limit}`)
      // A caller without access gets that answer, however much it sends.
      expect((await exchange(url, method, path, {}, ' '.repeat(limit + 1))).status).toBe(401)
    }
    const most = `{"a": "${'x'.repeat(limit - 9)}"}`
    expect((await exchange(url, 'POST', '/api/settings', key, most)).status).toBe(200)
    expect((await get('/settings')).json().a).toHaveLength(limit - 9)
  },
  { maxUploadSize: 0.001 },
)

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
    const reply = await exchangeBytes(url, bytes)
    expect([bytes.slice(0, 30), codeOf(replyIn(reply), 400)]).toEqual([
      bytes.slice(0, 30),
      'BAD_REQUEST',
    ])
  }
})

proves(
  ['http/json-replies', 'http/json-without-type'],
  async ({ url, get }) => {
    for (const { path } of gets) {
      const reply = await exchange(url, 'GET', path, key)
      if (reply.header('content-type')?.startsWith('application/json') !== true) continue
      expect({ path, contentType: reply.header('content-type') }).toEqual({
        path,
        contentType: jsonType,
      })
      expect(reply.header('content-length')).toBe(`${Buffer.byteLength(reply.body)}`)
    }
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'nonsense', '']
    for (const [index, type] of types.entries()) {
      const headers = { ...key, 'Content-Type': type }
      const body = `{"${index}": "grün"}`
      const reply = await exchange(url, 'POST', '/api/settings', headers, body)
      expect({ status: reply.status, contentType: reply.header('content-type') }).toEqual({
        status: 200,
        contentType: jsonType,
      })
    }
    expect(Object.values((await get('/settings')).json())).toEqual(types.map(() => 'grün'))
  },
  { ...hosted, ...ownWorld },
)
