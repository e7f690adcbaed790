// The control paths of the gateway: who may use them, its states, and what it has received.

import { type GatewayOptions, replayGateway, startGateway } from 'flowdouble'
import {
  type GatewaySubject,
  SECRET,
  startGatewaySubject,
  direct,
  signed,
} from '../../judge/gateway-subject.ts'
import { test, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { exchange } from '../../judge/wire.ts'

async function on(
  options: GatewayOptions,
  body: (subject: GatewaySubject) => Promise<void>,
): Promise<void> {
  const subject = await startGatewaySubject(options)
  try {
    await body(subject)
  } finally {
    await subject.close()
  }
}

test('gateway-control/advance The clock moves over HTTP, and what is due happens', () =>
  on({ agent: { delayMs: 50 } }, async ({ post, send, gateway }) => {
    await post('hook', {})
    const advance = (body: object) => send('POST', '/_flowdouble/advance', JSON.stringify(body))
    expect((await advance({ ms: 49 })).status).toBe(200)
    expect(gateway.runs()[0]?.status).toBe('running')
    expect((await advance({ ms: 1 })).status).toBe(200)
    expect(gateway.runs()[0]?.status).toBe('completed')
    await post('hook', {})
    expect((await advance({ until: 'idle' })).status).toBe(200)
    expect(gateway.outbox()).toHaveLength(2)
  }))

test('gateway-control/headers Requests keep all headers, with placeholders for credentials', () =>
  on({}, async ({ post, gateway }) => {
    const own = {
      'X-Foo': 'a',
      'X-Acme-Signature': 'v0=secret-of-acme',
      Cookie: 'a=secret-of-me',
    }
    await post('hook', { a: 1 }, own)
    const [request] = await gateway.requests({ headers: { 'x-foo': 'a' } })
    expect(request?.headers).toMatchObject({
      'x-foo': 'a',
      'x-acme-signature': expect.stringMatching(/^<[\w:]+>$/),
      'x-hub-signature-256': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    })
    const journal = await gateway.journal()
    expect(journal.join('\n')).not.toContain('secret-of')
    expect(replayGateway(journal)).toMatchObject({ differs: null })
  }))

proves(
  'control/gateway-health',
  async ({ gateway: { url } }) => {
    const elsewhere = { Via: '1.1 proxy', Host: 'double.example' }
    const read = async (path: string) => {
      const { status, body } = await exchange(url, 'GET', `/_flowdouble/${path}`, elsewhere)
      return { status, body: JSON.parse(body) }
    }
    expect(await read('health')).toEqual({ status: 200, body: { status: 'ok' } })
    expect(await read('version')).toMatchObject({
      status: 200,
      body: { name: 'flowdouble', deployment: 'gateway', like: null, generation: null },
    })
    expect(await read('runs')).toMatchObject({ status: 403 })
  },
  {},
)

proves(
  'control/gateway-ready',
  async ({ gateway: { url, drain } }) => {
    const ready = () => exchange(url, 'GET', '/_flowdouble/ready', {})
    expect(await ready()).toMatchObject({ status: 200, body: '{"status":"ready"}' })
    await drain(0)
    expect(await ready()).toMatchObject({ status: 503, body: '{"status":"closing"}' })
  },
  {},
)

test('gateway-control/lists Outbox, runs and journal are read over HTTP', () =>
  on({}, async ({ post, send, idle, gateway }) => {
    await post('hook', { a: 1 })
    await idle()
    expect((await send('GET', '/_flowdouble/outbox')).json()).toEqual(gateway.outbox())
    expect((await send('GET', '/_flowdouble/runs')).json()).toEqual(gateway.runs())
    const journal = await send('GET', '/_flowdouble/journal')
    expect(journal.body).toBe(`${(await gateway.journal()).join('\n')}\n`)
    expect(journal.header('content-type')).toBe('application/x-ndjson; charset=utf-8')
    for (const path of ['nothing', 'advance', 'outbox/x']) {
      expect((await send('GET', `/_flowdouble/${path}`)).status).toBe(404)
    }
  }))

/** Bodies that a path of the gateway rejects, and a part of the reason. */
const malformed: readonly (readonly [path: string, body: string, says: string])[] = [
  ...['{', 'null', '{"days": 1}', '{"ms": -1}'].map((body) => ['advance', body, ''] as const),
  ...['{', 'null', '{}', '{"target": 5}', '{"target": "*", "times": -1}'].map(
    (body) => ['outbox', body, 'target'] as const,
  ),
  ['outbox', '{"target": "*", "times": 1.5}', 'target'],
  ['outbox', '{"target": "*", "error": 5}', 'target'],
  ['outbox', '{"target": "*", "status": 600}', 'status'],
  ['outbox', '{"target": "*", "retryAfterMs": -1}', 'retryAfterMs'],
  ['outbox', '{"target": "*", "error": "x", "time": 1}', 'Did you mean times?'],
  ['advance', '{"ms": 1, "untill": "idle"}', 'Did you mean until?'],
  ['subscriptions', '{"name": "ci", "rout": {}}', 'Did you mean route?'],
]

test('gateway-control/malformed A malformed body is rejected with a hint, an unknown member with the nearest known one', () =>
  on({}, async ({ send }) => {
    for (const [path, body, says] of malformed) {
      const { status, json } = await send('POST', `/_flowdouble/${path}`, body)
      const error = expect.stringContaining(says)
      expect({ body, status, error: json().error }).toEqual({ body, status: 400, error })
    }
  }))

test('gateway-control/exposed On other addresses the paths exist for tests, or on request', async () => {
  const routes = { hook: { secret: SECRET } }
  const found: number[] = []
  const cases: GatewayOptions[] = [
    { host: '0.0.0.0', clock: 'real' },
    { host: '0.0.0.0', clock: 'real', control: true },
    { host: '0.0.0.0', clock: 'manual' },
    { host: '127.0.0.1', clock: 'real' },
    { host: '127.0.0.1', clock: 'manual', control: false },
  ]
  for (const options of cases) {
    const gateway = await startGateway({ port: 0, routes, ...options })
    found.push((await fetch(`http://127.0.0.1:${gateway.port}/_flowdouble/runs`)).status)
    await gateway.close()
  }
  expect(found).toEqual([404, 200, 200, 200, 404])
})

const control = (subject: GatewaySubject, path: string, value: unknown = {}) =>
  subject.send('POST', `/_flowdouble/${path}`, JSON.stringify(value))

const stateOf = async ({ gateway, send }: GatewaySubject) => {
  const { body, header } = await send('GET', '/health')
  return { health: body, date: header('date'), routes: gateway.routes(), runs: gateway.runs() }
}

proves(
  'control/gateway-reset',
  async (subject) => {
    const { gateway, post } = subject
    const before = await stateOf(subject)
    gateway.subscribe('mine', { secret: SECRET, prompt: 'x' })
    const first = await post('hook', {})
    expect((await post('hook', {})).status).toBe(202)
    expect((await post('hook', {})).status).toBe(429)
    await gateway.advance(70)
    expect(gateway.outbox()).toHaveLength(2)
    expect((await control(subject, 'reset')).status).toBe(200)
    expect(gateway.outbox()).toEqual([])
    expect(await stateOf(subject)).toEqual(before)
    // From the same start the same ids come again.
    expect((await post('hook', {})).json()).toEqual(first.json())
  },
  { rateLimit: 2, agent: { delayMs: 50 } },
)

proves(
  'control/gateway-restore',
  async (subject) => {
    const { gateway, post } = subject
    gateway.subscribe('mine', { secret: SECRET, prompt: 'x' })
    await post('hook', { a: 1 })
    await gateway.advance(60)
    await post('hook', { a: 2 })
    expect((await control(subject, 'snapshot', { name: 'one' })).json()).toEqual({ name: 'one' })
    const goOn = async () => {
      await gateway.until('idle')
      await post('mine', { a: 3 })
      await gateway.until('idle')
      return [gateway.outbox(), await stateOf(subject)]
    }
    const once = await goOn()
    gateway.remove('mine')
    await gateway.restore('one')
    expect(gateway.runs().map(({ status }) => status)).toEqual(['completed', 'running'])
    expect(await goOn()).toEqual(once)
    await gateway.reset()
    expect(gateway.routes()).toEqual(['hook'])
    await gateway.restore('one')
    expect(await goOn()).toEqual(once)
    expect((await control(subject, 'restore', { name: 'two' })).status).toBe(409)
  },
  { agent: { delayMs: 50 } },
)

/** Deliveries that never end by themselves: how many have started and were ended, and whom to notify. */
const deliveries = { started: 0, ended: 0, notify: (): void => undefined }

proves(
  'control/waiting',
  async ({ gateway, post }) => {
    Object.assign(deliveries, { started: 0, ended: 0 })
    const haveStarted = new Promise<void>((resolve) => {
      deliveries.notify = () => deliveries.started === 2 && resolve()
    })
    const posts = [post('direct', { a: 1 }), post('direct', { a: 2 })]
    await haveStarted
    await gateway.reset()
    const replies = await Promise.all(posts)
    expect(replies.map(({ status }) => status)).toEqual([503, 503])
    expect(deliveries.ended).toBe(2)
    expect(gateway.outbox()).toEqual([])
  },
  {
    routes: { direct: direct('{a}') },
    clock: 'real',
    deliveries: (_, signal) => {
      deliveries.started++
      deliveries.notify()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          deliveries.ended++
          reject(new Error('ended'))
        })
      })
    },
  },
)

