// Collects all cases as data, for code that runs them on other servers or counts them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectCases } from '../judge/proves.ts'

const suites = join(import.meta.dirname, '..')

/** The text of a file of the suites. */
export const source = (file: string): string => readFileSync(join(suites, file), 'utf8')

/** The files that contain cases: what any server is judged by, and what only this package does. */
export const withCases = readdirSync(suites, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /^(cases|commands)\/.*\.test\.ts$/.test(file) && /^\s*proves\w*\(/m.test(source(file)),
)

/** Each case once for each place where it runs. */
export const cases = await collectCases(async () => {
  // The query loads a separate module from the one that registers the tests, in case one thread loads both.
  for (const file of withCases) await import(`${join(suites, file)}?cases`)
})

/** `rule on place` for each case. */
export const proven: ReadonlySet<string> = new Set(
  cases.flatMap(({ ids, place }) => ids.map((id) => `${id} on ${place}`)),
)
