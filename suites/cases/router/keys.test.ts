// Idempotency keys of the Router: replays of recorded answers, over time and with failures.

import type { EmulatorOptions } from 'flowdouble'
import type { ModelRule } from '../../../spec/scenario/models.ts'
import { expect } from '../../judge/expect.ts'
import { account } from '../../judge/hosted/jobs.ts'
import { expectRouterError, routerOf } from '../../judge/hosted/router.ts'
import { ownWorld, provesHosted } from '../../judge/proves.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'

const world = (
  { models = [], faults = [] }: { models?: readonly ModelRule[]; faults?: readonly Fault[] } = {},
  more: EmulatorOptions = {},
): EmulatorOptions => ({
  ...ownWorld,
  scenario: {
    version: 1,
    modelTypes: {
      'acme/pic-1': {
        input: { type: 'object', properties: { n: { type: 'integer' } } },
        output: { url: { media: 'png', width: 8, height: 8 } },
        price: 10,
      },
      'acme/plain': { input: { type: 'object' }, output: { done: true }, price: 10 },
      'acme/say-1': { input: { type: 'object' }, bytes: 'wav' },
    },
    models: [...models],
    faults: [...faults],
  },
  ...more,
})

const plain = 'acme/plain'
const named = (name: string) => ({ 'Idempotency-Key': name })
const isReplay = { 'idempotent-replayed': 'true' }

provesHosted(
  'router-runs/replay',
  async (subject) => {
    const { run, send } = await routerOf(subject)
    for (const id of ['acme/pic-1', plain, 'acme/say-1']) {
      const first = await run(id, { n: 1 }, named(id))
      expect(first.headers).not.toHaveProperty('idempotent-replayed')
      const again = await send('POST', `/${id}`, { n: 1 }, named(id))
      expect([again.status, again.bytes.equals(first.bytes)]).toEqual([200, true])
      const kept = ['content-type', 'x-comfy-credits-used', 'x-comfy-router-dropped-params']
      for (const name of kept) expect(again.headers[name]).toBe(first.headers[name])
      expect(again.headers).toMatchObject(isReplay)
    }
    const cents = (await subject.get('/billing/balance')).json().amount_micros
    await send('POST', `/${plain}`, { n: 1 }, named(plain))
    expect((await subject.get('/billing/balance')).json().amount_micros).toBe(cents)
  },
  world({ models: [{ droppedParams: ['seed (not supported)'] }] }),
)

provesHosted(
  'router-runs/key-in-flight',
  async (subject) => {
    const { begin, send } = await routerOf(subject)
    const { reply } = await begin(plain, {}, named('a'))
    const early = await send('POST', `/${plain}`, {}, named('a'))
    expectRouterError(early, 409, 'concurrency_limit_exceeded')
    expect(Number(early.headers['retry-after'])).toBeGreaterThan(0)
    await subject.idle()
    expect((await reply).status).toBe(200)
    const later = await send('POST', `/${plain}`, {}, named('a'))
    expect(later.headers).toMatchObject(isReplay)
  },
  world(),
)

provesHosted(
  'router-runs/key-of-another',
  async (subject) => {
    const { run, send } = await routerOf(subject)
    await run(plain, { n: 1 }, named('a'))
    const others = [
      [`/${plain}`, { n: 2 }],
      [`/${plain}?fallback_provider=false`, { n: 1 }],
      ['/acme/pic-1', { n: 1 }],
      [`/${plain}/requests`, { n: 1 }],
    ] as const
    for (const [path, input] of others) {
      const reply = await send('POST', path, input, named('a'))
      expectRouterError(reply, 409, 'invalid_input')
      expect(reply.headers).not.toHaveProperty('retry-after')
    }
  },
  world(),
)

provesHosted(
  'router-runs/key-released',
  async (subject) => {
    const { run, send } = await routerOf(subject)
    const key = named('a')
    expectRouterError(await send('POST', '/acme/pic-1', 'no JSON', key), 400, 'invalid_input')
    expectRouterError(await send('POST', '/acme/pic-1', { n: '' }, key), 422, 'invalid_input')
    expectRouterError(await send('POST', '/acme/none', {}, key), 404, 'model_not_found')
    expectRouterError(await send('POST', '/acme/pic-1', {}, key), 403, 'forbidden')
    expectRouterError(await send('POST', '/acme/pic-1', {}, key), 429, 'rate_limited')
    expect((await run('acme/pic-1', { n: 1 }, key)).status).toBe(200)
  },
  world({
    models: [
      { nth: 1, error: 'forbidden' },
      { nth: 2, error: 'rate_limited', retryAfter: 1 },
    ],
  }),
)