proves(
  'control/gateway-requests',
  async (subject) => {
    const { gateway, post, send } = subject
    const { json } = await post('hook', { a: 1 }, { 'X-Request-ID': 'one' })
    await post('hook', { a: 2 }, { 'X-Hub-Signature-256': 'sha256=00' })
    const requests = await gateway.requests()
    expect(requests).toMatchObject([
      { method: 'POST', path: '/webhooks/hook', body: { a: 1 }, status: 202, run: 'one' },
      { method: 'POST', path: '/webhooks/hook', body: { a: 2 }, status: 401, run: null },
    ])
    expect(json().delivery_id).toBe('one')
    expect(JSON.stringify(requests)).not.toContain(SECRET)
    expect((await send('GET', '/_flowdouble/requests?status=202')).json()).toEqual(
      requests.slice(0, 1),
    )
    const body = { a: 3 }
    expect((await control(subject, 'verify', { path: '/webhooks/*', body })).json()).toMatchObject({
      passed: false,
      count: 0,
      near: [2, 1].map((received) => ({ differs: [{ at: 'body.a', expected: 3, received }] })),
    })
    expect(await gateway.verify({ body: { a: 1 }, times: 1 })).toMatchObject({ passed: true })
    const moved = await control(subject, 'advance', { until: { run: 'one', state: 'completed' } })
    expect(moved.json().found).toEqual({ delivery_id: 'one', state: 'completed' })
  },
  { agent: { delayMs: 50 } },
)

