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
  [0xa64b, 0x1c88],
]
const representative = new Map(
  equals.flatMap((codes) => codes.map((one) => [one, codes[0] as number] as const)),
)

/** One code for all characters that are equal without regard to case. */
export function fold(code: number): number {
  const lower = String.fromCodePoint(code).toLowerCase().codePointAt(0) as number
  return representative.get(lower) ?? lower
}

const WORD = /^[\p{L}\p{N}_]$/u
const DIGIT = /^\p{Nd}$/u
const BLANK = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/

const isAscii = (code: number): boolean => code < 128

/** Whether a character is one of words; undefined is beyond the text. */
export const isWord = (code: number | undefined, { a }: Flags): boolean =>
  code !== undefined && (!a || isAscii(code)) && WORD.test(String.fromCodePoint(code))

function isOf(code: number, name: CharacterClass, flags: Flags): boolean {
  const isCounted = !flags.a || isAscii(code)
  switch (name) {
    case 'd':
      return isCounted && DIGIT.test(String.fromCodePoint(code))
    case 'w':
      return isWord(code, flags)
    case 's':
      return isCounted && BLANK.test(String.fromCodePoint(code))
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
  const codes = flags.i ? [code, ...casesOf(code)] : [code]
  const found =
    codes.some((one) => ranges.some(([first, last]) => first <= one && one <= last)) ||
    classes.some((name) => isOf(code, name, flags)) ||
    (flags.i && ranges.some(([first, last]) => first === last && fold(first) === fold(code)))
  return found !== isNegated
}

const casesOf = (code: number): number[] => {
  const text = String.fromCodePoint(code)
  return [text.toLowerCase(), text.toUpperCase()]
    .filter((one) => Array.from(one).length === 1)
    .map((one) => one.codePointAt(0) as number)
}
