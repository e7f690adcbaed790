// What is known of the cases from an earlier check of a server with everything allowed: how many runs each submits, how many
// files it leaves, and what an operator has to allow for it. measure-cases.mjs writes it.

import type { Case } from '../judge/proves.ts'
import known from './known-cases.json' with { type: 'json' }

/** What is known of a case. */
export type Known = {
  readonly runs: number
  readonly files?: number
  readonly tags: readonly string[]
}

/** By rules and place, with a number for each further case of the same. What submits no run and needs nothing is missing. */
const byName: Readonly<Record<string, Known | undefined>> = known

const nothing: Known = { runs: 0, tags: [] }

/** What is known of the cases of a place, given in the order of their declaration. */
export function knownOf(cases: readonly Case[]): ReadonlyMap<Case, Known> {
  const counts = new Map<string, number>()
  return new Map(
    cases.map((one) => {
      const name = `${one.ids.join(' + ')} [${one.place}]`
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      const known = byName[count === 1 ? name : `${name} (${count})`] ?? nothing
      return [one, one.needsOwnWorld ? { runs: 0, tags: ['own-world'] } : known]
    }),
  )
}
