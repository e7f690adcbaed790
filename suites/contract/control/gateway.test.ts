// What a test asks of the gateway's double over HTTP, and who is not let in.

import { type GatewayOptions, startGateway } from 'flowdouble'
import gatewayDocument from '../../../spec/openapi.gateway.json' with { type: 'json' }
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
    const advance = (body: unknown) =>
      send('POST', '/_flowdouble/advance', typeof body === 'string' ? body : JSON.stringify(body))
    expect((await advance({ ms: 49 })).status).toBe(200)
    expect(gateway.runs()[0]?.status).toBe('running')
    expect((await advance({ ms: 1 })).status).toBe(200)
    expect(gateway.runs()[0]?.status).toBe('completed')
    await post('hook', {})
    expect((await advance({ until: 'idle' })).status).toBe(200)
    expect(gateway.outbox()).toHaveLength(2)
    for (const wrong of ['{', 'null', { days: 1 }]) expect((await advance(wrong)).status).toBe(400)
    expect((await advance({ ms: -1 })).status).toBe(409)
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
    for (const path of ['nothing', '', 'advance', 'outbox/x']) {
      expect((await send('GET', `/_flowdouble/${path}`)).status).toBe(404)
    }
  }))

test('gateway-control/openapi The gateway returns its own document', () =>
  on({}, async ({ send }) => {
    const { json } = await send('GET', '/_flowdouble/openapi.json')
    expect(json()).toEqual({ ...gatewayDocument, servers: [{ url: '/' }] })
  }))

test('gateway-control/failures A script of another form is refused with a hint', () =>
  on({}, async ({ send }) => {
    const wrong = ['{', 'null', '{}', '{"target": 5}', '{"target": "*", "times": -1}']
    for (const body of [...wrong, '{"target": "*", "times": 1.5}', '{"target": "*", "error": 5}']) {
      const { status, json } = await send('POST', '/_flowdouble/outbox', body)
      expect([body, status, json().error]).toEqual([body, 400, expect.stringContaining('target')])
    }
  }))

const unknown = [404, '404: Not Found']

test('gateway-control/own Whoever speaks through a tunnel, a browser or another name is not let in', () =>
  on({}, async ({ send }) => {
    const others = [
      { Host: 'gateway.example' },
      { Host: '127.0.0.1.example:80' },
      { 'X-Forwarded-For': '127.0.0.1' },
      { Forwarded: 'for=127.0.0.1' },
      { Via: '1.1 tunnel' },
      { Origin: 'http://localhost:8644' },
      { 'Sec-Fetch-Site': 'same-origin' },
    ]
    for (const headers of others) {
      for (const path of ['outbox', 'runs', 'journal']) {
        const { status, body } = await send('GET', `/_flowdouble/${path}`, '', headers)
        expect([headers, status, body]).toEqual([headers, ...unknown])
      }
    }
    expect((await send('GET', '/_flowdouble/runs', '', { Host: 'localhost' })).status).toBe(200)
  }))

test('gateway-control/exposed On other addresses the paths are there for tests, or when asked for', async () => {
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
