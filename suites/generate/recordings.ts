// Generated recordings: exchanges and sockets with any bodies and messages, and secrets in all places.

import * as fc from 'fast-check'
import type { RecordedExchange, RecordedSocket, Recording } from '../../dist/emulator/internal.js'

const START_MS = 1_767_225_600_000

/** Times to the microsecond, as in a file. */
const time = fc.integer({ min: 0, max: 60_000_000 }).map((micros) => START_MS + micros / 1000)

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc.json().map((text) => new TextEncoder().encode(text)),
  fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
)

const headerName = fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,10}$/)
const headerValue = fc.stringMatching(/^[!-~]{0,20}$/)
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 4 })

const url = fc
  .webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] })
  .map((text) => new URL(text).href)

/** What played faults did; mostly nothing. */
const fault = fc.option(
  fc.record(
    {
      ids: fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }),
      did: fc.subarray(['delayMs', 'status', 'skip'], { minLength: 1 }),
      answers: fc.constant(true as const),
    },
    { requiredKeys: ['ids', 'did'] },
  ),
  { nil: undefined, freq: 1 },
)

const exchange: fc.Arbitrary<RecordedExchange> = fc
  .record({
    startMs: time,
    tookMs: fc.integer({ min: 0, max: 5000 }),
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    url,
    headers,
    body: bytes,
    response: fc.option(
      fc.record({ status: fc.integer({ min: 200, max: 599 }), headers, body: bytes }),
    ),
    cut: fc.option(fc.subarray(['request', 'response'] as const, { minLength: 1 }), {
      nil: undefined,
    }),
    fault,
  })
  .map(({ tookMs, cut, fault: mark, ...rest }) =>
    Object.assign(
      rest,
      { entry: 0, endMs: rest.startMs + tookMs },
      cut && { cut },
      mark && { fault: mark },
    ),
  )

const message = fc.record({
  from: fc.constantFrom('client', 'server'),
  afterMs: fc.integer({ min: 0, max: 1000 }),
  data: fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.uint8Array({ maxLength: 40 })),
  fault,
})

const close = fc.record({
  by: fc.constantFrom('client', 'server'),
  code: fc.constantFrom(1000, 1005, 1006, 1012, 4000),
  reason: fc.string({ minLength: 1, maxLength: 20 }),
})

const socket: fc.Arbitrary<RecordedSocket> = fc
  .record({
    openMs: time,
    url: url.map((text) => text.replace(/^http/, 'ws')),
    headers,
    messages: fc.array(message, { maxLength: 5 }),
    close: fc.option(close),
  })
  .map(({ openMs, messages: said, close: end, ...rest }) => {
    let atMs = openMs
    const messages = said.map(({ from, afterMs, data, fault: mark }) =>
      Object.assign({ from, atMs: (atMs += afterMs), data }, mark && { fault: mark }),
    )
    return Object.assign(rest, { entry: 0, openMs, messages, close: end && { ...end, atMs } })
  })

const byTime = (recording: Recording): Recording => ({
  info: recording.info,
  exchanges: recording.exchanges.toSorted((a, b) => a.startMs - b.startMs),
  sockets: recording.sockets.toSorted((a, b) => a.openMs - b.openMs),
})

/** Any recording. */
export const recordings: fc.Arbitrary<Recording> = fc
  .record({
    info: fc.option(
      fc.record({
        version: fc.constant(1 as const),
        origin: fc.string({ minLength: 1 }),
        place: fc.constantFrom('local', 'hosted', 'gateway'),
      }),
    ),
    exchanges: fc.array(exchange, { maxLength: 5 }),
    sockets: fc.array(socket, { maxLength: 3 }),
  })
  .map(byTime)

/** A secret of any alphabet that occurs nowhere by chance, and is not a word. */
export const secrets = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom(...'abcXYZ0189-_./+=~ "\\%é中'.split('')),
      minLength: 6,
      maxLength: 30,
    }),
    fc.integer({ min: 10_000_000, max: 99_999_999 }),
  )
  .map(([text, number]) => `s${text}${number}e`)
