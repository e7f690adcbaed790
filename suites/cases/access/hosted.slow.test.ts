// Access to a hosted server: keys, tiers, the socket, and what each account can see of the others.

import { paidPaths, publicPaths } from '../../../spec/server/access.ts'
import { hostedError, planRefusal } from '../../../spec/server/errors.ts'
import { endpoints } from '../../../spec/index.ts'
import { v2Root } from '../../../spec/v2/v2-access.ts'
import type { Endpoint } from '../../../spec/language.ts'
import { openSession, untilStill } from '../../judge/client.ts'
import { slow, solid, talking } from '../../generate/graphs.ts'
import { violations } from '../../judge/judge.ts'
import { ownWorld, proves, provesQuirk } from '../../judge/proves.ts'
import { transcript } from '../../support/transcript.ts'
import type { Subject } from '../../judge/subject.ts'
import { exchange } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Every path that hosted serves below its prefix, except for v2, with a word for each variable part. */
const served = [
  ...new Set(
    Object.values<Endpoint>(endpoints)
      .filter(
        ({ on, path }) => on.includes('hosted') && path !== '/ws' && !path.startsWith(`${v2Root}/`),
      )
      .map(({ path, hostedPath }) => `/api${(hostedPath ?? path).replaceAll(/\{[^}]*\}/g, 'x')}`),
  ),
]
const isPublic = (path: string): boolean => publicPaths.some((one) => path === `/api${one}`)
const key = (value: string) => ({ 'X-API-Key': value })

/** The status of an answer, and how it differs from a refusal of hosted. */
async function refusal(
  { url }: Subject,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const { status, header, body } = await exchange(url, method, path, headers)
  if (method === 'HEAD') return [method, path, status]
  if (header('content-type') !== 'application/json; charset=utf-8') return [status, body]
  const value = JSON.parse(body) as { code: string }
  return [method, path, status, value.code, ...violations(hostedError, value)]
}

const refusedAs = (method: string, path: string, status: number, code: string): unknown[] =>
  method === 'HEAD' ? [method, path, status] : [method, path, status, code]

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

const wrongKeys: readonly Readonly<Record<string, string>>[] = [
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

/** Expects that no path takes a wrong key. */
async function expectRefused(subject: Subject): Promise<void> {
  const paths = [...served, '/api', '/api/nowhere', '/api/queue?token=test-key']
  for (const path of paths.filter((path) => !isPublic(path))) {
    for (const headers of wrongKeys.slice(0, 4)) {
      const answer = await refusal(subject, 'GET', path, headers)
      expect(answer).toEqual(['GET', path, 401, 'UNAUTHORIZED'])
    }
  }
  for (const method of methods) {
    for (const headers of wrongKeys) {
      for (const path of ['/api/queue', '/api/features', '/api/nowhere']) {
        const answer = await refusal(subject, method, path, headers)
        expect(answer).toEqual(refusedAs(method, path, 401, 'UNAUTHORIZED'))
      }
    }
  }
}

proves('access/hosted-key-refusal', expectRefused)

proves('access/hosted-public-statistics', async ({ url, get }) => {
  const own = await get('/system_stats')
  expect(own.json().system).toMatchObject({ os: expect.any(String) })
  for (const headers of [...wrongKeys, key('test-key-free'), key('test-key')]) {
    const { status, body } = await exchange(url, 'GET', '/api/system_stats', headers)
    expect({ status, body }).toEqual({ status: 200, body: own.text })
    expect((await exchange(url, 'HEAD', '/api/system_stats', headers)).status).toBe(200)
  }
})

proves('access/free-tier-refusal', async (subject) => {
  expect(paidPaths).toHaveLength(7)
  const free = key('test-key-free')
  for (const path of paidPaths.map((one) => `/api${one}`)) {
    for (const whole of [path, `${path}/`, `${path}/x/y`, `${path}?a=1`]) {
      for (const method of methods) {
        const answer = await refusal(subject, method, whole, free)
        expect(answer).toEqual(refusedAs(method, whole, 403, 'FORBIDDEN'))
        // A caller without a valid key gets that error first.
        const unknown = await refusal(subject, method, whole, key('nonsense'))
        expect(unknown).toEqual(refusedAs(method, whole, 401, 'UNAUTHORIZED'))
      }
      expect((await exchange(subject.url, 'OPTIONS', whole, free)).status).toBe(200)
    }
  }
  const isPaid = (path: string): boolean =>
    paidPaths.some((one) => path === `/api${one}` || path.startsWith(`/api${one}/`))
  const others = served.filter((path) => !isPaid(path))
  expect(others.length).toBeGreaterThan(5)
  for (const path of [...others, '/api/queues', '/api/viewer', '/api/upload/images']) {
    const { status } = await exchange(subject.url, 'GET', path, free)
    expect([path, [401, 402, 403].includes(status)]).toEqual([path, false])
  }
  expect((await subject.as('test-key-free').connect()).messages()[0]?.type).toBe('status')
})

provesQuirk('hosted.free-tier-402', async (subject) => {
  const free = subject.as('test-key-free')
  const session = await free.connect()
  const refused = await free.submit(solid())
  expect(refused.status).toBe(402)
  expect(violations(planRefusal, refused.json())).toEqual([])
  expect(refused.json().error.type).toBe('PAYMENT_REQUIRED')
  for (const path of ['/queue', '/object_info/KSampler', '/prompt', '/view?filename=x.png'])
    expect([path, [402, 403].includes((await free.get(path)).status)]).toEqual([path, false])
  expect((await free.get('/queue')).status).toBe(200)
  expect((await subject.as('nonsense').submit(solid())).status).toBe(401)
  expect((await subject.submit(solid())).status).toBe(200)
  await subject.idle()
  await session.settled()
  expect(session.messages()).toHaveLength(1)
})

provesQuirk('hosted.bearer', async ({ url }) => {
  const statusOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await exchange(url, 'GET', '/api/queue', headers)).status
  expect(await statusOf({ Authorization: 'Bearer test-key' })).toBe(200)
  expect(await statusOf({ authorization: 'bearer  test-key' })).toBe(200)
  expect(await statusOf(key('test-key'))).toBe(200)
  expect(await statusOf({ Authorization: 'Bearer test-key-free' })).toBe(403)
  expect(await statusOf({ Authorization: 'Bearer nonsense' })).toBe(401)
  expect(await statusOf({ Authorization: 'Basic test-key' })).toBe(401)
  // With a wrong X-API-Key the Authorization header does not help.
  expect(await statusOf({ ...key('nonsense'), Authorization: 'Bearer test-key' })).toBe(401)
})

