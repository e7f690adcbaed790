// What holds for every recording: it is read as it was written, and no secret that passes is in the file.

import * as fc from 'fast-check'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import {
  eventsOf,
  partLines,
  placeholders,
  readRecording,
  type RecordedExchange,
  type RecordedSocket,
  type Recording,
  redactRecording,
  scanRecording,
  targetOf,
  writeHar,
} from '../../dist/emulator/internal.js'
import { recordingSchema } from '../../spec/recording.ts'
import { recordings, secrets } from '../generate/recordings.ts'
import { runs } from '../support/effort.ts'
import { exchangeWith } from '../support/recordings/recording.ts'
import { basic, escaped, spellings, textsOf } from '../support/secret-spellings.ts'
import { expectSame } from '../support/same.ts'

const run = { seed: 20260102, numRuns: runs(300) }
const toPlaceholder = placeholders('of the tests')

/** A recording without what its place in the file says: entry numbers, and digits of times that a file does not have. */
const plain = ({ info, exchanges, sockets }: Recording) => ({
  info,
  exchanges: exchanges.map(({ entry: _, startMs, endMs, ...rest }) => ({
    ...rest,
    startMs: rounded(startMs),
    endMs: rounded(endMs),
  })),
  sockets: sockets.map(({ entry: _, openMs, messages, ...rest }) => ({
    ...rest,
    openMs: rounded(openMs),
    messages: messages.map((one) => ({ ...one, atMs: rounded(one.atMs) })),
  })),
})
const rounded = (ms: number): number => Math.round(ms * 100)

test('recordings/round-trip A recording is read as it was written, fits its schema, and writes the same text again', () => {
  const takes = new Ajv2020({ strict: false }).compile(recordingSchema)
  const property = fc.property(recordings, (recording) => {
    const text = writeHar(recording)
    expect(takes(JSON.parse(text))).toBe(true)
    const read = readRecording(text, 'a.har')
    expectSame('What was read', plain(read), plain(recording))
    expectSame('The text', writeHar(readRecording(writeHar(read), 'a.har')), writeHar(read))
    expect(eventsOf(read)).toHaveLength(eventsOf(recording).length)
  })
  fc.assert(property, run)
})

/** The lines of a part file of this session. */
function partOf({ exchanges, sockets }: Recording): readonly string[] {
  const info = { version: 1, origin: 'a test', place: 'local' } as const
  return [
    partLines.head(info),
    ...exchanges.map(partLines.exchange),
    ...sockets.flatMap((socket, id) => [
      partLines.open(id, { ...socket, messages: [], close: null }),
      ...socket.messages.map((message) => partLines.message(id, message)),
      ...(socket.close === null ? [] : [partLines.close(id, socket.close)]),
    ]),
  ]
}

test('recordings/part A part file is read up to any place where it was cut off', () => {
  const property = fc.property(recordings, fc.nat(), (recording, cut) => {
    const lines = partOf(recording)
    const text = lines.join('')
    const whole = readRecording(text, 'a.part')
    expectSame('The whole', { ...plain(whole), info: null }, { ...plain(recording), info: null })
    const head = lines[0]!.length
    const end = head + (cut % (text.length - head + 1))
    const read = readRecording(text.slice(0, end), 'a.part')
    const before = text.slice(0, end).split('\n').length - 2
    expectSame('The part', read, readRecording(lines.slice(0, before + 1).join(''), 'a.part'))
  })
  fc.assert(property, run)
})

const utf8 = new TextEncoder()
const json = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value))

/** The places that reveal a secret. */
const revealing: Readonly<Record<string, (secret: string) => Partial<RecordedExchange>>> = {
  authorization: (one) => ({ headers: [['Authorization', `Bearer ${encodeURIComponent(one)}`]] }),
  basic: (one) => ({ headers: [['authorization', `Basic ${basic(one)}`]] }),
  apiKey: (one) => ({ headers: [['X-API-Key', encodeURIComponent(one)]] }),
  cookie: (one) => ({ headers: [['Cookie', `a=b; session=${encodeURIComponent(one)}`]] }),
  query: (one) => ({ url: `http://server/ws?token=${encodeURIComponent(one)}&clientId=x` }),
  link: (one) => ({
    url: `http://storage/a.png?X-Goog-Signature=${encodeURIComponent(one)}&X-Goog-Date=1`,
  }),
  partnerKey: (one) => ({ body: json({ extra_data: { api_key_comfy_org: one }, prompt: {} }) }),
  member: (one) => ({ body: json([{ a: { accessToken: one } }]) }),
  nested: (one) => ({ body: json({ text: JSON.stringify({ password: one }) }) }),
  form: (one) => ({
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: utf8.encode(`a=b&client_secret=${encodeURIComponent(one)}`),
  }),
}

