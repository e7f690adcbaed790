// Searches a text for a regular expression: the first match, or all of them.

import { Matcher } from './match.ts'
import type { Pattern } from './program.ts'

/** The start and the end of each group, from group 0; -1 for one without a match. */
export type Match = readonly (readonly [start: number, end: number])[]

/** The code points of a text. */
export const codesOf = (text: string): readonly number[] =>
  Array.from(text, (one) => one.codePointAt(0) as number)

/** The first match from a position on; an empty one at `notEmptyAt` is skipped. Undefined without one. */
export function search(
  pattern: Pattern,
  text: readonly number[],
  from: number,
  budget: { steps: number },
  notEmptyAt = -1,
): Match | undefined {
  const matcher = new Matcher(text, pattern, budget.steps, notEmptyAt)
  for (let at = from; at <= text.length; at++) {
    const isFound = matcher.run(0, at, true)
    budget.steps = matcher.spent
    if (!isFound) continue
    matcher.numbers[0] = at
    matcher.numbers[1] = matcher.at
    return Array.from({ length: pattern.groups + 1 }, (_, group) =>
      matcher.isSet(group)
        ? [matcher.numbers[2 * group] as number, matcher.numbers[2 * group + 1] as number]
        : [-1, -1],
    )
  }
  return undefined
}

/** All matches one after the other: an empty one may follow another, but not twice in one place. */
export function searchAll(
  pattern: Pattern,
  text: readonly number[],
  most = Infinity,
): readonly Match[] {
  const matches: Match[] = []
  const budget = { steps: 0 }
  let from = 0
  let notEmptyAt = -1
  while (matches.length < most && from <= text.length) {
    const match = search(pattern, text, from, budget, notEmptyAt)
    if (match === undefined) break
    matches.push(match)
    const [start, end] = match[0] as readonly [number, number]
    from = end
    notEmptyAt = start === end ? end : -1
  }
  return matches
}
