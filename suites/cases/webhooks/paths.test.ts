// The paths and methods of a gateway, its routes, and what it refuses before it reads a post.

import { checks, gatewayHealth, gatewayRefusals } from '../../../spec/gateway/webhooks.ts'
import { SECRET, signed } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { violations } from '../../judge/judge.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { firstReply, statusOfHead } from '../../judge/wire.ts'
import { pathOf, payloadOf, postAs, postTo, signedBy, taken } from '../../judge/posts.ts'

const nobody = 'flowdouble-check-nobody'
const jsonType = 'application/json; charset=utf-8'
const textType = 'text/plain; charset=utf-8'

proves(['webhooks/health', 'webhooks/health-is-free'], async ({ send, isOwn }) => {
  const get = await send('GET', '/health?deep=1')
  expect(get.status).toBe(200)
  expect(get.header('content-type')).toBe(jsonType)
  expect(get.json()).toMatchObject({ status: 'ok', platform: 'webhook' })
  if (isOwn) expect(violations(gatewayHealth, get.json())).toEqual([])
  const head = await send('HEAD', '/health')
  expect(head).toMatchObject({ status: 200, body: '' })
  const length = isOwn ? get.header('content-length') : expect.stringMatching(/^\d+$/)
  expect(head.header('content-length')).toEqual(length)
  for (let count = 0; count < 40; count++) expect((await send('GET', '/health')).status).toBe(200)
})

provesQuirk('webhooks.plain-health', async ({ send }) => {
  expect(await send('GET', '/health')).toMatchObject({
    status: 200,
    body: '{"status": "ok", "platform": "webhook"}',
  })
})

proves('webhooks/path', async (subject) => {
  const { sender } = subject
  expect(taken).toContain((await postAs(subject, { id: sender.knownId })).status)
  if (!subject.isOwn) return
  expect(subject.url).toBe(`http://127.0.0.1:${subject.gateway.port}`)
  const later = await sender.control.make({ secret: 'later-secret' })
  expect((await postAs(subject, { to: later })).status).toBe(202)
  expect(await sender.control.runs(later)).toMatchObject([{ route: later.route }])
})

proves('webhooks/encoded-name', async (subject) => {
  const { send, sender } = subject
  const headers = { ...(await signedBy(subject)), 'X-GitHub-Delivery': sender.knownId }
  const body = payloadOf({ event_type: sender.event })
  const code = sender.route.charCodeAt(0).toString(16)
  const encoded = `/webhooks/%${code}${sender.route.slice(1)}?name=other&x`
  expect(taken).toContain((await send('POST', encoded, body, headers)).status)
  if (subject.isOwn) {
    for (const route of ['a b', 'a/b', 'ключ', '%zz']) {
      subject.gateway.subscribe(route, { secret: SECRET })
      expect((await postAs(subject, { to: { route, secret: SECRET } })).json()).toMatchObject({
        route,
      })
    }
    // An invalid escape is read literally.
    const reply = await send('POST', '/webhooks/%zz', body, await signedBy(subject))
    expect(reply.json()).toMatchObject({ route: '%zz' })
  }
  const other = sender.route.replace(/[a-z]/i, (char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  )
  if (other === sender.route) sender.missing('The name of the route has no letter.')
  expect((await send('POST', pathOf(other), body, headers)).status).toBe(404)
})

proves('webhooks/unknown-route', async ({ send }) => {
  const names = [nobody, `${nobody}-ïü"`, `${nobody} /x`, 'constructor', '__proto__', 'toString']
  for (const name of names) {
    const reply = await send('POST', pathOf(name), payloadOf({}))
    expect({ status: reply.status, json: reply.json() }).toEqual({
      status: 404,
      json: { error: `Unknown route: ${name}` },
    })
  }
})

proves('webhooks/other-paths', async ({ send, isOwn, sender }) => {
  const own = pathOf(sender.route)
  const below = ['/webhooks', '/webhooks/', `${own}/`, `${own}/x`, `/p/flowdouble-check${own}`]
  for (const path of [...below, '/healthy', '/health/', ...(isOwn ? ['/', '//health'] : [])]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, header, body } = await send(method, path)
      const shown = { method, path, status, type: header('content-type'), body }
      expect(shown).toEqual({ method, path, status: 404, type: textType, body: '404: Not Found' })
    }
  }
  for (const [path, allow, methods] of [
    ['/health', 'GET,HEAD', ['POST', 'DELETE', 'OPTIONS']],
    [own, 'POST', ['GET', 'HEAD', 'PUT', 'DELETE', ...(isOwn ? ['CONNECT'] : [])]],
    [pathOf(nobody), 'POST', ['PATCH', 'PUT']],
  ] as const) {
    for (const method of methods) {
      const reply = await send(method, path)
      const shown = { method, path, status: reply.status, allow: reply.header('allow') }
      expect(shown).toEqual({ method, path, status: 405, allow })
      expect(reply.body).toBe(method === 'HEAD' ? '' : '405: Method Not Allowed')
    }
  }
})

