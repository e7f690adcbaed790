// How many of the stated rules a check judges, and what would judge the others.

import type { SkipReason } from '../../../spec/check.ts'
import type { Share, SharedCase } from '../events.ts'

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
