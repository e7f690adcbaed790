// The gateway over HTTP: its paths, the order of its checks, and its answers.

import { checks, gatewayHealth, gatewayRefusals } from '../../../spec/gateway/webhooks.ts'
import { direct, SECRET, signed } from '../../judge/gateway-subject.ts'
import { violations } from '../../judge/judge.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('webhooks/health', async ({ send }) => {
  const reply = await send('GET', '/health')
  expect(reply.status).toBe(200)
  expect(reply.json()).toMatchObject({ status: 'ok', platform: 'webhook' })
  expect(violations(gatewayHealth, reply.json())).toEqual([])
})

proves(
  'webhooks/health-is-free',
  async ({ send }) => {
    for (let count = 0; count < 3; count++) expect((await send('GET', '/health')).status).toBe(200)
    const head = await send('HEAD', '/health')
    const get = await send('GET', '/health?deep=1')
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.header('content-length')).toBe(get.header('content-length'))
  },
  { routes: {}, rateLimit: 1 },
)

proves('webhooks/path', async ({ gateway, post, idle, url }) => {
  expect(url).toBe(`http://127.0.0.1:${gateway.port}`)
  expect((await post('hook', {})).status).toBe(202)
  gateway.subscribe('later', { secret: 'later-secret' })
  expect((await post('later', {}, signed('{}', 'later-secret'))).status).toBe(202)
  await idle()
  expect(gateway.runs().map(({ route }) => route)).toEqual(['hook', 'later'])
})

const named = { secret: SECRET }

proves(
  'webhooks/encoded-name',
  async ({ send, post }) => {
    for (const name of ['a b', 'a/b', 'ключ', 'UP']) {
      expect({ name, route: (await post(name, {})).json().route }).toEqual({ name, route: name })
    }
    const post2 = (path: string) => send('POST', path, '{}', signed('{}'))
    expect((await post2('/webhooks/up')).status).toBe(404)
    expect((await post2('/webhooks/%55P?name=other&x')).json().route).toBe('UP')
    // An invalid escape is read literally.
    expect((await post2('/webhooks/%zz')).json().route).toBe('%zz')
  },
  { routes: { 'a b': named, 'a/b': named, ключ: named, UP: named, '%zz': named } },
)

proves('webhooks/unknown-route', async ({ post, send }) => {
  const reply = await post('nobody', {})
  expect({ status: reply.status, json: reply.json() }).toEqual({
    status: 404,
    json: { error: 'Unknown route: nobody' },
  })
  const name = (await send('POST', '/webhooks/na%C3%AFve%22')).json()
  expect(name).toEqual({ error: 'Unknown route: naïve"' })
  for (const own of ['constructor', '__proto__', 'toString']) {
    expect((await post(own, {})).status).toBe(404)
  }
})

proves('webhooks/other-paths', async ({ send }) => {
  const paths = ['/', '/webhooks', '/webhooks/', '/webhooks/hook/', '/webhooks/hook/x', '/healthy']
  for (const path of [...paths, '/health/', '//health', '/p/main/webhooks/hook']) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, header, body } = await send(method, path)
      const shown = [method, path, status, header('content-type'), body]
      expect(shown).toEqual([method, path, 404, 'text/plain; charset=utf-8', '404: Not Found'])
    }
  }
  for (const [method, path, allowed] of [
    ['POST', '/health', 'GET,HEAD'],
    ['OPTIONS', '/health', 'GET,HEAD'],
    ['GET', '/webhooks/hook', 'POST'],
    ['PUT', '/webhooks/nobody', 'POST'],
    ['CONNECT', '/webhooks/hook', 'POST'],
  ] as const) {
    const reply = await send(method, path)
    expect({ method, status: reply.status, allow: reply.header('allow') }).toEqual({
      method,
      status: 405,
      allow: allowed,
    })
    expect(reply.body).toBe('405: Method Not Allowed')
  }
})