const handshake = {
  Connection: 'Upgrade, close',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

proves(
  'access/hosted-socket-key',
  async ({ url, as, emulator }) => {
    for (const query of ['token=test-key', 'clientId=me&token=test-key', 'token=test-key-free']) {
      const session = await openSession(url, `/ws?${query}`, undefined, untilStill, 'hosted')
      expect(session.messages()[0]?.type).toBe('status')
      await session.close()
    }
    const refused = ['', '?token=', '?token=nonsense', '?token=test-ke', '?clientId=test-key']
    for (const path of [...refused.map((query) => `/ws${query}`), '/ws?Token=test-key']) {
      for (const headers of [{}, key('test-key'), { Authorization: 'Bearer test-key' }]) {
        const { status, body } = await exchange(url, 'GET', path, { ...handshake, ...headers })
        expect({ path, status, code: JSON.parse(body).code }).toEqual({
          path,
          status: 401,
          code: 'UNAUTHORIZED',
        })
      }
    }
    const lines = (await emulator?.journal()) ?? []
    const opened = lines.filter((line) => line.includes('"kind":"accept"'))
    expect(opened).toHaveLength(3)
    expect(lines.join('')).not.toContain('test-key')
    const unprefixed = await exchange(url, 'GET', '/api/ws?token=test-key', {
      ...handshake,
      ...key('test-key'),
    })
    expect({ status: unprefixed.status, code: JSON.parse(unprefixed.body).code }).toEqual({
      status: 404,
      code: 'NOT_FOUND',
    })
    expect((await as('test-key').get('/queue')).status).toBe(200)
  },
  ownWorld,
)

const twoKeys = {
  accounts: [
    { ...account('one'), keys: ['key-one', 'key-uno'] },
    { ...account('two'), keys: ['key-two'] },
  ],
}

function account(user: string) {
  const open = { tier: 'pro', balance: 9, subscription: 'active', failsWith: null } as const
  return { user, keys: [user], partnerKey: null, ...open }
}

proves(
  'access/hosted-keys-of-one',
  async ({ as }) => {
    const [one, uno, two] = [as('key-one'), as('key-uno'), as('key-two')]
    const session = await uno.connect()
    const foreign = await two.connect()
    const { prompt_id, messages } = await one.run(await one.connect(), solid())
    expect(messages.length).toBeGreaterThan(5)
    await session.settled()
    expect(session.messages().slice(-2)[0]?.data['prompt_id']).toBe(prompt_id)
    const [mine, same] = [
      await one.get(`/history/${prompt_id}`),
      await uno.get(`/history/${prompt_id}`),
    ]
    expect({ status: same.status, text: same.text }).toEqual({ status: 200, text: mine.text })
    expect(mine.text).toContain(prompt_id)
    expect((await two.get(`/history/${prompt_id}`)).text).not.toContain('solid')
    await foreign.settled()
    expect(foreign.messages()).toHaveLength(1)
  },
  twoKeys,
)

proves(
  'access/hosted-accounts-apart',
  async ({ as, idle }) => {
    const [one, two] = [as('key-one'), as('key-two')]
    const [listener] = [await two.connect('one'), await one.connect('one')]
    const { prompt_id } = (await one.submit(slow(), { client_id: 'one' })).json()
    await one.submit(talking('a secret text'))
    const remaining = async (subject: Subject): Promise<unknown> =>
      (await subject.get('/prompt')).json().exec_info.queue_remaining
    expect([await remaining(one), await remaining(two)]).toEqual([2, 0])
    expect((await two.get('/queue')).text).not.toContain(prompt_id)
    expect((await two.submit(talking('mine'))).json().number).toBe(0)
    // No account removes or interrupts the runs of another.
    await two.post('/interrupt', { prompt_id })
    await two.post('/queue', { delete: [prompt_id] })
    await two.post('/queue', { clear: true })
    expect(await remaining(one)).toBe(2)
    await idle()
    const entry = (await one.get(`/history/${prompt_id}`)).json()[prompt_id]
    expect(entry.status.status_str).toBe('success')
    for (const path of ['/history', `/history/${prompt_id}`, '/queue']) {
      const { text } = await two.get(path)
      expect([path, text.includes('secret'), text.includes(prompt_id)]).toEqual([
        path,
        false,
        false,
      ])
    }
    await listener.settled()
    const received = listener.texts.join()
    // Two runs of one account wait, and the other account never has more than its own.
    const counts = transcript(listener.messages()).filter((line) => line.startsWith('status'))
    expect(new Set(counts)).toEqual(new Set(['status 0', 'status 1']))
    expect([received.includes(prompt_id), received.includes('secret')]).toEqual([false, false])
  },
  twoKeys,
)
