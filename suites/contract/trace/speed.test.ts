// Judging is fast enough for long recordings.

import { cpuUsage } from 'node:process'
import { test } from 'vitest'
import type { RecordedExchange, Recording } from '../../../dist/emulator/internal.js'
import { traceOf } from '../../check/trace/build.ts'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../check/trace/laws/index.ts'
import { expect } from '../../judge/expect.ts'
import { goodSession } from './sessions.ts'

type Recorded = NonNullable<RecordedExchange['response']>

const isText = ({ headers }: Recorded): boolean =>
  headers.some(([name, value]) => name === 'content-type' && value.startsWith('application/json'))

/** A session many times, one after the other, each with separate ids and times. */
function repeated(recording: Recording, times: number): Recording {
  const lastMs = recording.exchanges.at(-1)?.endMs ?? 0
  const firstMs = recording.exchanges[0]?.startMs ?? 0
  const text = (data: string, at: number): string =>
    data.replaceAll(
      /([0-9a-f]{8})-([0-9a-f]{4}-){3}/g,
      (id) => `${String(at).padStart(8, '0')}${id.slice(8)}`,
    )
  const bytes = (body: Uint8Array, at: number): Uint8Array =>
    new TextEncoder().encode(text(new TextDecoder().decode(body), at))
  const copies = Array.from({ length: times }, (_, at) => {
    const by = at * (lastMs - firstMs + 100_000)
    return {
      exchanges: recording.exchanges.map((one) => ({
        ...one,
        url: text(one.url, at),
        startMs: one.startMs + by,
        endMs: one.endMs + by,
        response: one.response && {
          ...one.response,
          body: isText(one.response) ? bytes(one.response.body, at) : one.response.body,
        },
      })),
      sockets: recording.sockets.map((one) => ({
        ...one,
        openMs: one.openMs + by,
        messages: one.messages.map((message) => ({
          ...message,
          atMs: message.atMs + by,
          data: typeof message.data === 'string' ? text(message.data, at) : message.data,
        })),
      })),
    }
  })
  return {
    info: recording.info,
    exchanges: copies.flatMap(({ exchanges }) => exchanges),
    sockets: copies.flatMap(({ sockets }) => sockets),
  }
}

/** How many times the processor time of reading the messages as JSON the laws may take. */
const MAX_RATIO = 15

test('trace/speed Judging takes a small multiple of the time that reading the messages takes.', async () => {
  const good = await goodSession('hosted')
  const count = good.sockets.reduce((sum, { messages }) => sum + messages.length, 0)
  const long = repeated(good, Math.ceil(20_000 / count))
  const read = (): void => {
    for (const { messages } of long.sockets)
      for (const { data } of messages) if (typeof data === 'string') JSON.parse(data)
  }
  const judge = (): readonly string[] =>
    [traceOf(long, 'long.har')].flatMap((trace) =>
      trace === undefined
        ? []
        : judgeTraces([trace], laws).flatMap(({ found }) => found.map(({ says }) => says)),
    )
  expect(judge()).toEqual([])
  const took = (action: () => unknown): number => {
    const before = cpuUsage()
    action()
    const { user, system } = cpuUsage(before)
    return user + system
  }
  // What the machine does besides slows both down.
  const rounds = Array.from({ length: 3 }, () => ({ judged: took(judge), plain: took(read) }))
  expect(Math.min(...rounds.map(({ judged, plain }) => judged / plain))).toBeLessThan(MAX_RATIO)
})
