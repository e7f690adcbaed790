// What holds for WebP files: prefix codes that any reader can follow, and bytes that a reader decoded exactly.

import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  canonicalCodes,
  codeLengths,
  encodeFile,
  encodeWebp,
  type Picture,
} from '../../../dist/emulator/internal.js'
import { runs } from '../../support/effort.ts'

const countsOf = (counts: readonly number[]) => Uint32Array.from(counts)

test('webp/codes Codes are complete, no longer than 15 bits, and none begins with another.', () => {
  const property = (counts: readonly number[]): void => {
    const lengths = codeLengths(countsOf(counts))
    expect(Array.from(lengths, (length) => length > 0)).toEqual(counts.map((count) => count > 0))
    const used = [...lengths].filter((length) => length > 0)
    expect(Math.max(...used)).toBeLessThanOrEqual(15)
    expect(used.reduce((sum, length) => sum + 2 ** (15 - length), 0)).toBe(2 ** 15)
    // Codes are written from the lowest bit up: two of them part within the shorter one.
    const words = Array.from(canonicalCodes(lengths), (code, symbol) =>
      Array.from({ length: lengths[symbol]! }, (_, bit) => (code >> bit) & 1).join(''),
    ).filter((word) => word !== '')
    const sorted = words.toSorted()
    expect(sorted.filter((word, at) => sorted[at + 1]?.startsWith(word))).toEqual([])
  }
  const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.nat({ max: 1 << 24 }))
  const counts = fc
    .array(count, { minLength: 2, maxLength: 280 })
    .filter((all) => all.filter((one) => one > 0).length > 1)
  fc.assert(fc.property(counts, property), { seed: 1, numRuns: runs(100) })
  const fibonacci = [1, 1]
  while (fibonacci.length < 34) fibonacci.push(fibonacci.at(-1)! + fibonacci.at(-2)!)
  property(fibonacci)
})

test('webp/short A more frequent symbol never has a longer code.', () => {
  const lengths = codeLengths(countsOf([1, 100, 10, 1, 0, 50]))
  expect([...lengths]).toEqual([4, 1, 3, 4, 0, 2])
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const noise = (width: number, height: number, alpha: (at: number) => number) => {
  let state = 1
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return at % 4 === 3 ? alpha(at) : state >>> 24
  })
  return { width, height, data }
}
const painted: Picture = { kind: 'painted', id: 20260101, width: 96, height: 64 }

// libwebp decoded these files exactly, pixel by pixel, when their hashes were written down.
test('webp/pinned The same pixels give the same bytes, which a library has decoded exactly.', () => {
  const files = {
    painted: encodeFile({ picture: painted, format: 'webp', text: [] }),
    noise: encodeWebp(noise(37, 21, (at) => at & 255)),
    opaque: encodeWebp(noise(5, 9, () => 255)),
    dot: encodeWebp(noise(1, 1, () => 0)),
  }
  const hashes = Object.entries(files).map(([name, bytes]) => [name, sha256(bytes)])
  expect(Object.fromEntries(hashes)).toEqual({
    painted: 'cae30f9dc7507942634129461741d49c9801e07cb057658588d3e79fba9a1f56',
    noise: '6dadbbe3fe34ae1f3508ca56807122fc48b94518900c8ff78d2bc5caef2bff43',
    opaque: 'f1bfa24dc0846aef75c5621bb974746f8f91161863fa770b60fae97dbbbaae71',
    dot: '290b76a608db4f056ab3a2e7d59923b7da466edcc129bf0f6281162bf198fc47',
  })
})

test("webp/too-large A picture with a side beyond the format's limit is rejected.", () => {
  expect(() => encodeWebp(noise(16384, 1, () => 255))).toThrow(RangeError)
  expect(encodeWebp(noise(16383, 1, () => 255)).length).toBeGreaterThan(16383)
})
