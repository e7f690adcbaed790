// Judging is fast enough for long recordings.

import { cpuUsage } from 'node:process'
import { test } from 'vitest'
import { traceOf } from '../../check/trace/build.ts'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../check/trace/laws/index.ts'
import { expect } from '../../judge/expect.ts'
import { burst, repeated } from './repeat.ts'
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

/** How often the laws look at the places and times of messages of a burst of runs. */
function visits(count: number): number {
  const trace = traceOf(burst(count), 'burst.har')
  if (trace === undefined) throw new Error('The burst cannot be read.')
  let seen = 0
  for (const item of trace.sockets.flatMap(({ items }) => items))
    for (const name of ['index', 'atMs'] as const) {
      const value = item[name]
      Object.defineProperty(item, name, { get: () => (seen++, value) })
    }
  const results = judgeTraces([trace], laws)
  expect(results.flatMap(({ found }) => found.map(({ says }) => says))).toEqual([])
  return seen
}

test('trace/linear Of twice as many runs that wait for each other, the laws look at about twice as many messages.', () => {
  const [once, twice] = [visits(400), visits(800)]
  expect(once).toBeGreaterThan(400)
  expect(twice / once).toBeLessThan(2.4)
})
