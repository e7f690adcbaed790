// Random numbers, ids and names from the seed of a world: the core has no other source of randomness.

/** The state of a generator: four 32-bit words (xoshiro128**). Plain data, changed in place by each draw. */
export type Random = { a: number; b: number; c: number; d: number }

/** A generator whose draws depend only on the seed text. */
export function createRandom(seed: string): Random {
  const first = hash53(seed)
  const second = hash53(seed, 0x9e3779b9)
  const state = {
    a: first >>> 0,
    b: (first / 2 ** 21) >>> 0,
    c: second >>> 0,
    d: (second / 2 ** 21) >>> 0,
  }
  for (let i = 0; i < 8; i++) next32(state)
  return state
}

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

/** The next 32 bits, as an unsigned integer. */
export function next32(random: Random): number {
  const result = Math.imul(rotate(Math.imul(random.b, 5), 7), 9) >>> 0
  const shifted = random.b << 9
  random.c ^= random.a
  random.d ^= random.b
  random.b ^= random.c
  random.a ^= random.d
  random.c ^= shifted
  random.d = rotate(random.d, 11)
  return result
}

/** Two hexadecimal digits for each byte. */
const hex2 = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Eight hexadecimal digits: a table is faster than converting and padding a number. */
const hex8 = (value: number): string =>
  `${hex2[value >>> 24]}${hex2[(value >>> 16) & 255]}${hex2[(value >>> 8) & 255]}${hex2[value & 255]}`

/** 32 lower-case hexadecimal digits. */
export const drawHex32 = (random: Random): string =>
  hex8(next32(random)) + hex8(next32(random)) + hex8(next32(random)) + hex8(next32(random))

/** A UUID of version 4 in lower case with hyphens. */
export function drawUuid(random: Random): string {
  const version = (next32(random) & 0xffff0fff) | 0x4000
  const variant = (next32(random) & 0x3fffffff) | 0x80000000
  const first = hex8(next32(random))
  const last = hex8(next32(random))
  const middle = hex8(version)
  const rest = hex8(variant)
  return `${first}-${middle.slice(0, 4)}-${middle.slice(4)}-${rest.slice(0, 4)}-${rest.slice(4)}${last}`
}

/** `count` random letters from `letters`. */
export function drawLetters(random: Random, letters: string, count: number): string {
  let drawn = ''
  for (let i = 0; i < count; i++) drawn += letters[next32(random) % letters.length]
  return drawn
}

/** A 53-bit hash of a text (cyrb53): fast and well distributed, but not secure against deliberate collisions. */
export const hash53 = (text: string, seed = 0): number => hashTexts([text], seed)

/** The same for consecutive texts, without joining them. */
export function hashTexts(texts: readonly string[], seed = 0): number {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      high = Math.imul(high ^ code, 2654435761)
      low = Math.imul(low ^ code, 1597334677)
    }
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4294967296 * (2097151 & low) + (high >>> 0)
}