provesHosted(
  ['router-runs/key-kept', 'scenario/model-kept'],
  async (subject) => {
    const { run, send } = await routerOf(subject)
    const again = async (name: string) => send('POST', `/${plain}`, {}, named(name))
    expectRouterError(await run(plain, {}, named('policy')), 400, 'content_policy_violation')
    const policy = await again('policy')
    expectRouterError(policy, 400, 'content_policy_violation')
    expect(policy.headers).toMatchObject(isReplay)
    expectRouterError(await run(plain, {}, named('fields')), 422, 'invalid_input')
    expect((await again('fields')).headers).toMatchObject(isReplay)
    expectRouterError(await run(plain, {}, named('broken')), 502, 'provider_error')
    expectRouterError(await again('broken'), 409, 'invalid_input')
    expectRouterError(await run(plain, {}, named('lost')), 504, 'provider_timeout')
    expect((await again('lost')).json()).toEqual({ done: true })
    expectRouterError(await run(plain, {}, named('bound')), 504, 'deadline_exceeded')
    expect((await again('bound')).headers).toMatchObject(isReplay)
    expectRouterError(await run(plain, {}, named('fault')), 500, 'internal_error')
    expectRouterError(await again('fault'), 409, 'invalid_input')
    expectRouterError(await run(plain, {}, named('pace')), 504, 'deadline_exceeded')
    expect((await run(plain, {}, named('pace'))).status).toBe(200)
  },
  world({
    models: [
      { nth: 1, error: 'content_policy_violation' },
      { nth: 2, errors: [{ loc: ['body', 'n'], msg: 'odd', type: 'odd' }], upstreamStatus: 422 },
      { nth: 3, error: 'provider_error', upstreamStatus: 500 },
      { nth: 4, error: 'provider_timeout', kept: true },
      { nth: 5, error: 'deadline_exceeded', retryAfter: 1 },
    ],
    faults: [
      { when: { path: `/v2/models/${plain}`, method: 'POST', nth: 11 }, then: { status: 500 } },
      {
        when: { path: `/v2/models/${plain}`, method: 'POST', nth: 13 },
        then: { status: 504, retryAfter: 1 },
      },
    ],
  }),
)

const hour = 3_600_000

provesHosted(
  'router-runs/key-lifetime',
  async (subject) => {
    const { run, send } = await routerOf(subject)
    await run(plain, {}, named('a'))
    // The call takes a moment.
    await subject.emulator?.advance(24 * hour - 1000)
    expect((await send('POST', `/${plain}`, {}, named('a'))).headers).toMatchObject(isReplay)
    await subject.emulator?.advance(1000)
    const fresh = await run(plain, {}, named('a'))
    expect(fresh.headers).not.toHaveProperty('idempotent-replayed')
  },
  world(),
)

provesHosted(
  'router-runs/links-replay',
  async (subject) => {
    const { run, send } = await routerOf(subject)
    await run('acme/pic-1', {}, named('a'))
    await subject.emulator?.advance(599_000)
    const again = await send('POST', '/acme/pic-1', {}, named('a'))
    expect(again.headers).toMatchObject(isReplay)
    await subject.emulator?.advance(1000)
    expectRouterError(await send('POST', '/acme/pic-1', {}, named('a')), 409, 'invalid_input')
  },
  world(),
)

provesHosted(
  'router-runs/client-gone',
  async (subject) => {
    const { begin, send } = await routerOf(subject)
    const { reply } = await begin(plain, {}, named('a'))
    const lost = expect(reply).rejects.toThrow()
    await subject.idle()
    await lost
    const again = await send('POST', `/${plain}`, {}, named('a'))
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true'])
  },
  world({
    faults: [{ when: { path: `/v2/models/${plain}`, nth: 1 }, then: { reset: true } }],
  }),
)

provesHosted(
  'router-runs/key-form',
  async (subject) => {
    const { send, run } = await routerOf(subject)
    for (const key of ['', 'x'.repeat(256), 'k\u00e9y'])
      for (const path of ['', '/requests'])
        expectRouterError(
          await send('POST', `/${plain}${path}`, {}, named(key)),
          400,
          'invalid_input',
        )
    expect((await run(plain, {}, named('x'.repeat(255)))).status).toBe(200)
  },
  world(),
)

provesHosted(
  'router-runs/key-scope',
  async (subject) => {
    const { run } = await routerOf(subject)
    const other = await routerOf(subject.as('other-key'))
    await run(plain, {}, named('a'))
    expect((await other.run(plain, {}, named('a'))).headers).not.toHaveProperty(
      'idempotent-replayed',
    )
    const headers = { Authorization: `Bearer ${subject.key}`, ...named('a') }
    const v2 = await subject.raw('POST', '/api/v2/jobs', '{}', headers)
    expect(v2.status).toBe(422)
    expect(v2.text).not.toContain('idempotency_key_reuse')
  },
  world({}, { accounts: [account('test-key'), account('other-key')] }),
)

provesHosted(
  'router-runs/deadline',
  async (subject) => {
    const { begin, run } = await routerOf(subject)
    const key = { 'Idempotency-Key': 'slow' }
    const keyed = await begin(plain, {}, key)
    const other = await begin(plain, {})
    await subject.emulator?.advance(300_000)
    const late = await keyed.reply
    expectRouterError(late, 504, 'deadline_exceeded')
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    const lost = await other.reply
    expectRouterError(lost, 504, 'deadline_exceeded')
    expect(lost.headers).not.toHaveProperty('retry-after')
    const early = await begin(plain, {}, key)
    expectRouterError(await early.reply, 409, 'concurrency_limit_exceeded')
    await subject.emulator?.advance(100_000)
    const collected = await run(plain, {}, key)
    expect(collected.json()).toEqual({ done: true })
    expect(collected.headers).toMatchObject({ 'idempotent-replayed': 'true' })
  },
  world({ models: [{ model: 'acme/plain', durationMs: 400_000 }] }),
)
