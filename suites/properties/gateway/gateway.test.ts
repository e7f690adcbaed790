// What holds for every sequence of posts and for every request to a gateway: a small model, and a journal that replays.

import * as fc from 'fast-check'
import { replayGateway } from 'flowdouble'
import { expect, test } from 'vitest'
import { gatewayRefusals, outcomes } from '../../../spec/gateway/webhooks.ts'
import { direct, SECRET, signed, startGatewaySubject } from '../../judge/gateway-subject.ts'
import { headersOf, schemeNames } from '../../generate/senders.ts'
import { exchangeBytes } from '../../judge/wire.ts'
import { anyText } from '../../generate/texts.ts'
import { runs } from '../../support/effort.ts'

type Step =
  | {
      readonly kind: 'post'
      readonly route: string
      readonly id: string
      readonly isRight: boolean
    }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'fail'; readonly times: number }

const someStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      route: fc.constantFrom('note', 'other', 'run'),
      id: fc.constantFrom('a', 'b', 'c', ''),
      isRight: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 30_000, 59_999, 60_000, 60_001, 1_800_000, 3_599_999, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      times: fc.integer({ min: 0, max: 2 }),
    }),
  },
)

/** The answers of a gateway, as briefly as possible: hits of each route, ids with their times, failures to come. */
function createModel(limit: number) {
  let nowMs = 0
  let failures = 0
  const hits = new Map<string, number[]>()
  const seen = new Map<string, number>()
  return (step: Step): number | undefined => {
    if (step.kind === 'pass') nowMs += step.ms
    if (step.kind === 'fail') failures = step.times
    if (step.kind !== 'post') return undefined
    if (!step.isRight) return 401
    const recent = (hits.get(step.route) ?? []).filter((at) => at >= nowMs - 60_000)
    if (recent.length >= limit) return 429
    hits.set(step.route, [...recent, nowMs])
    const key = `${step.route} ${step.id}`
    const first = step.id === '' ? undefined : seen.get(key)
    if (first !== undefined && nowMs - first < 3_600_000) return 200
    seen.set(key, nowMs)
    if (step.route === 'run') return 202
    if (failures === 0) return 200
    failures--
    seen.delete(key)
    return 502
  }
}

test('gateway/model Rate limit and ids are those of a small model, in any sequence, and the journal replays', async () => {
  const seenStatuses = new Set<number>()
  const property = fc.asyncProperty(
    fc.array(someStep, { minLength: 10, maxLength: 60 }),
    async (steps) => {
      const routes = {
        note: direct('x'),
        other: direct('x'),
        run: { secret: SECRET, deliver: 'slack' },
      }
      const { post, gateway, close } = await startGatewaySubject({ rateLimit: 3, routes })
      const model = createModel(3)
      const outcome = { got: [] as number[], wanted: [] as number[] }
      for (const step of steps) {
        const wanted = model(step)
        if (step.kind === 'pass') await gateway.advance(step.ms)
        if (step.kind === 'fail') {
          gateway.failDeliveries({ target: 'telegram', error: 'x', times: step.times })
        }
        if (step.kind !== 'post' || wanted === undefined) continue
        const wrong = step.isRight ? {} : signed('{}', 'wrong')
        const { status } = await post(step.route, '{}', { ...wrong, 'X-Request-ID': step.id })
        outcome.got.push(status)
        outcome.wanted.push(wanted)
        seenStatuses.add(status)
      }
      const journal = await gateway.journal()
      await close()
      expect(outcome.got).toEqual(outcome.wanted)
      expect(replayGateway(journal.join('\n'))).toEqual({
        entries: journal.length - 1,
        differs: null,
      })
    },
  )
  await fc.assert(property, { seed: 20260112, numRuns: runs(60) })
  expect([...seenStatuses].toSorted((a, b) => a - b)).toEqual([200, 202, 401, 429, 502])
})

/** Every answer in the spec, as its status. */
const documented = new Set(
  [...Object.values(outcomes), ...Object.values(gatewayRefusals)].map(({ status }) => status),
)