proves('webhooks/encoded-path', async (subject) => {
  const { send, sender } = subject
  const encoded = pathOf(sender.route).replace('/w', '/%77')
  expect((await send('GET', '/%68ealth')).status).toBe(200)
  expect((await send('GET', '/%48ealth')).status).toBe(404)
  expect((await send('POST', encoded, payloadOf({}))).status).toBe(401)
  if (!subject.isOwn) return
  expect((await send('POST', encoded, '{}', signed('{}'))).status).toBe(202)
  expect((await send('GET', '/%2Fhealth')).status).toBe(404)
})

provesQuirk(
  'webhooks.profile-paths',
  async ({ send }) => {
    const take = (path: string) => send('POST', path, '{}', signed('{}'))
    for (const profile of ['any', '%20', 'a%2Fb']) {
      const reply = await take(`/p/${profile}/webhooks/hook`)
      expect([reply.status, reply.json().route]).toEqual([202, 'hook'])
    }
    expect((await take('/p/any/webhooks/nobody')).json()).toEqual({
      error: 'Unknown route: nobody',
    })
    expect((await take('/p/any/webhooks/off')).status).toBe(403)
    expect((await take('/p//webhooks/hook')).status).toBe(404)
    expect((await take('/p/any/health')).body).toBe('404: Not Found')
    const read = await send('GET', '/p/any/webhooks/hook')
    expect([read.status, read.header('allow')]).toEqual([405, 'POST'])
  },
  { routes: { hook: { secret: SECRET }, off: { secret: SECRET, enabled: false } } },
)

proves('webhooks/json-replies', async (subject) => {
  const { send, sender } = subject
  const replies = [
    await send('POST', pathOf(nobody), payloadOf({})),
    await send('POST', pathOf(sender.route), payloadOf({})),
  ]
  if (subject.isOwn)
    replies.push(
      await postAs(subject, { to: await sender.control.make({ enabled: false }) }),
      await postAs(subject, { body: '[1]' }),
      await postAs(subject),
      await postAs(subject, { to: sender.direct, body: '{"type": "ü"}' }),
    )
  const statuses = replies.map(({ status }) => status)
  expect(statuses).toEqual([404, 401, 403, 400, 202, 200].slice(0, replies.length))
  for (const { status, header, json } of replies) {
    const shown = { status, type: header('content-type'), hasError: 'error' in json() }
    expect(shown).toEqual({ status, type: jsonType, hasError: status >= 400 })
  }
})

proves('webhooks/disabled', async (subject) => {
  const { control } = subject.sender
  const to = await control.make({ enabled: false })
  const reply = await postTo(subject, to, {})
  expect({ status: reply.status, json: reply.json() }).toEqual({
    status: 403,
    json: { error: `Route disabled: ${to.route}` },
  })
  for (const enabled of [undefined, true, 0, '', null]) {
    const { status } = await postTo(subject, await control.make({ enabled }), {})
    expect({ enabled, status }).toEqual({ enabled, status: 202 })
  }
})

proves('webhooks/refused-early', async ({ url, isOwn, sender }) => {
  const ways = [
    ['POST', pathOf(nobody), 404],
    ['POST', '/flowdouble-check', 404],
    ['PUT', pathOf(sender.route), 405],
  ]
  if (isOwn) ways.push(['POST', pathOf((await sender.control.make({ enabled: false })).route), 403])
  for (const [method, path, status] of ways) {
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`
    expect({ method, path, status: await statusOfHead(url, head) }).toEqual({
      method,
      path,
      status,
    })
  }
})

proves('webhooks/order', async ({ url, send, sender }) => {
  const { route, maxBodyBytes } = sender
  for (const [name, status] of [
    [nobody, 404],
    [route, 413],
  ] as const) {
    const start = `POST ${pathOf(name)} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`
    const found = await firstReply(url, `${start}Content-Length: ${maxBodyBytes + 1}\r\n\r\n`)
    expect({ name, status: found[0] }).toEqual({ name, status })
  }
  // The signature comes before the body, the event and the id.
  for (const body of ['{', '[]', 'a=1', Buffer.from([0xc3, 0x28]), payloadOf({})]) {
    const headers = { 'X-GitHub-Event': 'flowdouble-check-none', 'X-Request-ID': 'a' }
    const { status } = await send('POST', pathOf(route), body, headers)
    expect({ body, status }).toEqual({ body, status: 401 })
  }
})

const hook = { secret: SECRET }

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
      off: { ...hook, enabled: false },
      full: { ...hook, events: ['yes'] },
      long: { ...hook, events: ['unknown'], prompt: '{text}'.repeat(300_000) },
    },
  },
)
