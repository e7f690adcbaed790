// Queued calls of models: submitting, states over time, results, cancelling.

import { routerHandle, routerStatus } from '../../../spec/router/router-queue.ts'
import { expect } from '../../judge/expect.ts'
import { fitting, nobody } from '../../judge/hosted/jobs.ts'
import { expectRouterError, routerOf } from '../../judge/hosted/router.ts'
import {
  at,
  cents,
  OVER,
  plain,
  queueWorld,
  QUEUED,
  resultOf,
  RUNS,
  several,
  statusOf,
  wordsOf,
} from '../../judge/hosted/router-queue.ts'
import { provesHosted } from '../../judge/proves.ts'

provesHosted(
  ['router-queue/submit', 'router-queue/addresses'],
  async (subject) => {
    const router = await routerOf(subject)
    const handle = await router.submit(plain, { n: 1 })
    expect(handle).toMatchObject({ status: QUEUED, queue_position: 0 })
    const { status_url, response_url, cancel_url } = handle
    expect([response_url, status_url, cancel_url]).toEqual(
      ['', '/status', '/cancel'].map(
        (path) => `${subject.url}/v2/models${at(handle.request_id, path)}`,
      ),
    )
    const { origin } = new URL(status_url)
    const headers = { 'X-API-Key': subject.key }
    const reply = await subject.raw('GET', status_url.slice(origin.length), undefined, headers)
    expect(fitting(routerStatus, reply)).toMatchObject({ status_url, response_url, cancel_url })
  },
  queueWorld(),
)

provesHosted(
  ['router-queue/states', 'router-queue/order'],
  async (subject) => {
    const router = await routerOf(subject)
    const ids = await several(router, 3)
    const words = [
      [RUNS, QUEUED, QUEUED],
      [OVER, RUNS, QUEUED],
      [OVER, OVER, RUNS],
    ]
    for (const expected of words) {
      expect(await wordsOf(router, ids)).toEqual(expected)
      await subject.emulator?.advance(500)
    }
    expect(await wordsOf(router, ids)).toEqual([OVER, OVER, OVER])
  },
  queueWorld(),
)

provesHosted(
  'router-queue/position',
  async (subject) => {
    const router = await routerOf(subject)
    const { submit } = router
    const places: number[] = []
    const ids: string[] = []
    for (let n = 0; n < 4; n++) {
      const { request_id, queue_position } = await submit(plain, {})
      ids.push(request_id)
      places.push(queue_position)
    }
    expect(places).toEqual([0, 0, 1, 2])
    const positions = async () => {
      const found: unknown[] = []
      for (const id of ids) found.push((await statusOf(router, id)).queue_position)
      return found
    }
    expect(await positions()).toEqual([undefined, 0, 1, 2])
    await subject.emulator?.advance(500)
    expect(await positions()).toEqual([undefined, undefined, 0, 1])
  },
  queueWorld(),
)

provesHosted(
  ['router-queue/pace', 'router-queue/not-ready'],
  async (subject) => {
    const router = await routerOf(subject)
    const ids = await several(router, 2)
    for (const [n, word] of [RUNS, QUEUED].entries())
      for (const path of ['', '/status']) {
        const reply = await router.send('GET', at(ids[n] ?? '', path))
        expect(fitting(routerStatus, reply, path === '' ? 202 : 200).status).toBe(word)
        expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      }
    await subject.idle()
    const { headers } = await router.send('GET', at(ids[0] ?? '', '/status'))
    expect(headers).not.toHaveProperty('retry-after')
  },
  queueWorld(),
)

provesHosted(
  'router-queue/result',
  async (subject) => {
    const router = await routerOf(subject)
    const [id = ''] = await several(router, 1)
    await subject.idle()
    const status = await statusOf(router, id)
    expect(status).not.toHaveProperty('error_type')
    for (let times = 0; times < 2; times++) {
      const reply = await resultOf(router, id)
      expect([reply.status, reply.json()]).toEqual([200, { done: 0 }])
      const same = await router.run(plain, { n: 0 })
      for (const name of ['content-type', 'x-comfy-credits-used', 'x-content-type-options'])
        expect(reply.headers[name]).toBe(same.headers[name])
      expect(reply.text).toBe(same.text)
    }
  },
  queueWorld(),
)

