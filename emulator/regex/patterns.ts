// The patterns of people's own checks: whether they are valid, and whether a text contains a match.

import { Raised } from '../lib/raised.ts'
import { parse } from './parse.ts'
import { compile } from './program.ts'
import { codesOf, search } from './search.ts'

const flags = { i: false, m: false, s: false, a: false }

/** Whether Python's `re` accepts a pattern. */
export const isPattern = (pattern: string): boolean =>
  unlessRaised(() => parse(pattern, flags) !== undefined)

/** The steps that a group of searches has taken. */
export type SearchBudget = { steps: number }

/**
 * Whether a text contains a match; not if the searches of its budget take more steps than `limits.expressionSteps`, nor
 * does any later one.
 */
export const containsMatch = (pattern: string, text: string, budget: SearchBudget): boolean => {
  const { steps } = budget
  // It stays so if the search ends with an exception.
  budget.steps = Infinity
  return unlessRaised(() => {
    const taken = { steps }
    const found = search(compile(parse(pattern, flags)), codesOf(text), 0, taken)
    budget.steps = taken.steps
    return found !== undefined
  })
}

function unlessRaised(test: () => boolean): boolean {
  try {
    return test()
  } catch (error) {
    if (error instanceof Raised) return false
    throw error
  }
}
