// Judging is fast enough for long recordings.

import { cpuUsage } from 'node:process'
import { test } from 'vitest'
import { traceOf } from '../../check/trace/build.ts'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../check/trace/laws/index.ts'
import { expect } from '../../judge/expect.ts'
import { repeated } from './repeat.ts'
import { goodSession } from './sessions.ts'

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
