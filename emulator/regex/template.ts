// Templates of replacements: texts, and groups of the match.

import { octalCode, simpleEscapes } from './escapes.ts'
import { groupNumber } from './numbers.ts'
import { DIGITS, isAsciiLetter, isName, lengthOfText, OCTAL, Reader } from './reader.ts'
import type { Tree } from './tree.ts'
import { raise } from '../lib/raised.ts'
import { pythonRepr } from '../lib/python.ts'

/** The parts of a template: texts, and numbers of groups. */
export type Template = readonly (string | number)[]

/** Parses a template as Python's `re.sub` does. Throws Raised. */
export function parseTemplate(source: string, tree: Tree): Template {
  if (!source.includes('\\')) return [source]
  const reader = new Reader(source)
  const parts: (string | number)[] = []
  while (!reader.isDone) {
    const token = reader.take()
    parts.push(token.startsWith('\\') ? escaped(reader, token, tree) : token)
  }
  return parts
}

function escaped(reader: Reader, token: string, tree: Tree): string | number {
  const one = token.slice(1)
  if (one === 'g') return namedGroup(reader, tree)
  if (one === '0') return character(Number.parseInt(`0${reader.takeWhile(OCTAL, 2)}`, 8) & 255)
  if (DIGITS.includes(one)) return numbered(reader, token, tree)
  const simple = simpleEscapes[token]
  if (simple !== undefined) return character(simple)
  if (isAsciiLetter(one)) reader.fail(`bad escape ${token}`, 2)
  return token
}

const character = (code: number): string => String.fromCodePoint(code)

const group = (reader: Reader, index: number, back: number, { groups }: Tree): number =>
  index > groups ? reader.fail(`invalid group reference ${index}`, back) : index

function numbered(reader: Reader, token: string, tree: Tree): string | number {
  let escape = token + reader.takeWhile(DIGITS, 1)
  const digits = Array.from(escape.slice(1))
  if (digits.length === 2 && digits.every((one) => OCTAL.includes(one)) && reader.isOneOf(OCTAL)) {
    escape += reader.take()
    return character(octalCode(reader, escape))
  }
  return group(reader, Number(escape.slice(1)), escape.length - 1, tree)
}

function namedGroup(reader: Reader, tree: Tree): number {
  if (!reader.takeIf('<')) reader.fail('missing <')
  const name = reader.takeUntil('>', 'group name')
  const back = lengthOfText(name) + 1
  if (!isName(name)) return group(reader, groupNumber(reader, name, back), back, tree)
  return tree.names.get(name) ?? raise('IndexError', `unknown group name ${pythonRepr(name)}`)
}
