// The control paths of the gateway, and who may use them.

import { type GatewayOptions, replayGateway, startGateway } from 'flowdouble'
import { type GatewaySubject, SECRET, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { test } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

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