const junk = fc.oneof(
  anyText(30).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  fc.object().map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .constantFrom('[[[[', '{"type":', 'payload=%7B%7D', ' '.repeat(3000), '{}')
    .map((text) => Buffer.from(text)),
)
const headerValue = fc.oneof(
  fc.stringMatching(/^[\t -~]{0,30}$/),
  fc
    .uint8Array({ maxLength: 12 })
    .map((bytes) =>
      String.fromCharCode(...bytes.map((byte) => (byte < 32 || byte === 127 ? 65 : byte))),
    ),
  fc.constantFrom('v1,', 'v1,x v1,y', 't=1,v1=', 'sha256=', '1767225600', SECRET, '', ',,,', '=='),
)
const someHeader = fc.tuple(
  fc.constantFrom(
    'X-Hub-Signature-256',
    'X-Gitlab-Token',
    'X-Any-Token',
    'svix-id',
    'svix-timestamp',
    'svix-signature',
    'webhook-signature',
    'webhook-id',
    'webhook-timestamp',
    'Stripe-Signature',
    'X-GitHub-Event',
    'X-GitHub-Delivery',
    'X-Request-ID',
    'Content-Type',
    'Expect',
    'Upgrade',
    'Content-Encoding',
    'X-Webhook-Timestamp',
    'X-Webhook-Signature-V2',
    'Cookie',
    'Accept',
  ),
  headerValue,
)
const target = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('/webhooks/hook', '/webhooks/note', '/webhooks/filtered'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/health',
      '/',
      '*',
      '/webhooks/%zz',
      '/webhooks/a%00',
      'http://x/webhooks/hook',
      '//',
      '/ws',
      '/webhooks/__proto__',
      `/webhooks/${'x'.repeat(9000)}`,
      '/webhooks/hook?a=b',
      '/webhooks',
    ),
  },
)
const framing = fc.constantFrom('length', 'chunked', 'short', 'long', 'none', 'odd', 'broken')

/** A request as bytes; those that promise more than they send end their connection. */
function requestBytes(
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
  frame: string,
): Buffer {
  const lengths: Readonly<Record<string, string>> = {
    length: `Content-Length: ${body.length}`,
    short: `Content-Length: ${Math.max(0, body.length - 1)}`,
    long: 'Content-Length: 99999',
    odd: 'Content-Length: -1',
    chunked: 'Transfer-Encoding: chunked',
    broken: 'Transfer-Encoding: chunked',
    none: 'X-None: 1',
  }
  const chunk = [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]
  const chunks = body.length === 0 ? [] : chunk
  const sent = {
    chunked: Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]),
    broken: Buffer.concat([Buffer.from('zz\r\n'), body]),
  }[frame as 'chunked'] as Buffer | undefined
  const lines = [...headers, ['Host', 'a'], ['Connection', 'close']].map(
    ([name, value]) => `${name}: ${value}`,
  )
  const head = [`${method} ${path} HTTP/1.1`, ...lines, lengths[frame], '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), sent ?? body])
}

test('gateway/answered Any request gets one of the answers of the spec, and the gateway continues.', async () => {
  const routes = {
    hook: { secret: SECRET },
    note: direct('{a} {__raw__}', { deliver_extra: { chat_id: '{a.b}' } }),
    filtered: { secret: SECRET, events: ['push'], prompt: '{type}' },
  }
  const subject = await startGatewaySubject({ routes, rateLimit: 1e6, maxBodyBytes: 2000 })
  const seen = new Set<number>()
  const method = fc.constantFrom(
    'POST',
    'POST',
    'POST',
    'POST',
    'GET',
    'PUT',
    'OPTIONS',
    'CONNECT',
    'HEAD',
  )
  const signing = fc.option(fc.constantFrom(...schemeNames))
  const property = fc.asyncProperty(
    fc.tuple(method, target, fc.array(someHeader, { maxLength: 4 }), junk, framing, signing),
    async ([verb, path, headers, body, frame, scheme]) => {
      const own = scheme === null ? {} : headersOf(scheme, { body, secret: SECRET })
      const all = [...Object.entries(own), ...headers]
      const bytes = requestBytes(verb, path, all, body, frame)
      // The gateway would wait for a body that never arrives as long as its client is connected.
      if (frame === 'long' && !path.startsWith('/webhooks/')) return
      const { status } = await exchangeBytes(subject.url, bytes)
      expect(documented).toContain(status)
      seen.add(status)
    },
  )
  try {
    await fc.assert(property, { seed: 20260113, numRuns: runs(1000) })
    for (const status of [200, 202, 400, 401, 404, 405, 413]) expect([...seen]).toContain(status)
    expect((await subject.send('GET', '/health')).status).toBe(200)
    expect((await subject.post('hook', {})).status).toBe(202)
  } finally {
    await subject.close()
  }
})

test('gateway/replays Whatever was sent, the journal replays, and contains no secret', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.constantFrom(...schemeNames), junk, fc.boolean()), { maxLength: 12 }),
    fc.stringMatching(/^[!-~]{8,30}$/),
    async (posts, secret) => {
      const routes = { hook: { secret, prompt: '{a} {__raw__}', deliver: 'log' } }
      const subject = await startGatewaySubject({ routes, maxBodyBytes: 2000 })
      for (const [scheme, body, isRight] of posts) {
        const headers = headersOf(scheme, { body, secret: isRight ? secret : 'wrong-secret' })
        await subject.send('POST', '/webhooks/hook', body, headers)
      }
      await subject.idle()
      const journal = (await subject.gateway.journal()).join('\n')
      await subject.close()
      expect(journal.includes(secret)).toBe(false)
      const entries = journal.split('\n').length - 1
      expect(replayGateway(journal)).toEqual({ entries, differs: null })
    },
  )
  await fc.assert(property, { seed: 20260114, numRuns: runs(60) })
})
