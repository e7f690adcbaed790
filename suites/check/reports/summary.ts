// What the events of one check amount to: broken rules, notes by quirk, skips by reason, and which failures have one cause: of
// those reports show one, under the rule about the very thing, and the others follow from it. All reports print from this.

import { oneLine } from '../output/text.ts'
import type { CaseEvent, CheckEvent, EventOf, RuleInfo, SkipReason, Verdict } from '../events.ts'

export type Summary = {
  /** Missing if the check ended before it found its target. */
  readonly start: EventOf<'start'> | undefined
  readonly cases: readonly CaseEvent[]
  readonly warnings: readonly string[]
  /** Missing if the check did not finish. */
  readonly end: EventOf<'end'> | undefined
}

export function summaryOf(events: readonly CheckEvent[]): Summary {
  const all = <E extends CheckEvent['event']>(kind: E): EventOf<E>[] =>
    events.filter((one): one is EventOf<E> => one.event === kind)
  return {
    start: all('start')[0],
    cases: withCauses(all('case')),
    warnings: all('warning').map(({ text }) => text),
    end: all('end').at(-1),
  }
}

/** Whether a client was judged, which has no nearest server and on which nothing can be left. */
export const isOfClient = ({ start }: Summary): boolean => start?.target.deployments !== undefined

/** Whether nothing was done on a server: no runs were submitted, and nothing can be left. */
export const isRecorded = ({ start }: Summary): boolean => start?.target.recorded === true

/** What was judged: its software, and by which rules. */
export function targetText({ start }: Summary): { readonly what: string; readonly by: string } {
  const { software, place = 'unknown', generation = 'unknown', deployments } = start?.target ?? {}
  return deployments === undefined
    ? { what: software ?? 'unknown software', by: `${place}, ${generation}` }
    : { what: 'client', by: deployments.join(' and ') }
}

/** What a report shows of a case: its verdict, or that its failure is known or follows from another, or its place in the baseline stale. */
export type Mark = Verdict | 'known' | 'stale' | 'follow'

export function markOf({ verdict, baseline, follows }: CaseEvent): Mark {
  if (follows !== undefined) return 'follow'
  if (baseline === 'known' && verdict === 'fail') return 'known'
  return baseline === 'stale' ? 'stale' : verdict
}

/** The marks, the worst first: what several cases of one rule amount to is the worst of them. */
export const marks: readonly Mark[] = [
  'fail',
  'follow',
  'stale',
  'fault',
  'known',
  'note',
  'pass',
  'skip',
]

export const worstOf = (cases: readonly CaseEvent[]): Mark | undefined =>
  marks.find((mark) => cases.some((one) => markOf(one) === mark))

export const withMark = (cases: readonly CaseEvent[], mark: Mark): readonly CaseEvent[] =>
  cases.filter((one) => markOf(one) === mark)

/** How often each mark occurs; marks that do not occur are left out. */
export const countsOf = (cases: readonly CaseEvent[]): readonly (readonly [Mark, number])[] =>
  shownOrder.flatMap((mark) => {
    const count = withMark(cases, mark).length
    return count === 0 ? [] : [[mark, count] as const]
  })

/** The order in which counts are printed. */
const shownOrder: readonly Mark[] = [
  'pass',
  'fail',
  'follow',
  'known',
  'stale',
  'fault',
  'note',
  'skip',
]

/** Things by a key, in the order in which the keys first occur. */
export function groupsOf<T>(
  things: readonly T[],
  keyOf: (thing: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const thing of things) {
    const key = keyOf(thing)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [thing])
    else group.push(thing)
  }
  return groups
}

