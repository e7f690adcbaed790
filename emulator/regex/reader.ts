// Reads a regular expression or a template token by token, and reports errors with their position as Python does.

import { raise } from '../lib/raised.ts'

/** Tokens of a pattern or a template: a character, or a backslash and what it escapes. Positions count characters. */
export class Reader {
  readonly characters: readonly string[]
  /** The next token, or an empty text at the end. */
  next = ''
  /** The position behind the next token. */
  #behind = 0
  constructor(source: string) {
    this.characters = Array.from(source)
    this.#advance()
  }

  get at(): number {
    return this.#behind - lengthOf(this.next)
  }

  get isDone(): boolean {
    return this.next === ''
  }

  #advance(): void {
    const token = this.characters[this.#behind]
    if (token === undefined) {
      this.next = ''
      return
    }
    const escaped = token === '\\' ? this.characters[this.#behind + 1] : ''
    if (escaped === undefined)
      return this.failAt('bad escape (end of pattern)', this.characters.length - 1)
    this.#behind += token === '\\' ? 2 : 1
    this.next = token + escaped
  }

  take(): string {
    const { next } = this
    this.#advance()
    return next
  }

  takeIf(token: string): boolean {
    if (this.next !== token) return false
    this.#advance()
    return true
  }

  /** As many of these characters as follow, at most so many. */
  takeWhile(allowed: string, most = Infinity): string {
    let taken = ''
    while (taken.length < most && this.isOneOf(allowed)) taken += this.take()
    return taken
  }

  isOneOf = (allowed: string): boolean => this.next.length === 1 && allowed.includes(this.next)

  /** Everything up to this character, which is skipped. */
  takeUntil(end: string, what: string): string {
    let taken = ''
    for (;;) {
      const isDone = this.isDone
      const one = this.take()
      if (isDone && taken !== '')
        this.fail(`missing ${end}, unterminated name`, lengthOfText(taken))
      if (isDone) this.fail(`missing ${what}`)
      if (one === end && taken === '') this.fail(`missing ${what}`, 1)
      if (one === end) return taken
      taken += one
    }
  }

  /** Goes back to a position. */
  seek(position: number): void {
    this.#behind = position
    this.#advance()
  }

  /** Ends with the exception for an invalid expression, so many characters before the next token. */
  fail(message: string, back = 0): never {
    return this.failAt(message, this.at - back)
  }

  failAt(message: string, at: number): never {
    const before = this.characters.slice(0, at)
    const line = before.filter((one) => one === '\n').length + 1
    const column = at - before.lastIndexOf('\n')
    const place = this.characters.includes('\n') ? ` (line ${line}, column ${column})` : ''
    return raise('re.error', `${message} at position ${at}${place}`)
  }
}

const lengthOf = (token: string): number => (token === '' ? 0 : token.startsWith('\\') ? 2 : 1)
/** How many characters a text has. */
export const lengthOfText = (text: string): number => Array.from(text).length

export const DIGITS = '0123456789'
export const OCTAL = '01234567'
export const isAsciiLetter = (one: string): boolean => /^[A-Za-z]$/.test(one)
/** Characters that belong to names only in younger versions of Unicode. */
const LATER = new RegExp('\\u200c|\\u200d|\\u30fb|\\uff65')
/** Whether a text can name a group. */
export const isName = (text: string): boolean =>
  /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text) && !LATER.test(text)
