// Which requests need a key: none of local, and those of hosted, by its path and by the tier of the account.

import { paidPaths, publicPaths } from '../../../spec/server/access.ts'
import { planRefusal } from '../../../spec/server/errors.ts'
import { everyHostedPath } from '../../generate/every-path.ts'
import { solid, talking } from '../../generate/graphs.ts'
import { openSession } from '../../judge/client.ts'
import { expect } from '../../judge/expect.ts'
import { fitting } from '../../judge/hosted/jobs.ts'
import { codeOf, replyIn } from '../../judge/hosted/refusals.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { wireExchanges } from '../../judge/rows.ts'
import { exchange } from '../../judge/wire.ts'

proves('access/local-without-key', async ({ url, connect, submit, reach, unique }) => {
  const credentials: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer nonsense' },
    { Authorization: 'Basic bWU6bWU=' },
    { 'X-API-Key': 'nonsense' },
    { Cookie: 'token=nonsense' },
  ]
  const ok = { status: 200 }
  for (const headers of credentials)
    await wireExchanges(url, [
      ['GET', '/queue', ok, headers],
      ['GET', '/system_stats', ok, headers],
      ['GET', '/prompt?token=nonsense', ok, headers],
      ['POST', '/prompt', ok, headers, JSON.stringify({ prompt: talking() })],
    ])
  const client_id = unique('me')
  const query = `token=nonsense&clientId=${encodeURIComponent(client_id)}`
  const session = await connect(undefined, `/ws?${query}`)
  await submit(talking(), { client_id })
  await reach(session, ({ type }) => type === 'execution_success')
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Headers = Readonly<Record<string, string>>

/** Every path that hosted serves below its prefix, except for v2. */
const served = [...new Set(everyHostedPath.map(({ path }) => path))].filter(
  (path) => path !== '/ws',
)
const isPublic = (path: string): boolean => publicPaths.some((one) => path === `/api${one}`)
const isPaid = (path: string): boolean =>
  paidPaths.some((one) => path === `/api${one}` || path.startsWith(`/api${one}/`))
const key = (value: string) => ({ 'X-API-Key': value })

/** Expects that hosted refuses a request with this status and code. */
async function expectRefused(
  { url }: { readonly url: string },
  method: string,
  path: string,
  headers: Headers,
  [status, code]: readonly [status: number, code: string],
): Promise<void> {
  const reply = await exchange(url, method, path, headers)
  const found = method === 'HEAD' && reply.status === status ? code : codeOf(replyIn(reply), status)
  expect({ method, path, headers, code: found }).toEqual({ method, path, headers, code })
}
const unauthorized = [401, 'UNAUTHORIZED'] as const

proves('access/hosted-key', async ({ url, connect, submit, reach }) => {
  expect(served.length).toBeGreaterThan(10)
  for (const path of served) {
    for (const name of ['X-API-Key', 'x-api-key']) {
      const { status } = await exchange(url, 'GET', path, { [name]: 'test-key' })
      expect([path, [401, 403].includes(status)]).toEqual([path, false])
    }
  }
  const session = await connect()
  const reply = await submit(talking())
  expect(reply.status).toBe(200)
  const end = await reach(session, ({ type }) => type === 'execution_success')
  expect(end.data['prompt_id']).toBe(reply.json().prompt_id)
})

const wrongKeys: readonly Headers[] = [
  {},
  key(''),
  key('nonsense'),
  key('test-ke'),
  key('test-key-'),
  key('TEST-KEY'),
  key('test-key-freetest-key-free'),
  key('test-partner-key'),
  { Authorization: 'Bearer test-key' },
  { Cookie: 'token=test-key' },
]

proves('access/hosted-key-refusal', async (subject) => {
  const paths = [...served, '/api', '/api/nowhere', '/api/queue?token=test-key']
  for (const path of paths.filter((one) => !isPublic(one)))
    for (const headers of wrongKeys.slice(0, 4))
      await expectRefused(subject, 'GET', path, headers, unauthorized)
  for (const method of methods)
    for (const headers of wrongKeys)
      for (const path of ['/api/queue', '/api/features', '/api/nowhere'])
        await expectRefused(subject, method, path, headers, unauthorized)
})

proves('access/hosted-public-statistics', async ({ url, get }) => {
  const own = await get('/system_stats')
  expect(own.json().system).toMatchObject({ os: expect.any(String) })
  for (const headers of [...wrongKeys, key('test-key-free'), key('test-key')])
    await wireExchanges(url, [
      ['GET', '/api/system_stats', { status: 200, body: own.text }, headers],
      ['HEAD', '/api/system_stats', { status: 200 }, headers],
    ])
})

proves('access/free-tier-refusal', async (subject) => {
  expect(paidPaths).toHaveLength(7)
  const free = key('test-key-free')
  for (const path of paidPaths.map((one) => `/api${one}`)) {
    for (const whole of [path, `${path}/`, `${path}/x/y`, `${path}?a=1`]) {
      for (const method of methods) {
        await expectRefused(subject, method, whole, free, [403, 'FORBIDDEN'])
        // A caller without a valid key gets that error first.
        await expectRefused(subject, method, whole, key('nonsense'), unauthorized)
      }
      await wireExchanges(subject.url, [['OPTIONS', whole, { status: 200 }, free]])
    }
  }
  const others = served.filter((path) => !isPaid(path))
  expect(others.length).toBeGreaterThan(5)
  for (const path of [...others, '/api/queues', '/api/viewer', '/api/upload/images']) {
    const { status } = await exchange(subject.url, 'GET', path, free)
    expect([path, [401, 402, 403].includes(status)]).toEqual([path, false])
  }
})

proves(['access/hosted-socket-key', 'access/free-tier-refusal'], async ({ url }) => {
  const session = await openSession(url, '/ws?token=test-key-free', undefined, undefined, 'hosted')
  expect(session.messages()[0]?.type).toBe('status')
  await session.close()
})

const handshake = {
  Connection: 'Upgrade, close',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

proves('access/hosted-socket-key', async (subject) => {
  const { url, unique } = subject
  for (const query of ['token=test-key', 'clientId=me&token=test-key']) {
    const session = await openSession(url, `/ws?${query}`, undefined, undefined, 'hosted')
    expect(session.messages()[0]?.type).toBe('status')
    await session.close()
  }
  const nonsense = encodeURIComponent(unique('nonsense'))
  const wrong = ['', '?token=', `?token=${nonsense}`, '?token=test-ke', '?token=test-key0']
  for (const query of [...wrong, '?clientId=test-key', '?Token=test-key'])
    for (const headers of [{}, key('test-key'), { Authorization: 'Bearer test-key' }])
      await expectRefused(subject, 'GET', `/ws${query}`, { ...handshake, ...headers }, unauthorized)
  if (!subject.isOwn) return
  const headers = { ...handshake, ...key('test-key') }
  await expectRefused(subject, 'GET', '/api/ws?token=test-key', headers, [404, 'NOT_FOUND'])
  const lines = (await subject.emulator?.journal()) ?? []
  expect(lines.filter((line) => line.includes('"kind":"accept"'))).toHaveLength(2)
  expect(lines.join('')).not.toContain('test-key')
})

provesQuirk('hosted.free-tier-402', async (subject) => {
  const free = subject.as('test-key-free')
  const session = await free.connect()
  const refused = fitting(planRefusal, await free.submit(solid()), 402)
  expect(refused.error.type).toBe('PAYMENT_REQUIRED')
  for (const path of ['/queue', '/object_info/KSampler', '/prompt', '/view?filename=x.png'])
    expect([path, [402, 403].includes((await free.get(path)).status)]).toEqual([path, false])
  expect((await free.get('/queue')).status).toBe(200)
  expect((await subject.as('nonsense').submit(solid())).status).toBe(401)
  expect((await subject.submit(solid())).status).toBe(200)
  await subject.idle()
  await session.settled()
  expect(session.messages()).toHaveLength(1)
})

provesQuirk('hosted.bearer', ({ url }) => {
  const both = { ...key('nonsense'), Authorization: 'Bearer test-key' }
  return wireExchanges(url, [
    ['GET', '/api/queue', { status: 200 }, { Authorization: 'Bearer test-key' }],
    ['GET', '/api/queue', { status: 200 }, { authorization: 'bearer  test-key' }],
    ['GET', '/api/queue', { status: 200 }, key('test-key')],
    ['GET', '/api/queue', { status: 403 }, { Authorization: 'Bearer test-key-free' }],
    ['GET', '/api/queue', { status: 401 }, { Authorization: 'Bearer nonsense' }],
    ['GET', '/api/queue', { status: 401 }, { Authorization: 'Basic test-key' }],
    // With a wrong X-API-Key the Authorization header does not help.
    ['GET', '/api/queue', { status: 401 }, both],
  ])
})
