// Secrets in base64: the scanner finds them wherever they stand, and the redacted recording contains none.

import {
  placeholders,
  type RecordedExchange,
  redactRecording,
  scanRecording,
  writeHar,
} from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { bytesOf, exchangeWith } from '../../support/recordings/recording.ts'

const random = 'q7Zr0xP4mWv9LsT2bHy6NcD8'

/** A text in base64, as it can stand in a body, in an address and in a message. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 without padding': (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of JSON': (text) =>
    Buffer.from(JSON.stringify({ note: `is ${text}` })).toString('base64'),
  'base64 in base64': (text) =>
    Buffer.from(Buffer.from(`>${text}`).toString('base64')).toString('base64'),
  'base64 in a data URL': (text) =>
    `data:text/plain;base64,${Buffer.from(`it: ${text}?`).toString('base64')}`,
  'base64 behind a word': (text) => `a/note_${Buffer.from(`: ${text}`).toString('base64')}`,
}

for (const [name, encode] of Object.entries(encodings))
  test(`record/encoded A secret as ${name} is found, and is in no place of the redacted recording`, () => {
    const given = encode(`sk-proj-37${random}`)
    const response = (body: string) => ({ status: 200, headers: [], body: bytesOf(body) })
    const exchanges = [
      exchangeWith({ body: bytesOf(JSON.stringify({ a: [{ b: given }] })) }),
      exchangeWith({ response: response(`plain ${given}`) }),
      exchangeWith({ response: response(JSON.stringify({ b: given }).replaceAll('/', '\\/')) }),
      exchangeWith({ url: `http://server/queue?a=b&c=${encodeURIComponent(given)}` }),
      exchangeWith({ headers: [['X-Note', given]] }),
    ]
    const message = { from: 'server', atMs: 1, data: JSON.stringify({ data: given }) } as const
    const sockets = [
      { entry: 0, openMs: 1, url: 'ws://server/ws', headers: [], messages: [message], close: null },
    ]
    const recording = { info: null, exchanges, sockets }
    const found = scanRecording(recording)
    expect([...new Set(found.map(({ entry }) => entry))]).toHaveLength(6)
    const redacted = redactRecording(recording, { toPlaceholder: placeholders('a') })
    expect(scanRecording(redacted)).toEqual([])
    expect(redacted.exchanges.map(({ url }) => url)).not.toContain(exchanges[3]?.url)
    const text = writeHar(redacted)
    expect(text).not.toContain(given)
    // What it was encoded as, it still is.
    const [{ body }] = redacted.exchanges as [RecordedExchange]
    const kept = (JSON.parse(new TextDecoder().decode(body)) as { a: [{ b: string }] }).a[0].b
    expect(kept).toHaveLength(given.length)
  })
