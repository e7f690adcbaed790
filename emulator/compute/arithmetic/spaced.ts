// Evenly spaced numbers.

import { checkLength } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'

const f = Math.fround

/** Evenly spaced numbers, as torch computes them: from both ends. */
export function spaced(start: number, end: number, count: number): Float32Array {
  checkLength(count)
  if (count < 0) raise('RuntimeError', 'number of steps must be non-negative')
  const step = count > 1 ? f((f(end) - f(start)) / (count - 1)) : 0
  const middle = Math.floor(count / 2)
  // Products are not rounded before the sum.
  return Float32Array.from({ length: count }, (_, at) =>
    at < middle || count === 1 ? f(start) + step * at : f(end) - step * (count - at - 1),
  )
}
