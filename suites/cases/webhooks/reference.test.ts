// The quirks of the reference gateway: how it reads bodies, and how it writes answers.

import { createHmac } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { direct, SECRET, signed } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { provesQuirk } from '../../judge/proves.ts'
import { headersOf, NOW } from '../../generate/senders.ts'
import { exchangeBytes } from '../../judge/wire.ts'

/** A post of `{}` with this head line more, a character for each byte. */
const postBytes = (url: string, name: string, line: string) =>
  exchangeBytes(
    url,
    Buffer.from(
      `POST /webhooks/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n${line}\r\n\r\n{}`,
      'latin1',
    ),
  )

const route = { secret: SECRET }
const crashText = '500 Internal Server Error\n\nServer got itself in trouble'

provesQuirk(
  'webhooks.python-json',
  async ({ url, post, texts }) => {
    const event = async (json: string) => (await post('push', `{"type": ${json}}`)).body
    expect(await event('"ü\u007f😀"')).toBe(
      String.raw`{"status": "ignored", "event": "\u00fc\u007f\ud83d\ude00"}`,
    )
    expect(await event('[NaN, -1e400, 1.0]')).toBe(
      '{"status": "ignored", "event": [NaN, -Infinity, 1.0]}',
    )
    expect((await post('ключ', {})).body).toMatch(
      String.raw`{"status": "accepted", "route": "\u043a`,
    )
    const right = `X-Hub-Signature-256: ${signed('{}')['X-Hub-Signature-256']}`
    const reply = await postBytes(url, 'push', `${right}\r\nX-GitHub-Event: a\xe9\xc3\xa9`)
    expect(reply.body).toBe(String.raw`{"status": "ignored", "event": "a\udce9\u00e9"}`)
    const heading = async (event: string) => {
      await post('plain', `{"type": ${event}}`)
      return texts().at(-1)?.split('\n', 1)[0]
    }
    expect(await heading('["push", true, {"a": null}, 1.0]')).toBe(
      `Webhook event '['push', True, {'a': None}, 1.0]' on route 'plain':`,
    )
    expect(await heading('"push"')).toBe(`Webhook event 'push' on route 'plain':`)
  },
  { routes: { plain: direct(''), push: { secret: SECRET, events: ['push'] }, ключ: route } },
)

provesQuirk(
  'webhooks.lenient-signatures',
  async ({ send }) => {
    const sign = (time: string, secret = SECRET) =>
      headersOf('svix', { body: '{}', secret, timestamp: time })
    const status = async (headers: Readonly<Record<string, string>>, name = 'hook') =>
      (await send('POST', `/webhooks/${name}`, '{}', headers)).status
    const grouped = `${NOW}`.replace(/(?=...$)/, '_')
    for (const time of [`+${NOW}`, grouped, `0${NOW}`])
      expect([time, (await status(sign(time))) < 300]).toEqual([time, true])
    for (const time of [`${NOW}.0`, `_${NOW}`, `-${NOW}`, 'abc'])
      expect([time, await status(sign(time))]).toEqual([time, 401])
    const key = createHmac('sha256', '').update(`msg.${NOW}.{}`).digest('base64')
    const empty = { 'svix-id': 'msg', 'svix-timestamp': `${NOW}`, 'svix-signature': `v1,${key}` }
    expect(await status(empty, 'empty')).toBe(202)
    const first = sign(`${NOW}`)['svix-signature']
    const parted = { ...sign(`${NOW}`), 'svix-signature': `v1,x\u00a0${first}` }
    expect((await status(parted)) < 300).toBe(true)
  },
  { routes: { hook: route, empty: { secret: 'whsec_' } } },
)

provesQuirk(
  'webhooks.unpacked-body',
  async ({ send, texts }) => {
    const body = '{"a": 1}'
    const post = async (coding: string, packed: Uint8Array, of: string | Uint8Array = body) =>
      (await send('POST', '/webhooks/note', packed, { ...signed(of), 'Content-Encoding': coding }))
        .status
    expect(await post('gzip', gzipSync(body))).toBe(200)
    expect(await post('Deflate', deflateSync(body))).toBe(200)
    expect(texts()).toEqual(['1', '1'])
    expect(await post('gzip', gzipSync(body), gzipSync(body))).toBe(401)
    expect(await post('gzip', Buffer.from(body))).toBe(400)
    expect(await post('gzip', gzipSync(' '.repeat(2 ** 21)))).toBe(413)
    expect(await post('identity', Buffer.from(body))).toBe(200)
  },
  { routes: { note: direct('{a}') } },
)

provesQuirk(
  'webhooks.empty-extra',
  async ({ post, gateway }) => {
    await post('note', { type: 'push' })
    expect(gateway.outbox()[0]?.deliver_extra).toEqual({
      chat_id: 'Webhook event \'\' on route \'\':\n\n```json\n{\n  "type": "push"\n}\n```',
      other: '<>',
    })
  },
  { routes: { note: direct('x', { deliver_extra: { chat_id: '', other: '<{event_type}>' } }) } },
)

provesQuirk(
  'webhooks.empty-route',
  async ({ send }) => {
    const reply = await send('POST', '/webhooks/empty', '{}', signed('{}'))
    expect(reply).toMatchObject({ status: 404, body: '{"error": "Unknown route: empty"}' })
    expect((await send('POST', '/webhooks/hook', '{}', signed('{}'))).status).toBe(202)
  },
  { secret: SECRET, routes: { empty: {}, hook: { description: 'with the global secret' } } },
)

provesQuirk(
  'webhooks.crash-500',
  async ({ breaks, url, post, texts }) => {
    breaks('webhooks/no-500', 'webhooks/json-replies')
    for (const body of ['[]', '5', 'null', Buffer.from([0xc3, 0x28])]) {
      const reply = await post('note', body)
      expect({ body, status: reply.status, text: reply.body }).toEqual({
        body,
        status: 500,
        text: crashText,
      })
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
    const broken = [
      await post('typed', { type: 5 }),
      await post('null', {}, { 'X-Request-ID': 'one' }),
      await post('hook', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`),
      await post('hook', `{"a": 1${'0'.repeat(4300)}}`),
    ]
    for (const reply of broken) expect(reply).toMatchObject({ status: 500, body: crashText })
    // Its id was noted before.
    expect((await post('null', {}, { 'X-Request-ID': 'one' })).json().status).toBe('duplicate')
    for (const name of ['X-Hub-Signature-256', 'X-Gitlab-Token', 'X-Webhook-Signature']) {
      const reply = await postBytes(url, 'hook', `${name}: \xff`)
      expect([name, reply.status]).toEqual([name, 500])
    }
    const wide = (text: string) => {
      const bytes = Buffer.alloc(4 * text.length)
      for (const [at, char] of text.split('').entries())
        bytes.writeUInt32LE(char.charCodeAt(0), 4 * at)
      return bytes
    }
    expect((await post('hook', wide('\uFEFF{"type": "ü"}'))).json().event).toBe('ü')
    expect((await post('hook', wide('{"type": "a"}'))).json().event).toBe('a')
    const half = Buffer.from('{"type": "\xed\xa0\x80"}', 'latin1')
    expect((await post('hook', half)).json().event).toBe('\ud800')
    expect((await post('hook', Buffer.from([0xff, 0xfe]))).status).toBe(400)
    expect((await post('hook', '\uFEFFevent_type=x')).json().event).toBe('unknown')
  },
  {
    routes: {
      hook: route,
      note: direct('{__raw__}'),
      typed: { secret: SECRET, prompt: '{event_type}' },
      null: { secret: SECRET, deliver_extra: null },
    },
  },
)
