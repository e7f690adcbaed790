// The patterns of people's own checks: whether they are valid, and whether a text contains a match.

import { Raised } from '../values/raised.ts'
import { parse } from './parse.ts'
import { compile } from './program.ts'
import { codesOf, search } from './search.ts'

const flags = { i: false, m: false, s: false, a: false }

/** Whether Python's `re` accepts a pattern. */
export const isPattern = (pattern: string): boolean =>
  unlessRaised(() => parse(pattern, flags) !== undefined)

/** Whether a text contains a match; not if the search takes more steps than `limits.expressionSteps`. */
export const containsMatch = (pattern: string, text: string): boolean =>
  unlessRaised(
    () => search(compile(parse(pattern, flags)), codesOf(text), 0, { steps: 0 }) !== undefined,
  )

function unlessRaised(test: () => boolean): boolean {
  try {
    return test()
  } catch (error) {
    if (error instanceof Raised) return false
    throw error
  }
}