/** Skips by their reason, the most frequent first. */
export function skipsOf(cases: readonly CaseEvent[]): readonly (readonly [SkipReason, number])[] {
  const counts = new Map<SkipReason, number>()
  for (const { verdict, reason = 'missing' } of cases)
    if (verdict === 'skip') counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** Notes by the quirk that they show; those without a quirk come last, under an empty name. */
export function notesOf(
  cases: readonly CaseEvent[],
): readonly (readonly [quirk: string, cases: readonly CaseEvent[]])[] {
  const groups = groupsOf(withMark(cases, 'note'), ({ quirk = '' }) => quirk)
  return [...groups].sort(([one], [other]) => Number(one === '') - Number(other === ''))
}

/** The rules of a case; one without rules stands for itself. */
export const rulesOf = ({ rules, title }: CaseEvent): readonly RuleInfo[] =>
  rules.length > 0 ? rules : [{ id: title, says: '', basis: 'chosen' }]

/** The ids of the rules of a case. */
export const namesOf = (one: CaseEvent): string =>
  rulesOf(one)
    .map(({ id }) => id)
    .join(' + ')

/** What came of a case, in one line. */
export const noticeOf = ({ failure, detail, rules }: CaseEvent): string =>
  oneLine(failure?.message ?? detail ?? rules[0]?.says ?? '')

/** What the exit codes mean. */
const exitWords = [
  'as expected',
  'a rule is broken',
  'wrong usage',
  'stale baseline',
  'a fault of flowdouble',
  'not measured',
] as const

/** How the check ended. A check without an end did not measure its target. */
export function outcomeOf({ end }: Summary): {
  readonly exitCode: number
  readonly words: string
  readonly sentence: string
} {
  const { exitCode, outcome } = end ?? {
    exitCode: 5 as const,
    outcome: 'The check did not finish.',
  }
  return { exitCode, words: exitWords[exitCode], sentence: outcome }
}

/** What failures have in common: what is wrong with the traffic, or the first rule that is broken. */
const causeOf = ({ cause, rules, place, title }: CaseEvent): string =>
  `${place} ${cause?.says ?? rules[0]?.id ?? title}`

/** Signs that a case is about its cause, the strongest first. A case of few rules is more about each of them. */
function closeness({ cause, rules, area }: CaseEvent): readonly number[] {
  if (cause === undefined) return []
  const { word, rules: about } = cause
  const isAbout = rules.some(({ id }) => about.includes(id))
  const isOfArea = about.some((id) => id.startsWith(`${area}/`))
  const isNamed = word !== undefined && rules.some(({ says }) => hasWord(says, word))
  const isStated = rules.some(({ basis }) => basis === 'stated')
  return [isOfArea && isNamed, isAbout, isOfArea, isNamed, isStated, -rules.length].map(Number)
}

/** Puts the case that is closest to the cause first. */
function byCloseness(a: CaseEvent, b: CaseEvent): number {
  const others = closeness(b)
  const differences = closeness(a).map((own, at) => (others[at] ?? 0) - own)
  return differences.find((one) => one !== 0) ?? 0
}

const hasWord = (text: string, word: string): boolean => text.split(/\W+/).includes(word)

/** The cases with what follows from what. A failure that is known takes those of its cause along. */
export function withCauses(cases: readonly CaseEvent[]): readonly CaseEvent[] {
  const failures = cases.filter(({ verdict }) => verdict === 'fail')
  const changed = new Map<CaseEvent, CaseEvent>()
  for (const group of groupsOf(failures, causeOf).values()) {
    const known = group.filter(({ baseline }) => baseline === 'known')
    const [lead] = (known.length > 0 ? known : group).toSorted(byCloseness)
    const following = group.filter((one) => one !== lead && one.baseline !== 'known')
    if (lead === undefined || following.length === 0) continue
    changed.set(lead, { ...lead, followers: [...new Set(following.map(namesOf))] })
    for (const one of following) changed.set(one, { ...one, follows: namesOf(lead) })
  }
  return cases.map((one) => changed.get(one) ?? one)
}

/** The named server that a target resembles most, and where it differs. */
export const nearestText = ({ like, differs }: NonNullable<EventOf<'end'>['nearest']>): string =>
  `${oneLine(like)}${differs.length === 0 ? ', without a difference' : `; differs in ${differs.map(oneLine).join(', ')}`}`
