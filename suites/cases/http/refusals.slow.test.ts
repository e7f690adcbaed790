// What hosted refuses, on every path: without access, with a method or a body that it does not take.

import { gzipSync } from 'node:zlib'
import type { ReplyBody } from '../../../spec/language.ts'
import { streamType } from '../../../spec/v2/v2-streams.ts'
import { everyHostedPath } from '../../generate/every-path.ts'
import { expect } from '../../judge/expect.ts'
import { codeOf, replyIn } from '../../judge/hosted/refusals.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import type { Reply } from '../../judge/reply.ts'
import { wireExchanges } from '../../judge/rows.ts'
import { exchange } from '../../judge/wire.ts'

const key = { 'X-API-Key': 'test-key' }
const keys = ['', 'wrong-key', 'test-key-free', 'test-key']
const headersOf = (one: string): Record<string, string> => (one === '' ? {} : { 'X-API-Key': one })
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

proves('http/hosted-refusals', async ({ raw, as, get }) => {
  expect(codeOf(await as('').get('/user'), 401)).toBe('UNAUTHORIZED')
  expect(codeOf(await as('test-key-free').get('/queue'), 403)).toBe('FORBIDDEN')
  expect(codeOf(await get('/nowhere'), 404)).toBe('NOT_FOUND')
  const wrong = new Map<string, string>()
  for (const { method, path, bodies: documented, hasBody } of everyHostedPath) {
    for (const one of keys) {
      for (const body of hasBody ? bodies : [undefined]) {
        const reply = await raw(method, path, body, headersOf(one))
        const kinds = documented[reply.status] ?? []
        const isFine =
          method === 'HEAD'
            ? kinds.length > 0 && reply.text === ''
            : kinds.some((kind) => fits(reply, kind))
        const asked = `${method} ${path}`
        if (!isFine) wrong.set(asked, `of "${one}" with ${body}: ${reply.status} ${reply.text}`)
      }
    }
  }
  expect([...wrong]).toEqual([])
})

/** A method that a path does not support. */
const wrongMethodAt = (path: string): string =>
  everyHostedPath.some((one) => one.path === path && one.method === 'PUT') ? 'PATCH' : 'PUT'

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
        const [status, code] = refusalOf(one, path, isPaid)
        const put = await raw(wrongMethodAt(path), path, undefined, headersOf(one))
        expect({ path, one, code: codeOf(put, status) }).toEqual({ path, one, code })
        if (!hasBody) continue
        const [refused, why] = status === 405 ? [413, 'PAYLOAD_TOO_LARGE'] : [status, code]
        const huge = await raw(method, path, ' '.repeat(2000), headersOf(one))
        expect({ path, one, code: codeOf(huge, refused) }).toEqual({ path, one, code: why })
      }
    }
  },
  { maxUploadSize: 0.001 },
)

proves(
  'http/hosted-bad-body',
  async ({ url, get }) => {
    const gzip = { 'Content-Encoding': 'gzip' }
    const packed = gzipSync('{"type": "general"}')
    const plain = ['', '{', '[]', 'null', '7', '{"a": 1} x', Buffer.from([0x22, 0xff, 0x22])]
    const bad: readonly (readonly [headers: object, body: string | Uint8Array])[] = [
      ...plain.map((body) => [{}, body] as const),
      [gzip, Buffer.from('{}')],
      [gzip, packed.subarray(0, 20)],
      [{ 'Content-Type': 'application/json; charset=nonsense' }, '{}'],
    ]
    for (const path of ['/api/settings', '/api/free', '/api/feedback']) {
      for (const [headers, body] of bad) {
        const reply = await exchange(url, 'POST', path, { ...key, ...headers }, body)
        const code = codeOf(replyIn(reply), 400)
        expect({ path, headers, body, code }).toMatchObject({ path, code: 'BAD_REQUEST' })
      }
      const { status } = await exchange(url, 'POST', path, { ...key, ...gzip }, packed)
      expect(status).toBeLessThan(300)
    }
    expect((await get('/settings')).json()).toEqual({ type: 'general' })
  },
  ownWorld,
)

// No byte of the body is sent: no server has room for so many.
proves('http/hosted-body-limit', ({ url }) => {
  const answer = {
    status: 413,
    'content-type': jsonType,
    body: expect.stringMatching(/"code": ?"PAYLOAD_TOO_LARGE"/),
  }
  const headers = { ...key, 'Content-Length': '999999999999' }
  return wireExchanges(
    url,
    everyHostedPath
      .filter(({ hasBody }) => hasBody)
      .map(({ method, path }) => [method, path, answer, headers]),
  )
})

proves(
  'http/hosted-body-limit',
  async ({ url, request, get }) => {
    const limit = 1049
    const answer = { status: 413, body: expect.stringContaining(`${limit}`) }
    const long = ' '.repeat(limit + 1)
    for (const { method, path, hasBody } of everyHostedPath) {
      if (!hasBody) continue
      await wireExchanges(url, [
        [method, path, answer, key, long],
        // A caller without access gets that answer, however much it sends.
        [method, path, { status: 401 }, {}, long],
      ])
    }
    const most = `{"a": "${'x'.repeat(limit - 9)}"}`
    expect((await request('POST', '/settings', most)).status).toBe(200)
    expect((await get('/settings')).json().a).toHaveLength(limit - 9)
  },
  { maxUploadSize: 0.001 },
)
