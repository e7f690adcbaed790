// Noise levels of the GITS schedules, by a coefficient from 0.8 to 1.5 and the number of steps from 2 to 20. Those that a
// real server was seen to return are exact; the others are approximated from them: their logarithms are interpolated.

import { raise } from '../../lib/raised.ts'
import { withLogarithms } from './noise-levels.ts'

const FIRST = 14.61464119
const LAST = 0.02916753

/** What was seen, by coefficient and steps, between the first and the last level. Those of 0.8 have only their end. */
const seen: Readonly<Record<string, Readonly<Record<number, readonly number[]>>>> = {
  0.8: {
    2: [7.49001646],
    10: [8.75849152, 7.49001646, 5.85520077, 3.07277966, 1.56271636],
    20: [
      8.30717278, 7.88507891, 7.49001646, 6.77309084, 5.85520077, 4.86714602, 3.75677586,
      2.84484982, 1.78698075, 0.803307,
    ],
  },
  1.2: {
    2: [0.803307],
    3: [1.56271636, 0.52423614],
    4: [2.36326075, 0.92192322, 0.36617002],
    10: [
      5.85520077, 2.84484982, 1.67050016, 1.08895338, 0.74807048, 0.50118381, 0.32104823,
      0.19894916, 0.09824532,
    ],
  },
  1.5: {
    2: [0.54755926],
    3: [0.803307, 0.25053367],
    4: [0.86115354, 0.32104823, 0.09824532],
    10: [
      1.84880662, 0.95350921, 0.59516323, 0.41087446, 0.29807833, 0.22545385, 0.17026083,
      0.13792117, 0.09824532,
    ],
    20: [
      2.45070267, 1.41535246, 0.95350921, 0.72133851, 0.57119018, 0.47836447, 0.43325692,
      0.38853383, 0.36617002, 0.34370604, 0.32104823, 0.29807833, 0.27464288, 0.25053367,
      0.22545385, 0.19894916, 0.17026083, 0.13792117, 0.09824532,
    ],
  },
}

/** All levels of a schedule. Where only the end was seen, the beginning is filled up. */
function whole(between: readonly number[], steps: number): number[] {
  const [next = LAST] = between
  const missing = steps - 1 - between.length
  const head = withLogarithms([FIRST, next], missing + 2).slice(0, -1)
  return [...head, ...between, LAST]
}

/** The schedule of a coefficient that was seen: with as many steps, or of the next length. */
function ofCoefficient(coefficient: string, steps: number): number[] {
  const known = seen[coefficient] ?? {}
  const lengths = Object.keys(known).map(Number)
  const length = lengths.find((one) => one >= steps) ?? Math.max(...lengths)
  const levels = whole(known[length] ?? [], length)
  if (length === steps) return levels
  // The last level but one is the same in schedules of several lengths.
  return [...withLogarithms(levels.slice(0, -1), steps), LAST]
}

const LEAST = 0.8
const MOST = 1.5
const coefficients = Object.keys(seen)

/** The levels for a coefficient; undefined for one without a schedule. One step is the last of a long schedule. */
export function gitsLevels(coefficient: number, steps: number): readonly number[] | undefined {
  const isKnown = coefficient >= LEAST && coefficient <= MOST
  if (!isKnown || Math.round(coefficient * 100) % 5 !== 0) return undefined
  // Python counts back from the end of the table, which begins with 2 steps.
  const length = steps >= 2 ? steps : 19 + steps
  if (length < 2) raise('IndexError', 'list index out of range')
  const upper = coefficients.find((one) => Number(one) >= coefficient) as string
  const lower = coefficients.findLast((one) => Number(one) <= coefficient) as string
  const [high, low] = [ofCoefficient(upper, length), ofCoefficient(lower, length)]
  const share =
    upper === lower ? 0 : (coefficient - Number(lower)) / (Number(upper) - Number(lower))
  return low.map((level, at) => level ** (1 - share) * (high[at] as number) ** share)
}
