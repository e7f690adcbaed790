// Pseudo-random numbers that follow from a seed alone, the same on every engine, because they use only 32-bit integers.

/** Mixes the 32 bits of a number: similar inputs have unrelated results of 0 to 2^32 - 1. */
export const mix = (value: number): number => {
  let bits = value >>> 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** A 32-bit seed from a picture's id, which may be longer. */
export const seedOf = (id: number): number =>
  mix(id ^ mix(Math.floor(id / 0x100000000) + 0x9e3779b9))

/** Draws successive numbers from `low` (default 0) to below `high` (default 1). */
export type Draw = (low?: number, high?: number) => number

export const drawFrom = (seed: number): Draw => {
  let state = seed
  return (low = 0, high = 1) => {
    state = (state + 0x9e3779b9) >>> 0
    return low + (mix(state) / 0x100000000) * (high - low)
  }
}

/** Smooth noise along a line: 0 to 1, with one drawn value at each whole `x`. */
export const noiseAt = (x: number, seed: number): number => {
  const whole = Math.floor(x)
  const part = x - whole
  const smooth = part * part * (3 - 2 * part)
  const left = mix(seed + Math.imul(whole, 0x9e3779b1)) / 0x100000000
  const right = mix(seed + Math.imul(whole + 1, 0x9e3779b1)) / 0x100000000
  return left + (right - left) * smooth
}
