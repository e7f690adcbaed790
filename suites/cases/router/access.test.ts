// Access to the Router: keys, tiers, the id of each call, other origins, and the form of its errors.

import { expect } from '../../judge/expect.ts'
import { expectRouterError, idOf, noModel, routerOf } from '../../judge/hosted/router.ts'
import { proves } from '../../judge/proves.ts'
import { withFaults } from '../../support/faults.ts'

/** Requests to paths of the Router, none of which changes anything. */
const asked: readonly (readonly [method: string, path: string])[] = [
  ['GET', ''],
  ['GET', `/${noModel}`],
  ['GET', `/${noModel}/openapi.json`],
  ['GET', '/nowhere'],
]

proves('router/key', async (subject) => {
  await routerOf(subject)
  const { raw, key } = subject
  for (const headers of [{ 'X-API-Key': key }, { Authorization: `Bearer ${key}` }])
    expect((await raw('GET', '/v2/models', undefined, headers)).status).toBe(200)
})

proves('router/header-key-first', async (subject) => {
  await routerOf(subject)
  const { raw, key } = subject
  const wrong = { 'X-API-Key': 'wrong-key', Authorization: `Bearer ${key}` }
  expectRouterError(await raw('GET', '/v2/models', undefined, wrong), 401, 'unauthorized')
  const right = { 'X-API-Key': key, Authorization: 'Bearer wrong-key' }
  expect((await raw('GET', '/v2/models', undefined, right)).status).toBe(200)
})

proves('router/key-refusal', async (subject) => {
  await routerOf(subject)
  const { raw, key } = subject
  const wrong = [{}, { 'X-API-Key': '' }, { Authorization: `Basic ${key}` }]
  for (const headers of wrong)
    for (const [method, path] of asked)
      expectRouterError(
        await raw(method, `/v2/models${path}`, undefined, headers),
        401,
        'unauthorized',
      )
})

proves('router/free-tier', async (subject) => {
  await routerOf(subject)
  const headers = { 'X-API-Key': 'test-key-free' }
  for (const [method, path] of asked) {
    const reply = await subject.raw(method, `/v2/models${path}`, undefined, headers)
    expectRouterError(reply, 403, 'forbidden')
  }
})

proves('router/request-id', async (subject) => {
  const { send, model } = await routerOf(subject)
  const replies = [
    await send('GET', ''),
    await send('GET', ''),
    await send('GET', `/${model}/openapi.json`),
    await send('GET', `/${noModel}`),
    await send('PATCH', ''),
    await send('GET', '', undefined, { 'X-API-Key': 'wrong-key' }),
  ]
  expect(new Set(replies.map(idOf)).size).toBe(replies.length)
})

proves('router/errors', async (subject) => {
  const { send } = await routerOf(subject)
  const reply = await send('GET', `/${noModel}`)
  const { detail } = expectRouterError(reply, 404, 'model_not_found')
  expect(detail).toContain(noModel)
  expect(reply.headers['content-type']).toMatch(/^application\/json/)
  const ok = await send('GET', '')
  expect(ok.headers).not.toHaveProperty('x-comfy-error-type')
})

proves('router/no-prefix', async (subject) => {
  await routerOf(subject)
  const { raw, key } = subject
  const headers = { 'X-API-Key': key, Authorization: `Bearer ${key}` }
  const reply = await raw('GET', '/api/v2/models', undefined, headers)
  expect(reply.status).toBe(404)
  expect(reply.headers).not.toHaveProperty('x-comfy-request-id')
})

proves('router/unknown-path', async (subject) => {
  const { send, model } = await routerOf(subject)
  for (const path of ['/nowhere', `/${model}/nowhere`, '/a/b/c/d'])
    expectRouterError(await send('GET', path), 404, 'model_not_found')
  const wrong = await send('DELETE', `/${model}/openapi.json`)
  expectRouterError(wrong, 405, 'invalid_input')
  expect(wrong.headers).toMatchObject({ allow: 'GET,HEAD' })
})

proves('router/cors', async (subject) => {
  const { send } = await routerOf(subject)
  const page = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'PUT' }
  const preflight = await subject.raw('OPTIONS', '/v2/models/a/b', undefined, page)
  expect(preflight.status).toBe(200)
  const words = (text = ''): readonly string[] => text.toLowerCase().split(/ *, */)
  for (const { headers } of [preflight, await send('GET', '')]) {
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(words(headers['access-control-allow-methods'])).toContain('put')
    expect(words(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'idempotency-key']),
    )
    expect(words(headers['access-control-expose-headers'])).toContain('x-comfy-request-id')
  }
})

const at = (path: string) => ({ path: `/v2/models${path}` })

proves(
  'router/faults',
  async (subject) => {
    const { send } = await routerOf(subject)
    subject.breaks('router/detail')
    const limited = await send('GET', '/a/limited')
    expectRouterError(limited, 429, 'rate_limited')
    expect(limited.headers['retry-after']).toBe('3')
    expectRouterError(await send('GET', '/a/down'), 503, 'service_unavailable')
    expectRouterError(await send('GET', '/a/late'), 504, 'provider_timeout')
    expectRouterError(await send('GET', '/a/bound'), 504, 'deadline_exceeded')
    expectRouterError(await send('GET', '/a/broken'), 500, 'internal_error')
    expectRouterError(await send('GET', '/a/fields'), 422, 'invalid_input')
    expectRouterError(await send('GET', '/a/later'), 418, 'brand_new')
    const page = await send('GET', '/a/page')
    expect(page.headers).not.toHaveProperty('x-comfy-error-type')
    expect([page.status, page.text]).toEqual([502, '<html></html>'])
  },
  {
    ...withFaults(
      { when: at('/a/limited'), then: { status: 429, retryAfter: 3 } },
      { when: at('/a/down'), then: { status: 503 } },
      { when: at('/a/late'), then: { status: 504 } },
      { when: at('/a/bound'), then: { status: 504, retryAfter: 1 } },
      { when: at('/a/broken'), then: { status: 500 } },
      {
        when: at('/a/fields'),
        then: { status: 422, body: { detail: [{ loc: ['body'], msg: 'no', type: 'x' }] } },
      },
      {
        when: at('/a/later'),
        then: { status: 418, body: { detail: '', error_type: 'brand_new' } },
      },
      {
        when: at('/a/page'),
        then: { status: 502, body: '<html></html>', headers: { 'Content-Type': 'text/html' } },
      },
    ),
    deployment: 'hosted',
  },
)
