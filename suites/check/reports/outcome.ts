// How a check ends: its counts, the exit code, one sentence about what was judged, and how many of the stated rules that is,
// with what would judge the others.

import { checkExitCodes, type SkipReason, verdicts } from '../../../spec/check.ts'
import type { CaseEvent, EventOf, Share, SharedCase } from '../events.ts'
import { type Mark, markOf, withCauses } from './summary.ts'

/** The sentences about one kind of target. */
export type Sentences = {
  readonly broken: (broken: number, judged: number) => string
  readonly kept: (judged: number) => string
  readonly nothing: string
}

export const ofServer: Sentences = {
  broken: (broken, judged) => `${broken} of ${judged} judged cases show a broken rule.`,
  kept: (judged) => `The server keeps the rules of ${judged} judged cases.`,
  nothing: 'No case could be judged.',
}

export const ofClient: Sentences = {
  broken: (broken, judged) => `The client breaks ${broken} of ${judged} judged duties.`,
  kept: (judged) =>
    `The client keeps ${judged} judged duties, apart from notes and known failures.`,
  nothing: 'The duties of the client were not judged.',
}

export const ofTrace: Sentences = {
  broken: (broken, judged) => `The recording breaks ${broken} of ${judged} judged laws.`,
  kept: (judged) =>
    `The recording keeps ${judged} judged laws, apart from notes and known failures.`,
  nothing: 'The recording contains nothing that can be judged.',
}

export const ofDrift: Sentences = {
  broken: (broken, judged) => `${broken} of ${judged} recorded exchanges and runs have changed.`,
  kept: (judged) => `${judged} recorded exchanges and runs are as they were, apart from notes.`,
  nothing: 'Nothing of the recording could be sent.',
}

/** The areas of a server in which something could be judged, and nothing was. */
export function unjudgedAreas(done: readonly CaseEvent[]): readonly string[] {
  const possible = done.filter(({ reason }) => reason !== 'own-world')
  const judged = new Set(possible.filter(isJudged).map(({ area }) => area))
  return [...new Set(possible.map(({ area }) => area))].filter((area) => !judged.has(area))
}

const isJudged = ({ verdict }: CaseEvent): boolean => verdict !== 'skip'

/** A sentence about a server, with the areas that it says nothing about. */
const withAreas = (sentence: string, areas: readonly string[]): string =>
  areas.length === 0 ? sentence : `${sentence} Not judged at all: ${areas.join(', ')}.`

/** @param ended whether the user has stopped the check, and how many entries of the baseline are stale. */
export function endOf(
  done: readonly CaseEvent[],
  { isStopped, stale }: { readonly isStopped: boolean; readonly stale: number },
  sentences: Sentences,
): Pick<EventOf<'end'>, 'event' | 'counts' | 'exitCode' | 'outcome'> {
  const marks = withCauses(done).map(markOf)
  const countOf = (mark: Mark): number => marks.filter((one) => one === mark).length
  const further = (['follow', 'known', 'stale'] as const).filter((mark) => countOf(mark) > 0)
  const counts = Object.fromEntries(
    [...verdicts, ...further].map((mark) => [mark, countOf(mark)]),
  ) as EventOf<'end'>['counts']
  const broken = counts.fail
  const judged = done.length - counts.skip
  const areas = sentences === ofServer ? unjudgedAreas(done) : []
  const end = (exitCode: EventOf<'end'>['exitCode'], outcome: string) =>
    ({ event: 'end', counts, exitCode, outcome }) as const
  if (isStopped) return end(checkExitCodes.notMeasured, 'The check was stopped before its end.')
  if (broken > 0)
    return end(checkExitCodes.ruleBroken, withAreas(sentences.broken(broken, judged), areas))
  if (counts.fault > 0)
    return end(checkExitCodes.ownFault, 'Check itself has a fault: please report it.')
  if (stale > 0)
    return end(checkExitCodes.staleBaseline, 'The baseline lists failures that no longer happen.')
  return judged === 0
    ? end(checkExitCodes.notMeasured, sentences.nothing)
    : end(checkExitCodes.asExpected, withAreas(sentences.kept(judged), areas))
}

/** Why a rule is not judged: of several reasons the one that is mended most easily. */
const reasons: readonly SkipReason[] = ['budget', 'time', 'busy', 'not-allowed', 'no-key']

const rankOf = ({ reason }: SharedCase): number => {
  const at = reasons.findIndex((one) => one === reason)
  return at === -1 ? reasons.length : at
}

/** What would judge a case that is skipped, or why nothing does. */
function remedyFor({ reason, needs = [] }: SharedCase, enoughRuns: number): string {
  if (reason === 'budget') return `with --max-runs ${enoughRuns}`
  if (reason === 'time') return 'with more --max-seconds'
  if (reason === 'no-key') return 'with a key that was not given'
  if (reason === 'missing') return 'that the server lacks'
  if (reason === 'unseen') return 'about what a gateway shows to no sender'
  if (reason !== 'not-allowed') return `skipped (${reason})`
  return needs.length > 0 ? `with --allow ${needs.join(',')}` : 'without --read-only'
}

/**
 * The share of the stated rules that these cases judge. Rules that only a separate world shows do not count.
 * @param enoughRuns a budget that suffices for all cases.
 */
export function shareOf(cases: readonly SharedCase[], enoughRuns: number): Share {
  const byRule = new Map<string, SharedCase[]>()
  for (const one of cases) {
    if (one.reason === 'own-world') continue
    for (const { id, basis } of one.rules)
      if (basis === 'stated') byRule.set(id, [...(byRule.get(id) ?? []), one])
  }
  const rest = new Map<string, number>()
  let judged = 0
  for (const own of byRule.values()) {
    if (own.some(({ reason }) => reason === undefined)) {
      judged++
      continue
    }
    const [first] = own.toSorted((a, b) => rankOf(a) - rankOf(b))
    if (first === undefined) continue
    const key = remedyFor(first, enoughRuns)
    rest.set(key, (rest.get(key) ?? 0) + 1)
  }
  return { judged, of: byRule.size, rest: [...rest].map(([by, count]) => ({ by, rules: count })) }
}

/** `49 of 60 stated rules judged; the rest: 5 with --allow global, 6 missing` */
export function shareText({ judged, of, rest }: Share, verb = 'judged'): string {
  const others = rest.map(({ by, rules }) => `${rules} ${by}`).join(', ')
  return `${judged} of ${of} stated rules ${verb}${others === '' ? '' : `; the rest: ${others}`}`
}
