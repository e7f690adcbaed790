// The cosine transform of 8 by 8 values, by Arai, Agui and Nakajima: 5 multiplications per line. It scales every
// coefficient by a known factor, which the division by the quantisation step removes. Part of the encoder in jpeg.ts.

/** cos(k * pi / 16) * sqrt(2) for k of 1 to 7, and 1 for k = 0: the factor of row or column k. */
const FACTORS: readonly number[] = [
  1, 1.387039845322148, 1.3065629648763766, 1.1758756024193588, 1, 0.7856949583871022,
  0.541196100146197, 0.2758993792829431,
]

/** The factors that turn each transformed coefficient into a number of `steps`. */
export const quantizerOf = (steps: readonly number[]): Float64Array =>
  Float64Array.from(steps, (step, at) => 1 / (step * 8 * FACTORS[at >> 3]! * FACTORS[at & 7]!))

/** Transforms 64 values in place. */
export const transform = (block: Float64Array): void => {
  for (let row = 0; row < 64; row += 8) transformLine(block, row, 1)
  for (let column = 0; column < 8; column++) transformLine(block, column, 8)
}

/** Transforms the 8 values that start at `at`, `step` apart. */
const transformLine = (block: Float64Array, at: number, step: number): void => {
  const [at1, at2, at3] = [at + step, at + step * 2, at + step * 3]
  const [at4, at5, at6, at7] = [at + step * 4, at + step * 5, at + step * 6, at + step * 7]
  const sum0 = block[at]! + block[at7]!
  const sum1 = block[at1]! + block[at6]!
  const sum2 = block[at2]! + block[at5]!
  const sum3 = block[at3]! + block[at4]!
  const gap0 = block[at]! - block[at7]!
  const gap1 = block[at1]! - block[at6]!
  const gap2 = block[at2]! - block[at5]!
  const gap3 = block[at3]! - block[at4]!

  const outer = sum0 - sum3
  const turned = (sum1 - sum2 + outer) * Math.SQRT1_2
  block[at] = sum0 + sum3 + (sum1 + sum2)
  block[at4] = sum0 + sum3 - (sum1 + sum2)
  block[at2] = outer + turned
  block[at6] = outer - turned

  const low = gap3 + gap2
  const high = gap1 + gap0
  const shared = (low - high) * 0.3826834323650898
  const odd2 = low * 0.541196100146197 + shared
  const odd4 = high * 1.3065629648763766 + shared
  const odd3 = (gap2 + gap1) * Math.SQRT1_2
  block[at5] = gap0 - odd3 + odd2
  block[at3] = gap0 - odd3 - odd2
  block[at1] = gap0 + odd3 + odd4
  block[at7] = gap0 + odd3 - odd4
}
