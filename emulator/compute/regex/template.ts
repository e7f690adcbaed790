// Templates of replacements: texts, and groups of the match.

import { DIGITS, isLetter, isName, OCTAL, Reader, simpleEscapes } from './reader.ts'
import type { Pattern } from './tree.ts'
import { raise } from '../values/values.ts'
import { pythonRepr } from '../../lib/python.ts'

/** The parts of a template: texts, and numbers of groups. */
export type Template = readonly (string | number)[]

/** Parses a template as Python's `re.sub` does. Throws Raised. */
export function parseTemplate(source: string, pattern: Pattern): Template {
  const reader = new Reader(source)
  const parts: (string | number)[] = []
  const addGroup = (index: number, at: number): void => {
    if (index > pattern.groups) reader.fail(`invalid group reference ${index}`, at)
    parts.push(index)
  }
  while (!reader.isDone) {
    const start = reader.at
    const one = reader.take()
    if (one !== '\\') parts.push(one)
    else if (reader.isDone) reader.fail('bad escape (end of pattern)', start)
    else {
      const escaped = reader.take()
      if (escaped === 'g') namedGroup(reader, pattern, addGroup)
      else if (escaped === '0') parts.push(octal(`0${reader.takeWhile(OCTAL, 2)}`))
      else if (DIGITS.includes(escaped)) numbered(reader, escaped, start, parts, addGroup)
      else if (simpleEscapes[escaped] !== undefined)
        parts.push(String.fromCodePoint(simpleEscapes[escaped]))
      else if (isLetter(escaped)) reader.fail(`bad escape \\${escaped}`, start)
      else parts.push(`\\${escaped}`)
    }
  }
  return parts
}

const octal = (digits: string): string => String.fromCodePoint(Number.parseInt(digits, 8) & 255)

function numbered(
  reader: Reader,
  first: string,
  start: number,
  parts: (string | number)[],
  addGroup: (index: number, at: number) => void,
): void {
  const second = reader.takeWhile(DIGITS, 1)
  const isOctal = [first, second, reader.next].every((one) => one !== '' && OCTAL.includes(one))
  if (!isOctal) return addGroup(Number(first + second), start + 1)
  const digits = first + second + reader.take()
  if (Number.parseInt(digits, 8) > 0o377)
    reader.fail(`octal escape value \\${digits} outside of range 0-0o377`, start)
  parts.push(octal(digits))
}

function namedGroup(
  reader: Reader,
  pattern: Pattern,
  addGroup: (index: number, at: number) => void,
): void {
  if (!reader.takeIf('<')) reader.fail('missing <', reader.at)
  const at = reader.at
  const name = reader.takeUntil('>', 'group name')
  if (/^\d+$/.test(name)) return addGroup(Number(name), at)
  if (!isName(name)) reader.fail(`bad character in group name ${pythonRepr(name)}`, at)
  const index = pattern.names.get(name)
  if (index === undefined) raise('IndexError', `unknown group name ${pythonRepr(name)}`)
  addGroup(index, at)
}