const encoded = (text: string, alphabet: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(text).toString(alphabet)

/** Places where it then occurs. */
const elsewhere: Readonly<Record<string, (secret: string) => Partial<RecordedExchange>>> = {
  header: (one) => ({ headers: [['X-Note', `of ${encodeURIComponent(one)}`]] }),
  path: (one) => ({ url: `http://server/userdata/${encodeURIComponent(one)}.json` }),
  query: (one) => ({ url: `http://server/queue?note=${encodeURIComponent(one)}` }),
  text: (one) => ({ body: utf8.encode(`the key is ${one}!`) }),
  json: (one) => ({ body: json({ [one]: [one, { deep: `in ${one}` }] }) }),
  escaped: (one) => ({ body: utf8.encode(`{"a":"${escaped(one)}"}`) }),
  encoded: (one) => ({
    body: json({
      alone: encoded(one),
      within: `data:text/plain;base64,${encoded(`it is ${one}, and more`)}`,
      joined: `note-${encoded(`- ${one}`, 'base64url')}.txt`,
      unpadded: encoded(`${one}.`).replace(/=+$/, ''),
      json: encoded(JSON.stringify({ note: `a ${one}` })),
      binary: Buffer.from([255, 0, ...utf8.encode(one), 254]).toString('base64'),
    }),
  }),
  encodedInJson: (one) => ({
    body: utf8.encode(`{"a": "${encoded(`?? ${one}`).replaceAll('/', '\\/')}"}`),
  }),
  encodedQuery: (one) => ({
    url: `http://server/queue/${encoded(one, 'base64url')}?a=${encodeURIComponent(encoded(`in ${one}`))}&b=c`,
  }),
  bytes: (one) => ({ body: new Uint8Array([0xff, ...utf8.encode(one), 0xfe]) }),
  response: (one) => ({
    response: { status: 200, headers: [['X-Echo', encodeURIComponent(one)]], body: json([one]) },
  }),
}

test('recordings/redacted A secret that one place reveals is in no place of the file, earlier or later, in any spelling', () => {
  const place = fc.constantFrom(...Object.keys(revealing))
  const property = fc.property(secrets, place, fc.boolean(), (secret, where, isLast) => {
    const source = exchangeWith(revealing[where]!(secret))
    const copies = Object.values(elsewhere).map((make) => exchangeWith(make(secret)))
    const socket: RecordedSocket = {
      entry: 0,
      openMs: 1e12,
      url: `ws://server/ws?clientId=${encodeURIComponent(secret)}`,
      headers: [],
      messages: [
        { from: 'client', atMs: 1e12, data: JSON.stringify({ type: 'x', data: { a: secret } }) },
        { from: 'server', atMs: 1e12, data: JSON.stringify({ a: encoded(`so ${secret}`) }) },
        { from: 'server', atMs: 1e12, data: new Uint8Array([0, 1, 255, ...utf8.encode(secret)]) },
      ],
      close: { by: 'server', code: 1000, reason: secret, atMs: 1e12 },
    }
    const exchanges = isLast ? [...copies, source] : [source, ...copies]
    const redacted = redactRecording(
      { info: null, exchanges, sockets: [socket] },
      { toPlaceholder },
    )
    const texts = textsOf(redacted)
    for (const spelled of spellings(secret)) expect(texts).not.toContain(spelled)
    expect(scanRecording(redacted)).toEqual([])
    // What is redacted stays as it is.
    expect(redactRecording(redacted, { toPlaceholder })).toEqual(redacted)
    expect(writeHar(redacted)).not.toContain(secret)
  })
  fc.assert(property, run)
})

test('recordings/unchanged A recording without secrets stays byte for byte', () => {
  const property = fc.property(recordings, (recording) => {
    const redacted = redactRecording(recording, { toPlaceholder })
    for (const [at, { url, headers, body }] of recording.exchanges.entries()) {
      const isPlain = !/[?&][\w.~%-]*(?:key|token|sig|auth|secret|policy)/i.test(url)
      if (isPlain) expect(targetOf(redacted.exchanges[at]!.url)).toBe(targetOf(url))
      if (!/Bearer|:\/\/|"|[?&]/.test(Buffer.from(body).toString('latin1')))
        expect(redacted.exchanges[at]!.body).toEqual(body)
      const others = headers.filter(([name]) => !/key|auth|cookie|sig|token|jwt|hmac/i.test(name))
      for (const [name, value] of others)
        if (!/[?&:]/.test(value))
          expect(redacted.exchanges[at]!.headers).toContainEqual([name, value])
    }
  })
  fc.assert(property, run)
})
