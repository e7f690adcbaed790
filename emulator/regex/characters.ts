// Which characters are equal, and which belong to a set.

import type { CharacterClass, CharacterSet, Flags } from './tree.ts'

/** Characters, by their codes, that are equal without regard to case though their lower cases differ. */
const equals: readonly (readonly number[])[] = [
  [0x69, 0x131],
  [0x73, 0x17f],
  [0xb5, 0x3bc],
  [0x345, 0x3b9, 0x1fbe],
  [0x390, 0x1fd3],
  [0x3b0, 0x1fe3],
  [0x3b2, 0x3d0],
  [0x3b5, 0x3f5],
  [0x3b8, 0x3d1],
  [0x3ba, 0x3f0],
  [0x3c0, 0x3d6],
  [0x3c1, 0x3f1],
  [0x3c2, 0x3c3],
  [0x3c6, 0x3d5],
  [0x1e61, 0x1e9b],
  [0xfb05, 0xfb06],
  [0x432, 0x1c80],
  [0x434, 0x1c81],
  [0x43e, 0x1c82],
  [0x441, 0x1c83],
  [0x442, 0x1c84, 0x1c85],
  [0x44a, 0x1c86],
  [0x463, 0x1c87],
  [0x1c88, 0xa64b],
]
const equalTo = new Map(equals.flatMap((codes) => codes.map((one) => [one, codes] as const)))

const isAscii = (code: number): boolean => code < 128

/** The code of a character in lower case; of more than one the first. */
export function lowerOf(code: number, { a }: Flags): number {
  if (isAscii(code)) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
  return a ? code : (String.fromCodePoint(code).toLowerCase().codePointAt(0) as number)
}

/** Whether two characters are equal: without regard to case, those count whose lower cases have one upper case, too. */
export function isSame(code: number, given: number, flags: Flags): boolean {
  if (code === given || !flags.i) return code === given
  const [one, other] = [lowerOf(code, flags), lowerOf(given, flags)]
  return one === other || (!flags.a && equalTo.get(one)?.includes(other) === true)
}

const MOST_CASED = 0x1ffff
let uppers: Map<number, number[]> | undefined

/** The characters whose lower case is this one, and which are not lower case themselves. */
function uppersOf(lower: number): readonly number[] {
  if (uppers === undefined) {
    uppers = new Map()
    const unicode: Flags = { i: true, m: false, s: false, a: false }
    for (let code = 0; code <= MOST_CASED; code++) {
      const own = lowerOf(code, unicode)
      if (own !== code) uppers.set(own, [...(uppers.get(own) ?? []), code])
    }
  }
  return uppers.get(lower) ?? []
}

/** All characters that are equal to one in lower case without regard to case. */
function equalsOf(lower: number, { a }: Flags): readonly number[] {
  if (a) return lower >= 0x61 && lower <= 0x7a ? [lower, lower - 0x20] : [lower]
  const lowers = equalTo.get(lower) ?? [lower]
  return lowers.concat(lowers.flatMap(uppersOf))
}

const WORD = /^[\p{L}\p{N}_]$/u
const DIGIT = /^\p{Nd}$/u
const BLANK = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/
const ASCII_BLANK = /^[\t-\r ]$/

const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isAsciiWord = (code: number): boolean =>
  isAsciiDigit(code) ||
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x5f

/** Whether a character is one of words; undefined is beyond the text. */
export function isWord(code: number | undefined, { a }: Flags): boolean {
  if (code === undefined) return false
  return isAscii(code) ? isAsciiWord(code) : !a && WORD.test(String.fromCodePoint(code))
}

function isOf(code: number, name: CharacterClass, flags: Flags): boolean {
  switch (name) {
    case 'd':
      return isAscii(code) ? isAsciiDigit(code) : !flags.a && DIGIT.test(String.fromCodePoint(code))
    case 'w':
      return isWord(code, flags)
    case 's':
      return (flags.a ? ASCII_BLANK : BLANK).test(String.fromCodePoint(code))
    default:
      return !isOf(code, name.toLowerCase() as CharacterClass, flags)
  }
}

/** Whether a set contains a character. */
export function contains(
  { isNegated, ranges, classes }: CharacterSet,
  code: number,
  flags: Flags,
): boolean {
  const own = flags.i ? lowerOf(code, flags) : code
  const isIn = (one: number): boolean => ranges.some(([first, last]) => first <= one && one <= last)
  const found =
    isIn(own) ||
    (flags.i && ranges.length > 0 && equalsOf(own, flags).some(isIn)) ||
    classes.some((name) => isOf(own, name, flags))
  return found !== isNegated
}
