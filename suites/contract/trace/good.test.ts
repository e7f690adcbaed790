// Sessions that keep every law are clean, as are those of a real server.

import { describe, test } from 'vitest'
import { traceOf } from '../../check/trace/build.ts'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../check/trace/laws/index.ts'
import { placeText } from '../../check/trace/spots.ts'
import { expect } from '../../judge/expect.ts'
import { goodSession } from './sessions.ts'

describe.each(['local', 'hosted', 'gateway'] as const)('%s', (place) => {
  test('trace/clean A session of a world breaks no law.', async () => {
    const trace = traceOf(await goodSession(place), 'good.har')
    expect(trace?.place).toBe(place)
    const results = trace === undefined ? [] : judgeTraces([trace], laws)
    const found = results.flatMap(({ title, found }) =>
      found.map((one) => [title, placeText(one.trace, one.at), one.says]),
    )
    expect(found).toEqual([])
  })
})
