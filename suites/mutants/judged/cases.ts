// Whether each case that check can run fails on a wrong server: one that breaks a rule of it, or else one of its area.

import { setTimeout as delay } from 'node:timers/promises'
import type { Case } from '../../judge/proves.ts'
import { areaOf, isOfQuirk } from '../../check/plan.ts'
import { mutants } from '../index.ts'
import { isGateway, type Mutant } from '../tamper.ts'
import { wrongOptions } from '../wrong-options.ts'

/** A case that waits for ever on a wrong server has noticed it, in milliseconds. */
const MAX_CASE_MS = 5000
/** How many wrong servers of its area a case is run on. */
const MAX_OF_AREA = 25

async function catches(one: Case, mutant: Mutant): Promise<boolean> {
  const record = { hasChanged: false, isBroken: false }
  const run = await one.start(wrongOptions(mutant, one.place, record)).catch(() => undefined)
  if (run === undefined) return false
  const fails = run().then(
    () => false,
    () => true,
  )
  const waits = delay(MAX_CASE_MS, true, { ref: false })
  return (await Promise.race([fails, waits])) && !record.isBroken
}

/** The wrong servers for a case: those that break its rules first. */
function mutantsFor(one: Case): readonly Mutant[] {
  const all = mutants
    .map(([, mutant]) => mutant)
    .filter((mutant) => isGateway(mutant) === (one.place === 'gateway'))
  const own = all.filter(({ breaks }) => breaks.some((id) => one.ids.includes(id)))
  const area = areaOf(one)
  const near = all.filter(
    (mutant) => !own.includes(mutant) && mutant.breaks.some((id) => id.startsWith(`${area}/`)),
  )
  return [...own, ...near.slice(0, MAX_OF_AREA)]
}

/** The titles of the cases that no wrong server makes fail. */
export async function idleCases(cases: readonly Case[]): Promise<readonly string[]> {
  const idle: string[] = []
  for (const one of cases) {
    if (one.needsOwnWorld || isOfQuirk(one.ids)) continue
    let isCaught = false
    for (const mutant of mutantsFor(one)) {
      isCaught = await catches(one, mutant)
      if (isCaught) break
    }
    if (!isCaught) idle.push(one.title)
  }
  return idle
}
