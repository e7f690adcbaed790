// Collects all cases of the contract as data, for code that runs them on other servers or counts them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectCases } from '../judge/proves.ts'

const contract = join(import.meta.dirname, '..', 'contract')

/** The text of a file of the contract. */
export const source = (file: string): string => readFileSync(join(contract, file), 'utf8')

/** The files of the contract that contain cases. */
export const withCases = readdirSync(contract, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && /^\s*(proves(Quirk|CliQuirk)?)\(/m.test(source(file)),
)

/** Each case once for each place where it runs. */
export const cases = await collectCases(async () => {
  // The query loads a separate module from the one that registers the tests, in case one thread loads both.
  for (const file of withCases) await import(`${join(contract, file)}?cases`)
})

/** `rule on place` for each case. */
export const proven: ReadonlySet<string> = new Set(
  cases.flatMap(({ ids, place }) => ids.map((id) => `${id} on ${place}`)),
)
