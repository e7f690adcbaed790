// Pictures for the suites, and the distance between two of them.

import type { Picture, Pixels } from '../../dist/emulator/internal.js'
import { expect } from '../judge/expect.ts'

export const painted = (id: number, width: number, height: number): Picture => ({
  kind: 'painted',
  id,
  width,
  height,
})

export const stored = (bytes: Uint8Array, width: number, height: number): Picture => ({
  kind: 'stored',
  id: 5,
  width,
  height,
  bytes,
})

/** The mean squared error over red, green and blue; alpha does not count. */
export function distance(one: Pixels, other: Pixels): number {
  expect([one.width, one.height]).toEqual([other.width, other.height])
  let sum = 0
  for (let at = 0; at < one.data.length; at++) {
    if (at % 4 !== 3) sum += (one.data[at]! - other.data[at]!) ** 2
  }
  return sum / (one.width * one.height * 3)
}
