// Bodies of posts to the gateway: their maximum size, and their payloads.

import { direct, SECRET, signed } from '../../judge/gateway-subject.ts'
import { proves, provesQuirk } from '../../judge/proves.ts'
import { firstReply } from '../../judge/wire.ts'
import { expect } from '../../judge/expect.ts'

const MiB = 2 ** 20
const tooLarge = [413, '{"error": "Payload too large"}']

const head = (url: string, line: string): string =>
  `POST /webhooks/hook HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${line}\r\n\r\n`
const chunk = (size: number): string => `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`

proves('webhooks/declared-size', async ({ url, post }) => {
  // No byte of the body is sent: the answer does not wait for any.
  expect(await firstReply(url, head(url, `Content-Length: ${MiB + 1}`))).toEqual(tooLarge)
  expect(await firstReply(url, head(url, 'Content-Length: 99999999999999'))).toEqual(tooLarge)
  const exact = `{"a":"${'x'.repeat(MiB - 8)}"}`
  expect({ exactLength: exact.length, status: (await post('hook', exact)).status }).toEqual({
    exactLength: MiB,
    status: 202,
  })
  expect((await post('hook', `${exact} `)).status).toBe(413)
})

proves(
  'webhooks/chunked-size',
  async ({ url, send }) => {
    const chunked = 'Transfer-Encoding: chunked'
    // The end of the body never arrives.
    expect(await firstReply(url, head(url, chunked), chunk(60), chunk(60))).toEqual(tooLarge)
    const body = '{"a":"chunked"}'
    const line = `Connection: close\r\nX-Hub-Signature-256: ${signed(body)['X-Hub-Signature-256']}`
    const parts = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const [status] = await firstReply(url, head(url, `${chunked}\r\n${line}`), parts)
    expect(status).toBe(202)
    expect((await send('GET', '/health')).status).toBe(200)
  },
  { maxBodyBytes: 100 },
)

proves(
  'webhooks/size-setting',
  async ({ post }) => {
    expect((await post('hook', `{"a":"${'x'.repeat(12)}"}`)).status).toBe(202)
    expect((await post('hook', `{"a":"${'x'.repeat(13)}"}`)).status).toBe(413)
  },
  { maxBodyBytes: 20 },
)

proves(
  'webhooks/size-setting',
  async ({ post }) => expect((await post('hook', `"${'x'.repeat(2 * MiB)}"`)).status).toBe(400),
  { maxBodyBytes: 4 * MiB },
)

const raw = { routes: { note: direct('{__raw__}'), hook: { secret: SECRET } } }

proves(
  'webhooks/json-body',
  async ({ post, texts }) => {
    const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'a;b"']
    for (const type of types) await post('note', '{"a": [1, null]}', { 'Content-Type': type })
    const text = '{\n  "a": [\n    1,\n    null\n  ]\n}'
    expect(texts()).toEqual(types.map(() => text))
  },
  raw,
)

proves(
  'webhooks/empty-body',
  async ({ post, texts }) => {
    expect((await post('note', '')).status).toBe(200)
    expect((await post('note', '\uFEFF{"a": 1}')).status).toBe(200)
    expect((await post('note', '\uFEFF')).status).toBe(200)
    expect(texts()).toEqual(['{}', '{\n  "a": 1\n}', '{}'])
  },
  raw,
)

proves(
  'webhooks/form-body',
  async ({ post, texts }) => {
    const value = encodeURIComponent('{"zen":"a+b ü"}')
    expect((await post('note', `payload=${value}`)).status).toBe(200)
    expect((await post('note', 'x=1&payload=%7B%22a%22:+1%7D&y')).status).toBe(200)
    expect(texts()).toEqual(['{\n  "zen": "a+b \\u00fc"\n}', '{\n  "a": 1\n}'])
  },
  raw,
)

const unparsable = [
  '{',
  '{"a":1,}',
  'not json',
  '[]',
  '[{"type": "push"}]',
  '5',
  '"text"',
  'null',
  'true',
  ' ',
  'a=1&b=2',
  'payload=',
  'payload=5',
  'payload=[]',
  'payload={',
  'payload=%ff',
  'payload=%7',
  Buffer.from([0xc3, 0x28]),
  Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
  Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
]