proves(
  'webhooks/json-replies',
  async ({ post, send }) => {
    const replies = [
      await post('run', {}),
      await post('direct', { type: 'ü' }),
      await post('nobody', {}),
      await post('off', {}),
      await post('run', '[1]'),
      await send('POST', '/webhooks/run', '{}'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([202, 200, 404, 403, 400, 401])
    for (const { status, header, json } of replies) {
      expect(header('content-type')).toBe('application/json; charset=utf-8')
      expect([status, 'error' in json()]).toEqual([status, status >= 400])
    }
  },
  { routes: { run: named, direct: direct('x'), off: { ...named, enabled: false } } },
)

/** A post that fails at this check and, as far as possible, at all later ones. */
type WrongPost = { readonly name: string; readonly body: string; readonly headers?: object }

proves(
  'webhooks/order',
  async ({ post, send }) => {
    const long = ' '.repeat(101)
    const broken = '{'
    const failing: Record<string, WrongPost> = {
      unknownRoute: { name: 'nobody', body: long },
      routeDisabled: { name: 'off', body: long },
      payloadTooLarge: { name: 'full', body: long },
      invalidSignature: { name: 'full', body: broken },
    }
    const seen = []
    for (const [refusal, { name, body }] of Object.entries(failing)) {
      const reply = await send('POST', `/webhooks/${name}`, body)
      seen.push(refusal)
      const { status } = gatewayRefusals[refusal as 'unknownRoute']
      expect({ refusal, status: reply.status }).toEqual({ refusal, status })
    }
    // The window holds three posts: the fourth is rejected before its body is read.
    const steps = [
      [await post('full', broken), 400],
      [await post('full', { type: 'no', n: 1 }, { 'X-Request-ID': '1' }), 200],
      [await post('full', { type: 'yes', n: 1 }, { 'X-Request-ID': '1' }), 202],
      [await post('full', broken), 429],
      [await post('long', { type: 'no', text: 'x'.repeat(60) }), 200],
      [await post('long', { text: 'x'.repeat(60) }, { 'X-Request-ID': '2' }), 413],
      [await post('long', { text: '' }, { 'X-Request-ID': '2' }), 202],
      [await post('long', { text: 'x'.repeat(60) }, { 'X-Request-ID': '2' }), 429],
    ] as const
    expect(steps.map(([reply]) => reply.status)).toEqual(steps.map(([, status]) => status))
    expect(steps[1][0].json().status).toBe('ignored')
    const order = checks.flatMap((check) => ('answers' in check ? check.answers : []))
    expect(seen).toEqual(order.filter((one, at) => one in failing && order.indexOf(one) === at))
  },
  {
    maxBodyBytes: 100,
    rateLimit: 3,
    routes: {
      off: { ...named, enabled: false },
      full: { ...named, events: ['yes'] },
      long: { ...named, events: ['unknown'], prompt: '{text}'.repeat(300_000) },
    },
  },
)

proves(
  'webhooks/disabled',
  async ({ post }) => {
    const reply = await post('false', {})
    expect({ status: reply.status, json: reply.json() }).toEqual({
      status: 403,
      json: { error: 'Route disabled: false' },
    })
    for (const name of ['absent', 'true', 'zero', 'empty', 'null']) {
      expect({ name, status: (await post(name, {})).status }).toEqual({ name, status: 202 })
    }
  },
  {
    routes: {
      false: { ...named, enabled: false },
      absent: named,
      true: { ...named, enabled: true },
      zero: { ...named, enabled: 0 },
      empty: { ...named, enabled: '' },
      null: { ...named, enabled: null },
    },
  },
)

proves('webhooks/accepted', async ({ post, gateway, idle }) => {
  const reply = await post('hook', { type: 'push' }, { 'X-Request-ID': 'id-1' })
  const body = { status: 'accepted', route: 'hook', event: 'push', delivery_id: 'id-1' }
  expect({ status: reply.status, json: reply.json() }).toEqual({ status: 202, json: body })
  // The run has only begun.
  expect(gateway.runs().map(({ status }) => status)).toEqual(['running'])
  await idle()
  expect(gateway.runs().map(({ status }) => status)).toEqual(['completed'])
})

proves(
  'webhooks/delivered',
  async ({ post, texts }) => {
    const reply = await post('note', { a: 1 }, { 'X-Request-ID': 'id-1' })
    const body = { status: 'delivered', route: 'note', target: 'telegram', delivery_id: 'id-1' }
    expect({ status: reply.status, json: reply.json() }).toEqual({ status: 200, json: body })
    expect(texts()).toEqual(['a is 1'])
  },
  { routes: { note: direct('a is {a}') } },
)

proves(
  'webhooks/delivery-failed',
  async ({ post, gateway }) => {
    gateway.failDeliveries({ target: 'telegram', error: 'Chat is closed', times: 1 })
    const reply = await post('note', {}, { 'X-Request-ID': 'id-1' })
    const body = { status: 'error', error: 'Delivery failed', delivery_id: 'id-1' }
    expect({ status: reply.status, json: reply.json() }).toEqual({ status: 502, json: body })
    expect(gateway.outbox().map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'Chat is closed'],
    ])
  },
  { routes: { note: direct('x') } },
)

proves(
  'webhooks/direct-is-checked',
  async ({ post, texts }) => {
    const id = { 'X-Request-ID': 'id-1' }
    expect((await post('note', {}, signed('{}', 'wrong'))).status).toBe(401)
    expect((await post('note', {}, id)).json().status).toBe('delivered')
    expect((await post('note', {}, id)).json().status).toBe('duplicate')
    expect((await post('note', {})).status).toBe(429)
    expect(texts()).toEqual(['x'])
  },
  { routes: { note: direct('x') }, rateLimit: 2 },
)
