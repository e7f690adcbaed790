// Reads the characters of a regular expression one by one, and reports errors with their position as Python does.

import { raise } from '../values/values.ts'

/** Characters of a pattern or a template, by position. */
export class Reader {
  readonly characters: readonly string[]
  readonly source: string
  at = 0
  constructor(source: string) {
    this.source = source
    this.characters = Array.from(source)
  }

  get isDone(): boolean {
    return this.at >= this.characters.length
  }

  /** The next character, or an empty text at the end. */
  get next(): string {
    return this.characters[this.at] ?? ''
  }

  take(): string {
    const next = this.next
    this.at++
    return next
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false
    this.at++
    return true
  }

  /** As many of these characters as follow, at most so many. */
  takeWhile(allowed: string, most: number): string {
    let taken = ''
    while (taken.length < most && !this.isDone && allowed.includes(this.next)) taken += this.take()
    return taken
  }

  /** Everything up to this character, which is skipped. */
  takeUntil(end: string, what: string): string {
    const start = this.at
    let taken = ''
    for (;;) {
      if (this.isDone) {
        if (taken === '') this.fail(`missing ${what}`, start)
        this.fail(`missing ${end}, unterminated name`, start)
      }
      const one = this.take()
      if (one === end) {
        if (taken === '') this.fail(`missing ${what}`, start)
        return taken
      }
      taken += one
    }
  }

  /** Ends with the exception for an invalid expression. */
  fail(message: string, at: number): never {
    const before = this.characters.slice(0, at)
    const line = before.filter((one) => one === '\n').length + 1
    const column = at - before.lastIndexOf('\n')
    const place = this.characters.includes('\n') ? ` (line ${line}, column ${column})` : ''
    return raise('re.error', `${message} at position ${at}${place}`)
  }
}

export const DIGITS = '0123456789'
export const OCTAL = '01234567'
const HEX = '0123456789abcdefABCDEF'
export const isLetter = (one: string): boolean => /^[A-Za-z]$/.test(one)
/** Whether a text can name a group. */
export const isName = (text: string): boolean => /^[\p{XID_Start}_][\p{XID_Continue}]*$/u.test(text)

/** Escapes that stand for one character. */
export const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
}

/** A character by its code in hexadecimal digits; undefined for another escape. */
export function codeEscape(reader: Reader, one: string, start: number): number | undefined {
  const length = { x: 2, u: 4, U: 8 }[one]
  if (length === undefined) return undefined
  const digits = reader.takeWhile(HEX, length)
  if (digits.length < length) reader.fail(`incomplete escape \\${one}${digits}`, start)
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff) reader.fail(`bad escape \\${one}${digits}`, start)
  return code
}