proves(
  'webhooks/unparsable-body',
  async ({ post, gateway }) => {
    for (const body of unparsable) {
      for (const headers of [{}, { 'X-GitHub-Event': 'push', 'Content-Type': 'text/json' }]) {
        const reply = await post('hook', body, headers)
        expect({ body, status: reply.status }).toEqual({ body, status: 400 })
        expect(reply.json()).toEqual({ error: 'Cannot parse body' })
      }
    }
    expect(gateway.runs()).toEqual([])
  },
  { rateLimit: 100 },
)

const nested = (levels: number): string =>
  `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`

proves('webhooks/deep-body', async ({ post }) => {
  const statuses = []
  for (const levels of [1000, 1001, 100_000]) {
    statuses.push((await post('hook', nested(levels))).status)
  }
  expect(statuses).toEqual([202, 400, 400])
  expect((await post('hook', `{"a":${'['.repeat(400_000)}`)).status).toBe(400)
})

proves(
  'webhooks/no-500',
  async ({ post, send }) => {
    const odd = [
      await post('hook', { type: { deep: [1] }, event_type: 0 }),
      await post('hook', '{"type": 1e400}'),
      await post('hook', '{"type": [NaN]}'),
      await post('hook', '{"type": "\\ud800"}'),
      await post('extra', { type: 5 }),
      await post('odd', {}),
      await send('POST', '/webhooks/hook', '{}', { 'X-Hub-Signature-256': 'é' }),
      await send('POST', '/webhooks/hook', '{}', { 'svix-id': 'ü', 'svix-timestamp': '_1' }),
      await send('PROPFIND', '/webhooks/hook', '{}'),
      await send('POST', '/webhooks/%00', '{}', signed('{}')),
      await send('POST', '/webhooks/hook', '{}', { ...signed('{}'), Expect: 'a-miracle' }),
      await send('GET', '/health', '', {
        Connection: 'Upgrade, close',
        Upgrade: 'websocket',
      }),
    ]
    expect(odd.map(({ status }) => status)).toEqual([
      202, 202, 202, 202, 202, 502, 401, 401, 405, 404, 202, 200,
    ])
    for (const reply of odd.slice(0, 6)) expect(() => reply.json()).not.toThrow()
    const broken = await send('POST', '/webhooks/hook', '', { 'Content-Length': 'x' })
    expect(broken).toMatchObject({ status: 400, body: '{"error": "Bad request"}' })
  },
  {
    routes: {
      hook: { secret: SECRET },
      extra: { secret: SECRET, deliver_extra: null, events: null, skills: 7, prompt: [] },
      odd: { secret: SECRET, deliver: 'nowhere', deliver_only: 1, deliver_extra: 'x', origin: 5 },
    },
  },
)

provesQuirk(
  'webhooks.crash-500',
  async ({ breaks, post, texts }) => {
    breaks('webhooks/no-500', 'webhooks/json-replies')
    for (const body of ['[]', '5', 'null', Buffer.from([0xc3, 0x28])]) {
      const reply = await post('note', body)
      expect({ body, status: reply.status }).toEqual({ body, status: 500 })
      expect(reply.header('content-type')).toBe('text/plain; charset=utf-8')
    }
    // A header that names the event lets anything through.
    const push = { 'X-GitHub-Event': 'push' }
    expect((await post('note', '[1, 2]', push)).status).toBe(200)
    const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')
    expect((await post('note', utf16('{"a": "ü"}'))).status).toBe(200)
    expect((await post('note', Buffer.from('{"a": 1}', 'utf16le'))).status).toBe(200)
    expect((await post('note', ' ')).status).toBe(200)
    // Bytes that are UTF-16, and neither JSON nor a form in UTF-8.
    const neither = await post('note', Buffer.from([0xff, 0xfe, 0x7b, 0x7b]))
    expect({ status: neither.status, json: neither.json() }).toEqual({
      status: 400,
      json: { error: 'Cannot parse body' },
    })
    expect((await post('note', 'a=%FF&b=%zz&c=%C3%BC')).status).toBe(200)
    expect(texts().map((text) => JSON.parse(text) as unknown)).toEqual([
      [1, 2],
      { a: 'ü' },
      { a: 1 },
      {},
      { a: '\uFFFD', b: '%zz', c: 'ü' },
    ])
    const form = 'event_type=push&a=1&a=2&b='
    expect((await post('note', form)).status).toBe(200)
    expect((await post('note', '{"a":1,}')).status).toBe(200)
    expect(texts().slice(-2)).toEqual(['{\n  "event_type": "push",\n  "a": "2"\n}', '{}'])
  },
  raw,
)
