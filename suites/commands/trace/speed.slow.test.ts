// Judging is fast enough for long recordings: the laws look at each message a few times, however many there are.

import { test } from 'vitest'
import { traceOf } from '../../../dist/emulator/session/index.js'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../laws/index.ts'
import type { Recording } from '../../../dist/emulator/internal.js'
import { expect } from '../../judge/expect.ts'
import { burst, repeated } from './repeat.ts'
import { goodSession } from './sessions.ts'

/** How often the laws look at the place and the time of a message, on average. */
function visits(recording: Recording): number {
  const trace = traceOf(recording, 'long.har')
  if (trace === undefined) throw new Error('The recording cannot be read.')
  const items = trace.sockets.flatMap((socket) => socket.items)
  let seen = 0
  for (const item of items)
    for (const name of ['index', 'atMs'] as const) {
      const value = item[name]
      Object.defineProperty(item, name, { get: () => (seen++, value) })
    }
  const results = judgeTraces([trace], laws)
  expect(results.flatMap(({ found }) => found.map(({ says }) => says))).toEqual([])
  return seen / items.length
}

test('trace/linear Of twice as many runs, one after the other or all together, the laws look at each message as often.', async () => {
  const good = await goodSession('hosted')
  expect(visits(repeated(good, 25))).toBeLessThan(5)
  expect(visits(repeated(good, 50))).toBeCloseTo(visits(repeated(good, 25)))
  // What waits for each other is sorted, which takes a little more.
  expect(visits(burst(200))).toBeLessThan(20)
  expect(visits(burst(400)) / visits(burst(200))).toBeLessThan(1.2)
})
