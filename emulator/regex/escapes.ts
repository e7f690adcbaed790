// Escapes of regular expressions that stand for one character.

import { pythonRepr } from '../lib/python.ts'
import { isAsciiLetter, lengthOfText, OCTAL, type Reader } from './reader.ts'

const HEX = '0123456789abcdefABCDEF'

/** Letters behind a backslash for one character, by their codes. */
export const simpleEscapes: Readonly<Record<string, number>> = {
  '\\a': 7,
  '\\b': 8,
  '\\f': 12,
  '\\n': 10,
  '\\r': 13,
  '\\t': 9,
  '\\v': 11,
  '\\\\': 92,
}

const LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** A character by its code or its name; undefined for another escape. */
export function codedEscape(reader: Reader, token: string): number | undefined {
  const simple = simpleEscapes[token]
  if (simple !== undefined) return simple
  const letter = token.slice(1)
  if (letter === 'N') return namedCharacter(reader)
  const length = LENGTHS[letter]
  if (length === undefined) return undefined
  const digits = reader.takeWhile(HEX, length)
  const escape = token + digits
  if (digits.length < length) reader.fail(`incomplete escape ${escape}`, escape.length)
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff) reader.fail(`bad escape ${escape}`, escape.length)
  return code
}

/** There is no table of the names of characters here. */
function namedCharacter(reader: Reader): never {
  if (!reader.takeIf('{')) reader.fail('missing {')
  const name = reader.takeUntil('}', 'character name')
  return reader.fail(`undefined character name ${pythonRepr(name)}`, lengthOfText(name) + 4)
}

/** The code of octal digits, of which the first ones are taken. */
export function octalCode(reader: Reader, escape: string): number {
  const code = Number.parseInt(escape.slice(1), 8)
  if (code > 0o377)
    reader.fail(`octal escape value ${escape} outside of range 0-0o377`, escape.length)
  return code
}

/** Up to two more octal digits. */
export const octalEscape = (reader: Reader, token: string): number =>
  octalCode(reader, token + reader.takeWhile(OCTAL, 2))

/** The escaped character itself: letters have a meaning, or none. */
export function itself(reader: Reader, token: string): number {
  if (isAsciiLetter(token.slice(1))) reader.fail(`bad escape ${token}`, 2)
  return token.codePointAt(1) as number
}
