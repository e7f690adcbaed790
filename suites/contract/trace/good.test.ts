// Sessions that keep every law are clean, as are those of a real server.

import { describe, test } from 'vitest'
import { readHar, writeHar } from '../../../dist/emulator/internal.js'
import { both } from '../../../spec/language.ts'
import { recordOf } from '../../check/sessions/counterexample.ts'
import { play } from '../../check/sessions/play.ts'
import type { Session } from '../../check/sessions/steps.ts'
import { traceOf } from '../../check/trace/build.ts'
import { judgeTraces } from '../../check/trace/judge-traces.ts'
import { laws } from '../../check/trace/laws/index.ts'
import { placeText } from '../../check/trace/spots.ts'
import { expect } from '../../judge/expect.ts'
import { startSubject } from '../../judge/subject.ts'
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

/** Two runs with previews, and one that fails. */
const steps: Session = [
  { do: 'connect', client: 'a' },
  { do: 'connect', client: 'b' },
  { do: 'submit', run: 0, client: 'a', work: 'preview', variant: 1 },
  { do: 'rest' },
  { do: 'submit', run: 1, client: 'b', work: 'fail', variant: 1 },
  { do: 'rest' },
  { do: 'look' },
]

test.each(both)(
  'trace/counterexample A session that check has played on %s is saved as a recording, which can be judged.',
  async (deployment) => {
    const subject = await startSubject({ deployment })
    try {
      const { recording } = recordOf(1, await play(subject, steps, 'salt'))
      const trace = traceOf(readHar(writeHar(recording), 'a.har'), 'a.har')
      const results = trace === undefined ? [] : judgeTraces([trace], laws)
      expect(results.flatMap(({ found }) => found.map(({ says }) => says))).toEqual([])
      const seen = results.flatMap((one) => (one.seen > 0 ? one.ids : []))
      expect(seen).toEqual(expect.arrayContaining(['messages/order', 'messages/error']))
      expect(trace?.runs).toHaveLength(2)
    } finally {
      await subject.close()
    }
  },
)
