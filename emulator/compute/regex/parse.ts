// Parses regular expressions as Python's `re` does.

import { codeEscape, DIGITS, isLetter, isName, OCTAL, Reader, simpleEscapes } from './reader.ts'
import { parseSet } from './sets.ts'
import { type CharacterClass, type Flags, type Node, type Pattern, widthOf } from './tree.ts'
import { pythonRepr } from '../../lib/python.ts'
import { raise } from '../values/values.ts'

type Width = readonly [number, number]

const MOST_DEPTH = 300

class Parser {
  readonly reader: Reader
  readonly names = new Map<string, number>()
  readonly widths = new Map<number, Width>()
  /** The groups that are open: a reference to them is an error. */
  readonly open = new Set<number>()
  groups = 0
  behind = 0
  depth = 0
  constructor(pattern: string) {
    this.reader = new Reader(pattern)
  }

  choice(flags: Flags, isVerbose: boolean, isFirst: boolean): Node {
    // Python gives up on deeper nesting, too.
    if (++this.depth > MOST_DEPTH) raise('RecursionError', 'maximum recursion depth exceeded')
    const options: Node[] = []
    do options.push(this.sequence(flags, isVerbose, isFirst && options.length === 0))
    while (this.reader.takeIf('|'))
    this.depth--
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
  }

