// Bodies that are packed, and bodies in other charsets than UTF-8.

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import type { GatewaySubject } from '../../judge/gateway-subject.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { headersOf } from '../../generate/senders.ts'
import { accepts, makeDirect, pathOf, payloadOf, refuses, taken } from '../../judge/posts.ts'

const codings = [
  ['gzip', gzipSync],
  ['GZip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
] as const

/** Posts a packed body with a signature of other bytes, and returns the status. */
async function statusOf(
  { sender, send }: GatewaySubject,
  coding: string,
  packed: Uint8Array,
  signed: string | Uint8Array | null,
  { route, secret } = sender as { readonly route: string; readonly secret: string },
): Promise<number> {
  const reply = await send('POST', pathOf(route), packed, {
    'Content-Encoding': coding,
    'X-GitHub-Delivery': sender.newId(),
    ...(signed !== null && headersOf('github', { body: signed, secret })),
  })
  return reply.status
}

proves('webhooks/packed-body', async (subject) => {
  const { sender, isOwn } = subject
  const body = payloadOf({ event_type: sender.event, name: 'é' })
  const to = isOwn ? await makeDirect(subject, '{name}') : sender
  for (const [coding, pack] of codings) {
    const packed = pack(body)
    for (const [signed, isValid] of [
      [packed, true],
      [body, true],
      [`${body} `, false],
      [pack(`${body} `), false],
      [null, false],
    ] as const) {
      const status = await statusOf(subject, coding, packed, signed, to)
      const expected = isValid ? expect.toBeOneOf([...taken]) : 401
      expect({ coding, isValid, status }).toEqual({ coding, isValid, status: expected })
    }
  }
  if (!isOwn) return
  const texts = await sender.control.deliveries(to, 2 * codings.length)
  expect(texts.map(({ text }) => text)).toEqual(
    Array.from({ length: 2 * codings.length }, () => 'é'),
  )
  // A proxy that unpacks can leave the header.
  expect(await statusOf(subject, 'gzip', Buffer.from(body), body)).toBe(202)
  expect(await statusOf(subject, 'identity', Buffer.from(body), body)).toBe(202)
  // What cannot be unpacked is refused after its signature.
  for (const [coding, packed] of [
    ['gzip', gzipSync(body).subarray(0, -9)],
    ['br', Buffer.from([1, 2, 3])],
    ['zstd', Buffer.from('28b52ffd', 'hex')],
    ['gzip, br', gzipSync(brotliCompressSync(body))],
  ] as const) {
    expect([coding, await statusOf(subject, coding, packed, packed)]).toEqual([coding, 400])
    expect([coding, await statusOf(subject, coding, packed, body)]).toEqual([coding, 401])
  }
  expect(await statusOf(subject, 'gzip', Buffer.alloc(0), '')).toBe(202)
})

proves('webhooks/packed-size', async (subject) => {
  const { maxBodyBytes, event } = subject.sender
  const usual = payloadOf({ event_type: event })
  for (const [coding, pack] of codings.slice(2)) {
    const large = pack(usual.padEnd(maxBodyBytes + 1))
    expect(large.length).toBeLessThan(maxBodyBytes / 100)
    for (const signed of [large, null])
      expect([coding, await statusOf(subject, coding, large, signed)]).toEqual([coding, 413])
    const fitting = pack(usual.padEnd(maxBodyBytes))
    const status = await statusOf(subject, coding, fitting, fitting)
    expect({ coding, status }).toEqual({ coding, status: expect.toBeOneOf([...taken]) })
  }
  // Many at the same time are refused like one.
  const bomb = brotliCompressSync(Buffer.alloc(64 * maxBodyBytes, ' '))
  const all = await Promise.all(
    Array.from({ length: subject.isOwn ? 50 : 2 }, () => statusOf(subject, 'br', bomb, null)),
  )
  expect(new Set(all)).toEqual(new Set([413]))
})

proves('webhooks/charset', async (subject) => {
  const { sender, isOwn } = subject
  const text = JSON.stringify({ event_type: sender.event, name: 'né' })
  const latin = Buffer.from(text, 'latin1')
  const to = isOwn ? await makeDirect(subject, '{name}') : sender
  const rows = [
    ['application/json; charset=iso-8859-1', latin],
    ['application/json;charset="ISO-8859-1"; a=b', latin],
    ['text/plain; Charset=windows-1252', latin],
    ['application/json; charset=utf-16le', Buffer.from(text, 'utf16le')],
    ['application/json; charset=UTF-8', Buffer.from(text)],
    ['application/json; charset=nobody-knows', Buffer.from(text)],
    ['application/json', Buffer.from(text)],
  ] as const
  for (const [type, body] of rows) {
    const headers = headersOf('github', { body, secret: to.secret })
    const more = { 'Content-Type': type, 'X-GitHub-Delivery': sender.newId() }
    const { status } = await subject.send('POST', pathOf(to.route), body, { ...headers, ...more })
    expect({ type, status }).toEqual({ type, status: expect.toBeOneOf([...taken]) })
  }
  if (!isOwn) return
  const names = (await sender.control.deliveries(to, rows.length)).map((entry) => entry.text)
  expect(names).toEqual(rows.map(() => 'né'))
  // The signature covers the bytes, not the text.
  const utf8 = headersOf('github', { body: text, secret: sender.secret })
  await accepts(subject, utf8, { body: text })
  await refuses(subject, headersOf('github', { body: latin, secret: sender.secret }), {
    body: text,
  })
  // Without the charset these bytes are not valid.
  const { status } = await subject.send('POST', pathOf(sender.route), latin, {
    ...headersOf('github', { body: latin, secret: sender.secret }),
  })
  expect(status).toBe(400)
})
