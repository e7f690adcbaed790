// What any gateway refuses, without a valid signature: paths, methods, sizes, and the order of these checks.

import { SECRET, anyGateway } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { payloadOf, pathOf } from '../../judge/posts/posts.ts'
import { firstReply, statusOfHead } from '../../judge/wire.ts'
import { headersOf } from '../../generate/senders.ts'

const nobody = 'flowdouble-check-nobody'
const json = 'application/json; charset=utf-8'
const text = 'text/plain; charset=utf-8'

proves(
  ['webhooks/health', 'webhooks/health-is-free'],
  async ({ send }) => {
    const get = await send('GET', '/health?deep=1')
    expect({ status: get.status, type: get.header('content-type') }).toEqual({
      status: 200,
      type: json,
    })
    expect(get.json()).toMatchObject({ status: 'ok', platform: 'webhook' })
    const head = await send('HEAD', '/health')
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.header('content-length')).toMatch(/^\d+$/)
    for (let count = 0; count < 40; count++) expect((await send('GET', '/health')).status).toBe(200)
  },
  anyGateway,
)

proves(
  ['webhooks/unknown-route', 'webhooks/json-replies'],
  async ({ send }) => {
    const names = [nobody, `${nobody}-ïü"`, `${nobody} /x`, 'constructor', '__proto__', 'toString']
    for (const name of names) {
      const reply = await send('POST', pathOf(name), payloadOf({}))
      expect({ status: reply.status, type: reply.header('content-type') }).toEqual({
        status: 404,
        type: json,
      })
      expect(reply.json()).toEqual({ error: `Unknown route: ${name}` })
    }
  },
  anyGateway,
)

proves(
  'webhooks/other-paths',
  async ({ send, sender: { route } }) => {
    const own = pathOf(route)
    const below = ['/webhooks', '/webhooks/', `${own}/`, `${own}/x`]
    for (const path of [...below, `/p/flowdouble-check${own}`, '/healthy', '/health/']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status, header, body } = await send(method, path)
        const shown = { method, path, status, type: header('content-type'), body }
        expect(shown).toEqual({ method, path, status: 404, type: text, body: '404: Not Found' })
      }
    }
    for (const [method, path, allow] of [
      ['POST', '/health', 'GET,HEAD'],
      ['DELETE', '/health', 'GET,HEAD'],
      ['GET', own, 'POST'],
      ['HEAD', own, 'POST'],
      ['PUT', own, 'POST'],
      ['DELETE', own, 'POST'],
      ['PATCH', pathOf(nobody), 'POST'],
    ] as const) {
      const reply = await send(method, path)
      const shown = { method, path, status: reply.status, allow: reply.header('allow') }
      expect(shown).toEqual({ method, path, status: 405, allow })
      expect(reply.body).toBe(method === 'HEAD' ? '' : '405: Method Not Allowed')
    }
  },
  anyGateway,
)

proves(
  'webhooks/encoded-path',
  async ({ send, sender: { route } }) => {
    expect((await send('GET', '/%68ealth')).status).toBe(200)
    expect((await send('GET', '/%48ealth')).status).toBe(404)
    const reply = await send('POST', pathOf(route).replace('/w', '/%77'), payloadOf({}))
    expect(reply.status).toBe(401)
  },
  anyGateway,
)

const head = (url: string, route: string, line: string): string =>
  `POST ${pathOf(route)} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${line}\r\n\r\n`
const tooLarge = [413, '{"error": "Payload too large"}']

proves(
  'webhooks/declared-size',
  async ({ url, send, sender: { route, maxBodyBytes } }) => {
    // No byte of the body is sent: the answer does not wait for any.
    for (const bytes of [maxBodyBytes + 1, 99_999_999_999_999]) {
      const found = await firstReply(url, head(url, route, `Content-Length: ${bytes}`))
      expect({ bytes, found }).toEqual({ bytes, found: tooLarge })
    }
    const exact = await send('POST', pathOf(route), ' '.repeat(maxBodyBytes))
    expect(exact.status).toBe(401)
  },
  anyGateway,
)

proves(
  'webhooks/chunked-size',
  async ({ url, sender: { route, maxBodyBytes } }) => {
    const half = Math.ceil((maxBodyBytes + 2) / 2)
    const chunk = `${half.toString(16)}\r\n${' '.repeat(half)}\r\n`
    // The end of the body never arrives.
    const begin = head(url, route, 'Transfer-Encoding: chunked')
    expect(await firstReply(url, begin, chunk, chunk)).toEqual(tooLarge)
  },
  anyGateway,
)

proves(
  'webhooks/refused-early',
  async ({ url }) => {
    const start = `POST ${pathOf(nobody)} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`
    expect(await statusOfHead(url, start)).toBe(404)
  },
  anyGateway,
)

proves(
  'webhooks/order',
  async ({ url, send, sender: { route, maxBodyBytes } }) => {
    const large = `Content-Length: ${maxBodyBytes + 1}`
    expect((await firstReply(url, head(url, nobody, large)))[0]).toBe(404)
    expect((await firstReply(url, head(url, route, large)))[0]).toBe(413)
    // The signature comes before the body, the event and the id.
    for (const body of ['{', '[]', 'a=1', Buffer.from([0xc3, 0x28]), payloadOf({})]) {
      const headers = { 'X-GitHub-Event': 'flowdouble-check-none', 'X-Request-ID': 'a' }
      const reply = await send('POST', pathOf(route), body, headers)
      expect({ body, status: reply.status }).toEqual({ body, status: 401 })
    }
  },
  anyGateway,
)

proves(
  ['signatures/every-post', 'webhooks/json-replies'],
  async ({ send, sender }) => {
    const body = payloadOf({ event_type: sender.event })
    const refusals = []
    const wrong = [
      {},
      ...sender.schemes.map((name) => headersOf(name, { body, secret: `not the ${SECRET}` })),
      ...sender.schemes.map((name) => headersOf(name, { body, secret: '' })),
      { 'X-Hub-Signature-256': 'sha256=' },
      { 'X-Hub-Signature-256': 'undefined' },
      { 'X-Gitlab-Token': '' },
      { 'svix-id': 'a' },
      { 'svix-id': 'a', 'svix-timestamp': '0', 'svix-signature': 'v1,' },
      { Authorization: `Bearer ${SECRET}` },
    ]
    for (const headers of wrong) {
      const reply = await send('POST', pathOf(sender.route), body, headers)
      refusals.push(reply)
      expect({ headers, status: reply.status }).toEqual({ headers, status: 401 })
      expect(reply.json()).toEqual({ error: 'Invalid signature' })
    }
    expect(new Set(refusals.map(({ header }) => header('content-type')))).toEqual(new Set([json]))
  },
  anyGateway,
)

proves(
  'webhooks/no-500',
  async ({ send, sender: { route } }) => {
    const path = pathOf(route)
    const odd = [
      await send('POST', path, '{}', { 'X-Hub-Signature-256': 'é' }),
      await send('POST', path, '{}', { 'svix-id': 'ü', 'svix-timestamp': '_1' }),
      await send('POST', path, '{}', { 'svix-id': 'a', 'svix-timestamp': '9'.repeat(400) }),
      await send('PROPFIND', path, '{}'),
      await send('POST', '/webhooks/%00', '{}'),
    ]
    expect(odd.map(({ status }) => status)).toEqual([401, 401, 401, 405, 404])
    const broken = await send('POST', path, '', { 'Content-Length': 'x' })
    expect(broken.status).toBe(400)
  },
  anyGateway,
)
