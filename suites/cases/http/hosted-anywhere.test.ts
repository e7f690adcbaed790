// The rules for every path of any hosted server, with requests that change nothing but settings of the case.

import { hostedCors } from '../../../spec/server/http.ts'
import { everyHostedPath } from '../../generate/every-path.ts'
import { isAtWork } from '../../judge/hosted/busy-account.ts'
import { submitOne, wordOf } from '../../judge/hosted/jobs.ts'
import { proves } from '../../judge/proves.ts'
import { exchange, type Exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const hosted = { deployment: 'hosted' } as const
const key = { 'X-API-Key': 'test-key' }
const jsonType = 'application/json; charset=utf-8'

/** The header lines for pages of other origins. */
const corsLines = ({ lines }: Exchange) =>
  lines.filter((line) => /^access-control-/i.test(line)).toSorted()
const named = Object.entries(hostedCors)
  .map(([name, value]) => `${name}: ${value}`)
  .toSorted()

proves('http/hosted-options', async (subject) => {
  const session = await subject.connect()
  const id = await submitOne(subject, await subject.workloads.slow())
  await subject.reach(session, isAtWork(id))
  for (const { path } of [...everyHostedPath, { path: '/api/nowhere' }, { path: '/queue' }]) {
    const asks = { Origin: 'https://page.example', 'Access-Control-Request-Headers': 'x-api-key' }
    const reply = await exchange(subject.url, 'OPTIONS', path, asks, '{"clear": true}')
    const { status, body } = reply
    expect({ path, status, body }).toEqual({ path, status: 200, body: '' })
    expect(corsLines(reply)).toEqual(named)
  }
  expect(await wordOf(subject, id)).not.toBe('cancelled')
})

// No byte of the body is sent: no server has room for so many.
proves('http/hosted-body-limit', async ({ url }) => {
  for (const { method, path } of everyHostedPath.filter(({ hasBody }) => hasBody)) {
    const reply = await exchange(url, method, path, { ...key, 'Content-Length': '999999999999' })
    const type = reply.header('content-type')
    expect({ path, status: reply.status, type }).toEqual({ path, status: 413, type: jsonType })
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
  }
})

const ways: readonly (readonly [
  method: string,
  path: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: string,
])[] = [
  ['GET', '/api/system_stats', 200, {}],
  ['GET', '/api/user', 200, key],
  ['GET', '/api/user', 401, {}],
  ['GET', '/api/nowhere', 404, key],
  ['GET', '/queue', 404, {}],
  ['DELETE', '/api/prompt', 405, key],
  ['POST', '/api/settings', 400, key, '{'],
  ['HEAD', '/api/user', 200, key],
]

proves('http/hosted-cors', async ({ url }) => {
  for (const Origin of ['https://page.example', 'null', '']) {
    for (const [method, path, status, headers, body] of ways) {
      const all = { ...headers, ...(Origin !== '' && { Origin }) }
      const reply = await exchange(url, method, path, all, body)
      expect([path, reply.status, corsLines(reply)]).toEqual([path, status, named])
    }
  }
})

proves(
  ['http/json-replies', 'http/json-without-type'],
  async ({ url, get, unique }) => {
    for (const { method, path } of everyHostedPath) {
      if (method !== 'GET' || path === '/ws') continue
      const reply = await exchange(url, 'GET', path, key)
      const type = reply.header('content-type')
      if (/^[[{]/.test(reply.body)) expect({ path, type }).toEqual({ path, type: jsonType })
    }
    for (const [index, type] of ['text/plain', 'nonsense', ''].entries()) {
      const name = unique(`typed-${index}`)
      const body = JSON.stringify({ [name]: 'grün' })
      const headers = { ...key, 'Content-Type': type }
      const reply = await exchange(url, 'POST', '/api/settings', headers, body)
      expect({ status: reply.status, type: reply.header('content-type') }).toEqual({
        status: 200,
        type: jsonType,
      })
      expect((await get('/settings')).json()).toMatchObject({ [name]: 'grün' })
    }
  },
  hosted,
)