proves(
  'control/gateway-worlds',
  async (subject) => {
    const { gateway, post, send } = subject
    const path = (name: string, rest: string) => `/w/${name}${rest}`
    const at = (name: string, value: unknown) => {
      const body = JSON.stringify(value)
      return send('POST', path(name, '/webhooks/hook'), body, signed(body))
    }
    expect((await at('one', {})).status).toBe(404)
    const made = await control(subject, 'worlds', { name: 'one', agent: { answer: 'other' } })
    expect(made.json()).toEqual({ name: 'one', url: `${subject.url}/w/one` })
    await post('hook', { a: 1 })
    await gateway.advance(20)
    const branch = await gateway.fork('branch')
    expect((await at('one', { a: 2 })).status).toBe(202)
    expect((await at('branch', { a: 3 })).status).toBe(202)
    for (const world of gateway.worlds()) await world.until('idle')
    const [one] = gateway.worlds()
    expect(one?.outbox().map(({ text }) => text)).toEqual(['other'])
    expect(branch.outbox()).toHaveLength(2)
    expect(gateway.outbox()).toEqual([])
    await gateway.until('idle')
    expect(gateway.outbox()).toMatchObject([{ text: branch.outbox()[0]?.text }])
    const journals = [gateway, branch].map((each) => each.journal())
    for (const lines of await Promise.all(journals))
      expect(replayGateway(lines)).toEqual({ entries: lines.length - 1, differs: null })
    const runs = await send('GET', path('branch', '/_flowdouble/runs'))
    expect(runs.json()).toEqual(branch.runs())
    expect((await control(subject, 'worlds', { port: 5 })).status).toBe(400)
    const closed = await send('DELETE', '/_flowdouble/worlds/one')
    expect(closed.json()).toEqual({ closed: true })
    expect((await at('one', {})).status).toBe(404)
    await branch.close()
    expect(gateway.worlds()).toEqual([])
  },
  { agent: { delayMs: 50 } },
)

proves(
  'control/gateway-received',
  async (subject) => {
    const { gateway, post } = subject
    await expect(gateway.until('completed')).rejects.toThrow(/No event has been accepted yet/)
    const [request] = await Promise.all([
      gateway.received({ method: 'POST', path: '/webhooks/hook' }),
      post('hook', { a: 1 }),
    ])
    expect(request).toMatchObject({ body: { a: 1 }, status: 202 })
    await gateway.until('completed')
    const late = await control(subject, 'received', { path: '/webhooks/hok', withinMs: 0 })
    expect(late.status).toBe(409)
    expect(late.json().error).toMatch(/received 0\. Closest: .*differs in path/)
    const misnamed = gateway.until('complete' as 'completed')
    await expect(misnamed).rejects.toThrow('did you mean completed?')
  },
  {},
)