  sequence(given: Flags, verbose: boolean, isFirst: boolean): Node {
    const { reader } = this
    const parts: Node[] = []
    let flags = given
    let isVerbose = verbose
    while (!reader.isDone && reader.next !== '|' && reader.next !== ')') {
      const start = reader.at
      const one = reader.take()
      if (isVerbose && /\s/.test(one)) continue
      if (isVerbose && one === '#') {
        while (!reader.isDone && reader.take() !== '\n');
        continue
      }
      if (one === '*' || one === '+' || one === '?' || one === '{') {
        const repeated = this.repeat(parts, one, start)
        if (repeated !== undefined) parts.push(repeated)
        else parts.push({ kind: 'literal', code: 123, flags })
        continue
      }
      if (one === '(') {
        const group = this.group(flags, isVerbose, start, isFirst && start === 0)
        if (group !== undefined && 'kind' in group) parts.push(group)
        else if (group !== undefined) {
          flags = group.flags
          isVerbose = group.isVerbose
        }
        continue
      }
      parts.push(this.single(one, start, flags))
    }
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'sequence', parts }
  }

  single(one: string, start: number, flags: Flags): Node {
    if (one === '.') return { kind: 'any', flags }
    if (one === '^' || one === '$') return { kind: 'at', where: one, flags }
    if (one === '[') return { kind: 'set', set: parseSet(this.reader, start), flags }
    if (one === '\\') return this.escape(start, flags)
    return { kind: 'literal', code: one.codePointAt(0) as number, flags }
  }

  /** A repetition of the last part; undefined for a brace that is meant as itself. */
  repeat(parts: Node[], one: string, start: number): Node | undefined {
    const { reader } = this
    let [least, most] = one === '*' ? [0, Infinity] : one === '+' ? [1, Infinity] : [0, 1]
    if (one === '{') {
      if (reader.next === '}') return undefined
      const from = reader.at
      const low = reader.takeWhile(DIGITS, Infinity)
      const high = reader.takeIf(',') ? reader.takeWhile(DIGITS, Infinity) : low
      const isOpen = reader.characters[reader.at - 1] === ','
      if (!reader.takeIf('}')) {
        reader.at = from
        return undefined
      }
      least = low === '' ? 0 : Number(low)
      most = high === '' && (isOpen || low === '') ? Infinity : Number(high)
      if (most < least) reader.fail('min repeat greater than max repeat', start)
    }
    const body = parts.at(-1)
    if (body === undefined || body.kind === 'at') return reader.fail('nothing to repeat', start)
    if (body.kind === 'repeat') return reader.fail('multiple repeat', start)
    parts.pop()
    const manner = reader.takeIf('?') ? 'lazy' : reader.takeIf('+') ? 'possessive' : 'greedy'
    return { kind: 'repeat', body, least, most, manner }
  }

  escape(start: number, flags: Flags): Node {
    const { reader } = this
    if (reader.isDone) reader.fail('bad escape (end of pattern)', start)
    const one = reader.take()
    const literal = (code: number): Node => ({ kind: 'literal', code, flags })
    if ('dDwWsS'.includes(one)) {
      const set = { isNegated: false, ranges: [], classes: [one as CharacterClass] }
      return { kind: 'set', set, flags }
    }
    if (one === 'A' || one === 'Z' || one === 'b' || one === 'B')
      return { kind: 'at', where: one, flags }
    const coded = codeEscape(reader, one, start)
    if (coded !== undefined) return literal(coded)
    if (one === '0') return literal(Number.parseInt(`0${reader.takeWhile(OCTAL, 2)}`, 8))
    if (DIGITS.includes(one)) return this.numbered(one, start, flags)
    const simple = simpleEscapes[one]
    if (simple !== undefined) return literal(simple)
    if (isLetter(one)) reader.fail(`bad escape \\${one}`, start)
    return literal(one.codePointAt(0) as number)
  }

  /** A group by its number, or a character by three octal digits. */
  numbered(first: string, start: number, flags: Flags): Node {
    const { reader } = this
    const second = reader.takeWhile(DIGITS, 1)
    if (
      second !== '' &&
      OCTAL.includes(first) &&
      OCTAL.includes(second) &&
      OCTAL.includes(reader.next) &&
      reader.next !== ''
    ) {
      const code = Number.parseInt(first + second + reader.take(), 8)
      if (code > 0o377)
        reader.fail(`octal escape value \\${code.toString(8)} outside of range 0-0o377`, start)
      return { kind: 'literal', code, flags }
    }
    const index = Number(first + second)
    if (index <= this.groups) {
      this.checkReference(index, start)
      return { kind: 'reference', index, flags }
    }
    return reader.fail(`invalid group reference ${index}`, start + 1)
  }

  checkReference(index: number, start: number): void {
    if (this.open.has(index)) this.reader.fail('cannot refer to an open group', start)
    if (this.behind > 0 && !this.widths.has(index))
      this.reader.fail('cannot refer to group defined in the same lookbehind subpattern', start)
  }

  group(
    flags: Flags,
    isVerbose: boolean,
    start: number,
    isFirst: boolean,
  ): Node | undefined | { flags: Flags; isVerbose: boolean } {
    const { reader } = this
    if (!reader.takeIf('?')) return this.capture(flags, isVerbose, start, undefined)
    const one = reader.isDone ? reader.fail('unexpected end of pattern', reader.at) : reader.take()
    if (one === 'P') return this.named(flags, isVerbose, start)
    if (one === ':') return this.whole(flags, isVerbose, start)
    if (one === '#') {
      while (!reader.isDone) if (reader.take() === ')') return undefined
      return reader.fail('missing ), unterminated comment', start)
    }
    if (one === '>')
      return { kind: 'atomic', body: this.close(this.choice(flags, isVerbose, false), start) }
    if (one === '=' || one === '!' || one === '<') return this.look(one, flags, isVerbose, start)
    if (one === '(') return this.condition(flags, isVerbose, start)
    if (one === '-' || 'aiLmsux'.includes(one))
      return this.flagged(one, flags, isVerbose, start, isFirst)
    return reader.fail(`unknown extension ?${one}`, start + 1)
  }

  capture(flags: Flags, isVerbose: boolean, start: number, name: string | undefined): Node {
    const index = ++this.groups
    if (name !== undefined) this.names.set(name, index)
    this.open.add(index)
    const body = this.close(this.choice(flags, isVerbose, false), start)
    this.open.delete(index)
    this.widths.set(index, widthOf(body, this.widths))
    return { kind: 'group', index, body }
  }

  close(body: Node, start: number): Node {
    if (!this.reader.takeIf(')')) this.reader.fail('missing ), unterminated subpattern', start)
    return body
  }

  /** A group without a number. It counts as one part, whatever is in it. */
  whole(flags: Flags, isVerbose: boolean, start: number): Node {
    const parts = [this.close(this.choice(flags, isVerbose, false), start)]
    return { kind: 'sequence', parts }
  }

  named(flags: Flags, isVerbose: boolean, start: number): Node {
    const { reader } = this
    if (reader.takeIf('<')) {
      const at = reader.at
      const name = reader.takeUntil('>', 'group name')
      this.checkName(name, at)
      const known = this.names.get(name)
      if (known !== undefined)
        reader.fail(
          `redefinition of group name ${pythonRepr(name)} as group ${this.groups + 1}; was group ${known}`,
          at,
        )
      return this.capture(flags, isVerbose, start, name)
    }
    if (reader.takeIf('=')) {
      const at = reader.at
      const name = reader.takeUntil(')', 'group name')
      this.checkName(name, at)
      const index = this.names.get(name)
      if (index === undefined) return reader.fail(`unknown group name ${pythonRepr(name)}`, at)
      this.checkReference(index, start)
      return { kind: 'reference', index, flags }
    }
    if (reader.isDone) return reader.fail('unexpected end of pattern', reader.at)
    return reader.fail(`unknown extension ?P${reader.take()}`, start + 1)
  }

  checkName(name: string, at: number): void {
    if (!isName(name)) this.reader.fail(`bad character in group name ${pythonRepr(name)}`, at)
  }

  look(one: string, flags: Flags, isVerbose: boolean, start: number): Node {
    const { reader } = this
    const isBehind = one === '<'
    const sign = isBehind ? reader.take() : one
    if (isBehind && sign === '') reader.fail('unexpected end of pattern', reader.at - 1)
    if (sign !== '=' && sign !== '!') reader.fail(`unknown extension ?<${sign}`, start + 1)
    if (isBehind) this.behind++
    const body = this.close(this.choice(flags, isVerbose, false), start)
    if (isBehind) this.behind--
    const [least, most] = widthOf(body, this.widths)
    if (isBehind && least !== most) lookBehindFails()
    return { kind: 'look', isBehind, isNegated: sign === '!', body, width: least }
  }

  condition(flags: Flags, isVerbose: boolean, start: number): Node {
    const { reader } = this
    const at = reader.at
    const name = reader.takeUntil(')', 'group name')
    const index = /^\d+$/.test(name) ? Number(name) : this.names.get(name)
    if (index === undefined) {
      this.checkName(name, at)
      return reader.fail(`unknown group name ${pythonRepr(name)}`, at)
    }
    if (index === 0) reader.fail('bad group number', at)
    const yes = this.sequence(flags, isVerbose, false)
    const no: Node = reader.takeIf('|')
      ? this.sequence(flags, isVerbose, false)
      : { kind: 'sequence', parts: [] }
    if (reader.next === '|')
      reader.fail('conditional backref with more than two branches', reader.at)
    return this.close({ kind: 'condition', index, yes, no }, start)
  }

  flagged(
    first: string,
    given: Flags,
    verbose: boolean,
    start: number,
    isFirst: boolean,
  ): Node | { flags: Flags; isVerbose: boolean } {
    const { reader } = this
    let [flags, isVerbose, isAdding] = [given, verbose, true]
    for (let one = first; one !== ')' && one !== ':'; one = reader.take()) {
      if (one === '') return reader.fail('missing -, : or )', reader.at - 1)
      if (one === '-') isAdding = false
      else if (one === 'x') isVerbose = isAdding
      else if ('aims'.includes(one)) flags = Object.assign({}, flags, { [one]: isAdding })
      else if (!'uL'.includes(one))
        return reader.fail(isLetter(one) ? 'unknown flag' : 'missing -, : or )', reader.at - 1)
    }
    const end = reader.characters[reader.at - 1]
    if (end === ':') return this.whole(flags, isVerbose, start)
    if (!isFirst) return reader.fail('global flags not at the start of the expression', start)
    return { flags, isVerbose }
  }
}

const lookBehindFails = (): never => raise('re.error', 'look-behind requires fixed-width pattern')

/** Parses an expression. Throws Raised. */
export function parse(source: string, flags: Flags): Pattern {
  const parser = new Parser(source)
  const body = parser.choice(flags, false, true)
  if (!parser.reader.isDone) parser.reader.fail('unbalanced parenthesis', parser.reader.at)
  return { body, groups: parser.groups, names: parser.names }
}
