// Which cases run, in which order, and which of them the budget of runs is for.

import { type Allowance, allowances, type CheckOptions, usualSessions } from '../../spec/check.ts'
import { described } from '../../spec/generations.ts'
import type { Where } from '../../spec/language.ts'
import { type Surface, surfaceOfArea } from '../../spec/hosted/surfaces.ts'
import type { Case } from '../judge/proves.ts'
import { Skip } from '../judge/skip.ts'
import { ruleInfosOf } from './judgement.ts'
import known from './known-cases.json' with { type: 'json' }
import type { SharedCase } from './events.ts'
import { counted } from './output/text.ts'
import { wrongUse } from './usage.ts'

/** What is known of a case: how many runs it submits, how many files it leaves, and what an operator has to allow for it. */
type Known = {
  readonly runs: number
  readonly files?: number
  readonly tags: readonly string[]
}

/**
 * By rules and place, with a number for each further case of the same. What submits no run and needs nothing is missing.
 * measure-cases.mjs writes it, by a check of a server with everything allowed.
 */
const byName: Readonly<Record<string, Known | undefined>> = known

const nothing: Known = { runs: 0, tags: [] }

/** What is known of the cases of a place, given in the order of their declaration. */
function knownOf(cases: readonly Case[]): ReadonlyMap<Case, Known> {
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

/** A case, and what is known of it from earlier checks. */
export type PlannedCase = {
  readonly one: Case
  readonly area: string
  /** How many runs it submits, about. */
  readonly runs: number
  /** How many files it leaves at most. */
  readonly files: number
  /** What it needs: `own-world`, and what an operator has to allow. */
  readonly tags: readonly string[]
  /** Why it cannot be judged here, as far as that is known before: then it is not tried, and costs nothing. */
  readonly skip?: Skip
  /** Whether the budget of runs does not suffice for it. */
  readonly isBeyondBudget: boolean
}

/** What an operator says that decides what can be judged. */
export type PlanOptions = Pick<CheckOptions, 'select' | 'allow' | 'isReadOnly'>

/** Where cases run, and the APIs that are there: null for all. */
export type Judged = Where & { readonly apis?: readonly Surface[] | null }

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

/** Throws an error with the code USAGE for a selector that matches no case of any server, with the nearest name. */
export function requireMatches(
  all: readonly Case[],
  select: readonly string[],
  didYouMean: (name: string, known: Iterable<string>) => string,
): void {
  const cases = all.filter(({ ids }) => !isOfQuirk(ids))
  const known = knownOf(cases)
  const isMatched = (selector: string): boolean =>
    cases.some((one) => matches(one, known.get(one) as Known, selector))
  const wrong = select.find((selector) => !isMatched(selector))
  if (wrong === undefined) return
  const names = [...cases.map(areaOf), ...cases.flatMap(({ ids }) => ids)]
  const hint = didYouMean(wrong, names) || ' List the cases with: --list'
  throw wrongUse(`--only ${JSON.stringify(wrong)} matches no case.${hint}`)
}

/** What clients live on, in the order in which it is judged; the other areas follow. */
const coreAreas: readonly string[] = ['workflows', 'messages', 'queue', 'history', 'files']
const rankOfArea = (area: string): number =>
  coreAreas.includes(area) ? coreAreas.indexOf(area) : coreAreas.length

/** Rules that are stated come first where the budget is short, then those that cost least. */
const ranks = { stated: 0, observed: 1, chosen: 2 } as const
const rankOf = (one: Case): number => Math.min(...ruleInfosOf(one).map(({ basis }) => ranks[basis]))

/** A case that is chosen, before it is known whether there are runs for it. */
type ChosenCase = Omit<PlannedCase, 'isBeyondBudget'>

/** The chosen cases for a server, of its generation, area by area. Throws an error with the code USAGE for a selector that matches none of them. */
function chosenCases(
  cases: readonly Case[],
  { place, generation = described, apis = null }: Judged,
  options: PlanOptions,
): readonly ChosenCase[] {
  const { select } = options
  const here = cases.filter(
    (one) =>
      one.place === place &&
      one.generations.includes(generation) &&
      !isOfQuirk(one.ids) &&
      (apis === null || apis.includes(surfaceOfArea(areaOf(one)))),
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
  const areas = [...new Set(chosen.map(areaOf))].toSorted((a, b) => rankOfArea(a) - rankOfArea(b))
  const ordered = areas.flatMap((area) =>
    chosen.filter((one) => areaOf(one) === area).toSorted((a, b) => rankOf(a) - rankOf(b)),
  )
  // Cases that share what the first of them makes are paid for once.
  const sharedRuns = [...known].reduce((sum, [one, { runs }]) => sum + (one.isShared ? runs : 0), 0)
  const payer = ordered.find(({ isShared }) => isShared)
  return ordered.map((one): ChosenCase => {
    const { runs, files = 0, tags } = knownAs(one)
    const skip = skipKnown(one, { runs: one.isShared ? sharedRuns : runs, tags }, options)
    const own = !one.isShared ? runs : one === payer ? sharedRuns : 0
    const planned: ChosenCase = { one, area: areaOf(one), runs: own, files, tags }
    return skip === undefined ? planned : Object.assign({ skip }, planned)
  })
}

/** Why a case cannot be judged, as far as that is known before it runs. */
function skipKnown(
  one: Case,
  { runs, tags }: Known,
  { allow, isReadOnly }: PlanOptions,
): Skip | undefined {
  if (one.needsOwnWorld) return new Skip('own-world', 'It needs a world with special options.')
  if (isReadOnly && runs > 0) return new Skip('not-allowed', '--read-only submits nothing.')
  const refused = allowancesIn(tags).filter((one) => !allow.includes(one))
  if (refused.length === 0) return undefined
  return new Skip('not-allowed', `It needs --allow ${refused.join(',')}.`)
}

/** Servers differ, and a case that is disturbed is tried again: so much more than the known number of runs is held for it. */
const RESERVE = 1.2

/** How many runs are held for a case: not always a whole number. */
export const runsHeld = ({ runs, skip }: Pick<PlannedCase, 'runs' | 'skip'>): number =>
  skip === undefined ? runs * RESERVE : 0

/** So many runs are enough for all of these cases. */
export const enoughRuns = (planned: readonly Pick<PlannedCase, 'runs' | 'skip'>[]): number =>
  Math.ceil(planned.reduce((sum, one) => sum + runsHeld(one), 0))

/** So few runs hurt nobody: a case that is tried again, or fails, may submit more than it is known to. */
const LEAST_RUNS = 50

/** How many runs a seeded session submits at most. */
const RUNS_OF_SESSION = 60

/**
 * How many runs a check submits at most, if its operator does not say it: what the stated rules need, or all that is chosen
 * where a part is selected, or much is allowed.
 */
export function usualRuns(
  cases: readonly Case[],
  where: Judged,
  options: PlanOptions & Pick<CheckOptions, 'sessions'>,
): number {
  const { select, allow, sessions } = options
  const isWhole = select.length > 0 || allow.includes('slow')
  const needed = chosenCases(cases, where, options).filter(
    ({ one }) => isWhole || rankOf(one) === ranks.stated,
  )
  const further = allow.includes('slow') ? Math.max(0, sessions - usualSessions.sessions) : 0
  return Math.max(LEAST_RUNS, enoughRuns(needed)) + further * RUNS_OF_SESSION
}

/**
 * The cases for a server, of its generation, area by area. Throws an error with the code USAGE for a selector that matches none of them.
 * @param cases every case that there is.
 */
export function planCases(
  cases: readonly Case[],
  where: Judged,
  options: PlanOptions & { readonly maxRuns: number },
): readonly PlannedCase[] {
  const chosen = chosenCases(cases, where, options)
  const affordable = affordableOf(chosen, options.maxRuns)
  return chosen.map((planned) => {
    const isBeyondBudget = planned.skip === undefined && !affordable.has(planned)
    return Object.assign({ isBeyondBudget }, planned)
  })
}

/** The chosen cases that a budget suffices for: first the cheapest stated one of each area. */
function affordableOf(chosen: readonly ChosenCase[], maxRuns: number): ReadonlySet<ChosenCase> {
  const possible = chosen
    .filter(({ skip }) => skip === undefined)
    .toSorted((a, b) => rankOf(a.one) - rankOf(b.one) || a.runs - b.runs)
  const stated = possible.filter(({ one }) => rankOf(one) === ranks.stated)
  const firsts = stated.filter(
    (one, at) => stated.findIndex(({ area }) => area === one.area) === at,
  )
  const affordable = new Set<ChosenCase>()
  let left = maxRuns
  for (const planned of [...firsts, ...possible]) {
    const held = runsHeld(planned)
    if (affordable.has(planned) || held > left) continue
    left -= held
    affordable.add(planned)
  }
  // What cases share is there only if the one that pays for it can run.
  const isUnpaid = possible.some((one) => one.one.isShared && !affordable.has(one))
  return isUnpaid ? new Set([...affordable].filter(({ one }) => !one.isShared)) : affordable
}

/** How many files these cases leave at most where nobody can delete them: what several share counts for each. */
export const filesLeft = (planned: readonly PlannedCase[]): number =>
  planned
    .filter(({ skip, isBeyondBudget }) => skip === undefined && !isBeyondBudget)
    .reduce((sum, { files }) => sum + files, 0)

/** What is planned for a case, as far as its rules are concerned. */
export const asPlanned = ({ one, tags, skip, isBeyondBudget }: PlannedCase): SharedCase => ({
  rules: ruleInfosOf(one),
  reason: skip?.reason ?? (isBeyondBudget ? 'budget' : undefined),
  needs: allowancesIn(tags),
})

/** What an operator has to allow, among some tags. */
export const allowancesIn = (tags: readonly string[]): readonly Allowance[] =>
  (Object.keys(allowances) as readonly Allowance[]).filter((one) => tags.includes(one))

/** A case for the behaviour of a quirk proves what servers do otherwise: it is part of the judgement. */
export const isOfQuirk = (ids: readonly string[]): boolean =>
  ids.some((id) => id.startsWith('quirks/'))

/** The list of the cases that a check would run: one line per case, its rules, what it costs and needs; or one JSON array. */
export function listText(planned: readonly PlannedCase[], isJson: boolean): string {
  const listed = planned.map(({ one, area, runs, tags, isBeyondBudget }) => ({
    title: one.title,
    area,
    place: one.place,
    rules: ruleInfosOf(one).map(({ id }) => id),
    runs,
    tags,
    isBeyondBudget,
  }))
  if (isJson) return `${JSON.stringify(listed, null, 2)}\n`
  const lines = listed.map(({ title, runs, tags }) => {
    const costs = runs === 0 ? [] : [counted(runs, 'run')]
    const notes = [...costs, ...tags]
    return notes.length === 0 ? title : `${title} (${notes.join(', ')})`
  })
  return `${lines.join('\n')}\n`
}
