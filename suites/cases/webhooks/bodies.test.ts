// Bodies of posts to a gateway: their maximum size, and their payloads.

import { type GatewaySubject, signed } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { firstReply } from '../../judge/wire.ts'
import {
  delivers,
  makeDirect,
  pathOf,
  payloadOf,
  postAs,
  postTo,
  type SenderPost,
  taken,
} from '../../judge/posts.ts'

const MiB = 2 ** 20
const tooLarge = [413, '{"error": "Payload too large"}']

const head = ({ url, sender }: GatewaySubject, line: string): string =>
  `POST ${pathOf(sender.route)} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${line}\r\n\r\n`
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

proves('webhooks/declared-size', async (subject) => {
  const { url, send, post, sender } = subject
  const { route, maxBodyBytes } = sender
  // No byte of the body is sent: the answer does not wait for any.
  for (const bytes of [maxBodyBytes + 1, 99_999_999_999_999]) {
    const found = await firstReply(url, head(subject, `Content-Length: ${bytes}`))
    expect({ bytes, found }).toEqual({ bytes, found: tooLarge })
  }
  expect((await send('POST', pathOf(route), ' '.repeat(maxBodyBytes))).status).toBe(401)
  if (!subject.isOwn) return
  const exact = `{"a":"${'x'.repeat(MiB - 8)}"}`
  expect(exact).toHaveLength(MiB)
  expect((await post('hook', exact)).status).toBe(202)
  expect((await post('hook', `${exact} `)).status).toBe(413)
})

proves('webhooks/chunked-size', async (subject) => {
  const { url, isOwn, sender } = subject
  const half = chunk(' '.repeat(Math.ceil((sender.maxBodyBytes + 2) / 2)))
  const chunked = 'Transfer-Encoding: chunked'
  // The end of the body never arrives.
  expect(await firstReply(url, head(subject, chunked), half, half)).toEqual(tooLarge)
  if (!isOwn) return
  const body = '{"a":"chunked"}'
  const line = `Connection: close\r\nX-Hub-Signature-256: ${signed(body)['X-Hub-Signature-256']}`
  const parts = `${chunk(body)}0\r\n\r\n`
  const [status] = await firstReply(url, head(subject, `${chunked}\r\n${line}`), parts)
  expect(status).toBe(202)
})

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

/** The status of a well-signed post that starts no further run if the gateway has accepted its id before. */
const statusOf = async (subject: GatewaySubject, post: SenderPost): Promise<number> =>
  (await postAs(subject, { id: subject.sender.knownId, ...post })).status

proves('webhooks/json-body', async (subject) => {
  const { sender, isOwn } = subject
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'a;b"', '', 'application/json']
  for (const type of types) {
    const status = await statusOf(subject, { headers: { 'Content-Type': type } })
    expect({ type, status }).toEqual({ type, status: expect.toBeOneOf([...taken]) })
  }
  const body = payloadOf({ event_type: sender.event, ключ: ['é', null, 1e3, '😀'] })
  const id = sender.newId()
  const reply = await postAs(subject, { id, body })
  expect(taken).toContain(reply.status)
  expect(reply.json()).toMatchObject({ delivery_id: id })
  if (!isOwn) return
  const to = await makeDirect(subject, '{__raw__}')
  for (const type of types) await postTo(subject, to, '{"a": [1, null]}', { 'Content-Type': type })
  const text = '{\n  "a": [\n    1,\n    null\n  ]\n}'
  const entries = await sender.control.deliveries(to, types.length)
  expect(entries.map((entry) => entry.text)).toEqual(types.map(() => text))
})

proves('webhooks/empty-body', async (subject) => {
  const headers = { 'X-GitHub-Event': subject.sender.event }
  for (const body of ['', '\uFEFF{"text": "flowdouble-check: ignore this"}', '{}']) {
    const status = await statusOf(subject, { body, headers })
    expect({ body, status }).toEqual({ body, status: expect.toBeOneOf([...taken]) })
  }
  if (!subject.isOwn) return
  await delivers(subject, '{__raw__}', [
    ['', '{}'],
    ['\uFEFF{"a": 1}', '{\n  "a": 1\n}'],
    ['\uFEFF', '{}'],
  ])
})

