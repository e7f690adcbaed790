// Which characters are equal, and which belong to a set.

import type { CharacterClass, CharacterSet, Flags } from './tree.ts'

/** Characters that are equal without regard to case though their lower cases differ. */
const equals: readonly string[] = [
  'iı',
  'sſ',
  'µμ',
  '\u0345ι\u1fbe',
  'ΐ\u1fd3',
  'ΰ\u1fe3',
  'βϐ',
  'εϵ',
  'θϑ',
  'κϰ',
  'πϖ',
  'ρϱ',
  'ςσ',
  'φϕ',
  'ṡẛ',
  '\ufb05\ufb06',
  'вᲀ',
  'дᲁ',
  'оᲂ',
  'сᲃ',
  'тᲄᲅ',
  'ъᲆ',
  'ѣᲇ',
  'ꙋᲈ',
]
const representative = new Map(
  equals.flatMap((characters) =>
    Array.from(
      characters,
      (one) => [one.codePointAt(0) as number, characters.codePointAt(0) as number] as const,
    ),
  ),
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
