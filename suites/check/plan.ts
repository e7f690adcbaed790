// Which cases run, in which order, and which of them the budget of runs is for.

import type { CheckOptions } from '../../spec/check.ts'
import { described } from '../../spec/generations.ts'
import type { Where } from '../../spec/language.ts'
import type { Case } from '../judge/proves.ts'
import { ruleInfosOf } from './judgement.ts'
import { type Known, knownOf } from './known-cases.ts'
import { wrongUse } from './usage.ts'

/** A case, and what is known of it from earlier checks. */
export type PlannedCase = {
  readonly one: Case
  readonly area: string
  /** How many runs it submits, about. */
  readonly runs: number
  /** What it needs: `own-world`, and what an operator has to allow. */
  readonly tags: readonly string[]
  /** Whether the budget of runs does not suffice for it. */
  readonly isBeyondBudget: boolean
}

export const areaOf = ({ ids }: Case): string => (ids[0] ?? '').split('/')[0] ?? ''

/** A glob as a regular expression for whole texts. */
export const asPattern = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)

/** Whether a selector matches a case: a glob of rule ids or titles, an area, or a tag. */
function matches(one: Case, { tags }: Known, selector: string): boolean {
  const pattern = asPattern(selector)
  return (
    one.ids.some((id) => pattern.test(id)) ||
    pattern.test(areaOf(one)) ||
    pattern.test(one.title) ||
    tags.includes(selector)
  )
}

/** Rules that are stated come first where the budget is short, then those that cost least. */
const ranks = { stated: 0, observed: 1, chosen: 2 } as const
const rankOf = (one: Case): number => Math.min(...ruleInfosOf(one).map(({ basis }) => ranks[basis]))

/**
 * The cases for a server, of its generation, area by area. Throws an error with the code USAGE for a selector that matches none of them.
 * @param cases every case that there is.
 */
export function planCases(
  cases: readonly Case[],
  { place, generation = described }: Where,
  { select, maxRuns }: Pick<CheckOptions, 'select' | 'maxRuns'>,
): readonly PlannedCase[] {
  const here = cases.filter(
    ({ ids, place: at, generations }) =>
      at === place && generations.includes(generation) && !isOfQuirk(ids),
  )
  const known = knownOf(here)
  const knownAs = (one: Case): Known => known.get(one) as Known
  for (const selector of select) {
    if (!here.some((one) => matches(one, knownAs(one), selector)))
      throw wrongUse(`--only ${JSON.stringify(selector)} matches no case of a ${place} server.`)
  }
  const chosen = here.filter(
    (one) => select.length === 0 || select.some((selector) => matches(one, knownAs(one), selector)),
  )
  const affordable = affordableOf(known, chosen, maxRuns)
  const areas = [...new Set(chosen.map(areaOf))]
  return areas.flatMap((area) =>
    chosen
      .filter((one) => areaOf(one) === area)
      .map((one): PlannedCase => {
        const isBeyondBudget = !one.needsOwnWorld && !affordable.has(one)
        return Object.assign({ one, area, isBeyondBudget }, knownAs(one))
      }),
  )
}

/** The chosen cases that a budget suffices for. Cases that share what the first of them makes are paid for once. */
function affordableOf(
  known: ReadonlyMap<Case, Known>,
  chosen: readonly Case[],
  maxRuns: number,
): ReadonlySet<Case> {
  const sharedRuns = [...known].reduce((sum, [one, { runs }]) => sum + (one.isShared ? runs : 0), 0)
  const costOf = (one: Case): number => (one.isShared ? sharedRuns : (known.get(one) as Known).runs)
  const affordable = new Set<Case>()
  let left = maxRuns
  let isPaid = false
  for (const one of chosen.toSorted((a, b) => rankOf(a) - rankOf(b) || costOf(a) - costOf(b))) {
    const cost = one.isShared && isPaid ? 0 : costOf(one)
    if (one.needsOwnWorld || cost > left) continue
    left -= cost
    isPaid ||= one.isShared
    affordable.add(one)
  }
  return affordable
}

/** A case for the behaviour of a quirk proves what servers do otherwise: it is part of the judgement. */
export const isOfQuirk = (ids: readonly string[]): boolean =>
  ids.some((id) => id.startsWith('quirks/'))
