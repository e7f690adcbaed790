// Sets of characters in a regular expression: `[a-z\d]`.

import { codeEscape, DIGITS, isLetter, OCTAL, type Reader, simpleEscapes } from './reader.ts'
import type { CharacterClass, CharacterSet } from './tree.ts'

type Item = { readonly code: number } | { readonly class: CharacterClass }

/** Parses a set after its opening bracket. */
export function parseSet(reader: Reader, start: number): CharacterSet {
  const isNegated = reader.takeIf('^')
  const ranges: [number, number][] = []
  const classes: CharacterClass[] = []
  const first = reader.at
  for (;;) {
    if (reader.isDone) reader.fail('unterminated character set', start)
    if (reader.next === ']' && reader.at !== first) break
    const at = reader.at
    const from = item(reader)
    if (reader.next === '-' && reader.characters[reader.at + 1] !== ']') {
      reader.take()
      if (reader.isDone) reader.fail('unterminated character set', start)
      const to = item(reader)
      const text = (): string => reader.characters.slice(at, reader.at).join('')
      if ('class' in from || 'class' in to) reader.fail(`bad character range ${text()}`, at)
      if (to.code < from.code) reader.fail(`bad character range ${text()}`, at)
      ranges.push([from.code, to.code])
    } else if ('class' in from) classes.push(from.class)
    else ranges.push([from.code, from.code])
  }
  reader.take()
  return { isNegated, ranges, classes }
}

function item(reader: Reader): Item {
  const start = reader.at
  const one = reader.take()
  if (one !== '\\') return { code: one.codePointAt(0) as number }
  if (reader.isDone) reader.fail('bad escape (end of pattern)', start)
  const escaped = reader.take()
  if ('dDwWsS'.includes(escaped)) return { class: escaped as CharacterClass }
  const code = codeEscape(reader, escaped, start)
  if (code !== undefined) return { code }
  if (OCTAL.includes(escaped)) {
    const digits = escaped + reader.takeWhile(OCTAL, 2)
    const value = Number.parseInt(digits, 8)
    if (value > 0o377) reader.fail(`octal escape value \\${digits} outside of range 0-0o377`, start)
    return { code: value }
  }
  const simple = simpleEscapes[escaped]
  if (simple !== undefined) return { code: simple }
  if (isLetter(escaped) || DIGITS.includes(escaped)) reader.fail(`bad escape \\${escaped}`, start)
  return { code: escaped.codePointAt(0) as number }
}
