// A clock that runs goes on while nothing runs: what was due meanwhile happens when the world continues.

import { startEmulator } from 'flowdouble'
import { onTestFinished, vi } from 'vitest'
import { slow } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { subjectOf } from '../../judge/subject.ts'
import { newFiles } from '../../support/files.ts'

/** One run at a time on local, and on hosted as many as the account may have. */
const runsAfter = { local: ['success', 'running'], hosted: ['success', 'success'] }

function withResolvers() {
  let resolve = (): void => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}

/** How long nothing runs, in milliseconds of the wall clock. */
const AWAY_MS = 3_600_000

proves('shared/saved-time', async ({ deployment }) => {
  const folder = newFiles().path('state')
  onTestFinished(() => void vi.restoreAllMocks())
  for (const [clock, factor] of [
    ['real', 1],
    ['x2', 2],
  ] as const) {
    const options = { deployment, clock, state: `${folder}-${clock}` }
    const first = await startEmulator(options)
    await subjectOf(first).submit(slow((0.9 * factor * AWAY_MS) / 1000, 4))
    await subjectOf(first).submit(slow((0.9 * factor * AWAY_MS) / 1000, 4))
    await first.close()
    const stoppedMs = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => stoppedMs + AWAY_MS)
    const states = runsAfter[deployment]
    let left = states.filter((state) => state === 'success').length
    const ended = withResolvers()
    const next = await startEmulator({
      ...options,
      onEntry: ({ effects }) => {
        for (const effect of effects)
          if (effect.kind === 'run' && effect.state === 'success' && --left === 0) ended.resolve()
      },
    })
    vi.restoreAllMocks()
    await ended.promise
    expect(next.runs().map(({ state }) => state)).toEqual(states)
    await next.close()
  }
})