provesHosted(
  'router-queue/failed',
  async (subject) => {
    const router = await routerOf(subject)
    subject.breaks('router-queue/result')
    const before = await cents(subject)
    const buckets = [
      ['content_policy_violation', 400],
      ['provider_error', 502],
      ['brand_new', 418],
    ] as const
    const ids = await several(router, buckets.length)
    await subject.idle()
    for (const [n, [bucket, status]] of buckets.entries()) {
      const { status: word, error_type } = await statusOf(router, ids[n] ?? '')
      expect([word, error_type]).toEqual([OVER, bucket])
      expectRouterError(await resultOf(router, ids[n] ?? ''), status, bucket)
    }
    expect(await cents(subject)).toBe(before)
  },
  queueWorld([
    { nth: 1, error: 'content_policy_violation' },
    { nth: 2, error: 'provider_error' },
    { nth: 3, error: 'brand_new', status: 418 },
  ]),
)

provesHosted(
  'router-queue/unknown',
  async (subject) => {
    const router = await routerOf(subject)
    const other = await routerOf(subject.as('other-key'))
    const [id = ''] = await several(router, 1)
    const requests = [
      ['GET', '/status'],
      ['GET', ''],
      ['PUT', '/cancel'],
    ] as const
    for (const [method, path] of requests) {
      const replies = [
        await router.send(method, at(nobody, path)),
        await router.send(method, at('no-id', path)),
        await router.send(method, at(id, path, 'acme/other')),
        await other.send(method, at(id, path)),
      ]
      const texts = replies.map((reply) => {
        expectRouterError(reply, 404, 'request_not_found')
        return reply.text
      })
      expect(new Set(texts).size).toBe(1)
      expectRouterError(
        await router.send(method, at(id, path, 'acme/none')),
        404,
        'model_not_found',
      )
    }
    expect((await statusOf(router, id)).status).toBe(RUNS)
  },
  queueWorld(),
)

provesHosted(
  'router-queue/bytes',
  async (subject) => {
    const { send } = await routerOf(subject)
    expectRouterError(await send('POST', '/acme/say-1/requests', {}), 403, 'not_enabled')
  },
  queueWorld(),
)

provesHosted(
  'router-queue/backlog',
  async (subject) => {
    const router = await routerOf(subject)
    await several(router, 101)
    const full = await router.send('POST', `/${plain}/requests`, {})
    expectRouterError(full, 429, 'queue_backlog_full')
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0)
    await subject.emulator?.advance(500)
    await router.submit(plain, {})
  },
  queueWorld([], { balance: 10_000 }),
)

provesHosted(
  ['router-queue/key', 'router-queue/estimate'],
  async (subject) => {
    const router = await routerOf(subject)
    const key = { 'Idempotency-Key': 'a' }
    const first = await router.submit(plain, { n: 1 }, key)
    expect(first.estimate).toMatchObject({ source: 'exact', credits: 10 })
    await subject.idle()
    const again = await router.send('POST', `/${plain}/requests`, { n: 1 }, key)
    const { estimate: _, ...handle } = first
    expect(fitting(routerHandle, again, 201)).toEqual(handle)
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' })
    expectRouterError(
      await router.send('POST', `/${plain}/requests`, { n: 2 }, key),
      409,
      'invalid_input',
    )
  },
  queueWorld(),
)

const hour = 3_600_000

provesHosted(
  'router-queue/retention',
  async (subject) => {
    const router = await routerOf(subject)
    const [id = ''] = await several(router, 1)
    await subject.emulator?.advance(500 + 24 * hour - 1)
    expect((await resultOf(router, id)).status).toBe(200)
    await subject.emulator?.advance(1)
    for (const path of ['', '/status'])
      expectRouterError(await router.send('GET', at(id, path)), 410, 'request_not_found')
    expectRouterError(await router.send('PUT', at(id, '/cancel')), 410, 'request_not_found')
  },
  queueWorld(),
)

provesHosted(
  'router-queue/timeout',
  async (subject) => {
    const router = await routerOf(subject)
    const [first = '', second = ''] = await several(router, 2)
    await subject.emulator?.advance(hour - 1)
    expect(await wordsOf(router, [first, second])).toEqual([RUNS, QUEUED])
    await subject.emulator?.advance(1)
    const { status, error_type } = await statusOf(router, second)
    expect([status, error_type]).toEqual([OVER, 'queue_timeout'])
    expectRouterError(await resultOf(router, second), 504, 'queue_timeout')
    expect((await statusOf(router, first)).status).toBe(RUNS)
  },
  queueWorld([{ neverEnds: true }]),
)