proves('webhooks/form-body', async (subject) => {
  const value = encodeURIComponent(payloadOf({ event_type: subject.sender.event }))
  expect(taken).toContain(await statusOf(subject, { body: `payload=${value}` }))
  expect(taken).toContain(await statusOf(subject, { body: `x=1&payload=${value}&y` }))
  expect(await statusOf(subject, { body: `other=${value}` })).toBe(400)
  if (!subject.isOwn) return
  await delivers(subject, '{__raw__}', [
    [`payload=${encodeURIComponent('{"zen":"a+b ü"}')}`, '{\n  "zen": "a+b \\u00fc"\n}'],
    ['x=1&payload=%7B%22a%22:+1%7D&y', '{\n  "a": 1\n}'],
  ])
})

const unparsable = [
  '{',
  '{"a":1,}',
  '[]',
  '5',
  'null',
  'a=1&b=2',
  'payload=[]',
  Buffer.from([0xc3, 0x28]),
  Buffer.from('{"a":"\xff"}', 'latin1'),
]
/** Further ones, which our gateway is asked for as well. */
const more = [
  'not json',
  '[{"type": "push"}]',
  '"text"',
  'true',
  ' ',
  'payload=',
  'payload=5',
  'payload={',
  'payload=%ff',
  'payload=%7',
  Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]),
]

proves('webhooks/unparsable-body', async (subject) => {
  const { sender, isOwn } = subject
  const event = { 'X-GitHub-Event': sender.event, 'Content-Type': 'text/json' }
  for (const body of isOwn ? [...unparsable, ...more] : unparsable) {
    if (isOwn) await sender.room(2)
    for (const headers of isOwn ? [event, {}] : [event]) {
      const reply = await postAs(subject, { body, headers })
      expect({ body, status: reply.status }).toEqual({ body, status: 400 })
      expect(reply.json()).toEqual({ error: 'Cannot parse body' })
    }
  }
  if (isOwn) expect(subject.gateway.runs()).toEqual([])
})

proves('webhooks/deep-body', async (subject) => {
  const nested = (levels: number): string =>
    `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
  expect(await statusOf(subject, { body: nested(100_000) })).toBe(400)
  expect(await statusOf(subject, { body: nested(1001) })).toBe(400)
  if (!subject.isOwn) return
  expect(await statusOf(subject, { body: nested(1000) })).toBe(202)
  expect(await statusOf(subject, { body: `{"a":${'['.repeat(400_000)}` })).toBe(400)
})

proves('webhooks/no-500', async (subject) => {
  const { send, sender, isOwn } = subject
  const path = pathOf(sender.route)
  const odd = [
    await send('POST', path, '{}', { 'X-Hub-Signature-256': 'é' }),
    await send('POST', path, '{}', { 'svix-id': 'ü', 'svix-timestamp': '_1' }),
    await send('POST', path, '{}', { 'svix-id': 'a', 'svix-timestamp': '9'.repeat(400) }),
    await send('PROPFIND', path, '{}'),
    await send('POST', '/webhooks/%00', '{}'),
    await send('POST', path, '', { 'Content-Length': 'x' }),
  ]
  expect(odd.map(({ status }) => status)).toEqual([401, 401, 401, 405, 404, 400])
  if (isOwn) expect(odd.at(-1)?.body).toBe('{"error": "Bad request"}')
  const headers = { 'X-GitHub-Event': sender.event }
  const bodies = ['{"type": {"deep": [1]}}', '{"type": 1e400}', '{"type": "\\ud800"}']
  for (const body of bodies) {
    const reply = await postAs(subject, { id: sender.knownId, body, headers })
    expect({ body, status: reply.status }).toEqual({ body, status: expect.toBeOneOf([...taken]) })
    expect(() => reply.json()).not.toThrow()
  }
  if (!isOwn) return
  // Without the header the answer names the event of the body.
  for (const body of [...bodies, '{"type": [NaN]}', '{"type": {}, "event_type": 0}'])
    expect((await postAs(subject, { body })).json()).toMatchObject({ status: 'accepted' })
  const extra = { deliver_extra: null, events: null, skills: 7, prompt: [] }
  const oddly = { deliver: 'nowhere', deliver_only: 1, deliver_extra: 'x', origin: 5 }
  for (const [settings, payload, status] of [
    [extra, { type: 5 }, 202],
    [oddly, {}, 502],
  ] as const) {
    const to = await sender.control.make(settings)
    expect(await postTo(subject, to, payload)).toMatchObject({ status })
  }
  expect((await postAs(subject, { headers: { Expect: 'a-miracle' } })).status).toBe(202)
  const upgrade = { Connection: 'Upgrade, close', Upgrade: 'websocket' }
  expect((await send('GET', '/health', '', upgrade)).status).toBe(200)
})
