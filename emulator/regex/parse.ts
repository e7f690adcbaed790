// Parses regular expressions as Python's `re` does.

import { codedEscape, itself, octalCode } from './escapes.ts'
import { parseFlags } from './flags.ts'
import { checkName, groupNumber, repetitions } from './numbers.ts'
import { DIGITS, isName, lengthOfText, OCTAL, Reader } from './reader.ts'
import { parseSet } from './sets.ts'
import {
  type CharacterClass,
  type Flags,
  type Node,
  type Tree,
  type Width,
  widthOf,
} from './tree.ts'
import { pythonRepr } from '../lib/python.ts'
import { raise } from '../lib/raised.ts'

/** Python gives up on deeper nesting, too. */
const MOST_DEPTH = 470

/** What holds for a part of the expression. */
type Scope = { readonly flags: Flags; readonly isVerbose: boolean; readonly isFirst?: boolean }

class Parser {
  readonly reader: Reader
  readonly names = new Map<string, number>()
  /** The widths of the groups that are closed: a reference to others is an error. */
  readonly widths = new Map<number, Width>()
  /** Where conditions name a group by its number. */
  readonly conditions = new Map<number, number>()
  /** Flags for the whole expression. */
  readonly global = new Set<string>()
  groups = 0
  depth = 0
  /** How many groups there were before the look-behind that is parsed. */
  groupsBehind: number | undefined
  constructor(pattern: string) {
    this.reader = new Reader(pattern)
  }

  choice(scope: Scope): Node {
    if (++this.depth > MOST_DEPTH) raise('RecursionError', 'maximum recursion depth exceeded')
    const options: Node[] = []
    do {
      const isFirst = scope.isFirst === true && options.length === 0
      options.push(this.sequence({ ...this.scopeNow(scope), isFirst }))
    } while (this.reader.takeIf('|'))
    this.depth--
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
  }

  /** The outermost part obeys the flags for all of the expression. */
  scopeNow(scope: Scope): Scope {
    if (scope.isFirst === undefined) return scope
    const has = (flag: keyof Flags): boolean => scope.flags[flag] || this.global.has(flag)
    const flags = { i: has('i'), m: has('m'), s: has('s'), a: this.global.has('a') }
    return { flags, isVerbose: this.global.has('x') }
  }

  sequence(given: Scope): Node {
    const { reader } = this
    const parts: Node[] = []
    let scope = given
    while (!reader.isDone && reader.next !== '|' && reader.next !== ')') {
      const one = reader.take()
      if (scope.isVerbose && ' \t\n\r\v\f'.includes(one)) continue
      if (scope.isVerbose && one === '#') {
        while (!reader.isDone && reader.take() !== '\n');
        continue
      }
      if (one === '*' || one === '+' || one === '?' || one === '{') {
        parts.push(this.repeat(parts, one, scope.flags))
        continue
      }
      if (one !== '(') {
        parts.push(this.single(one, scope.flags))
        continue
      }
      const start = reader.at - 1
      const group = this.group(scope, start)
      if (group === 'comment') continue
      if (group !== 'flags') parts.push(group)
      else if (given.isFirst !== true || parts.length > 0)
        reader.failAt('global flags not at the start of the expression', start)
      else scope = this.scopeNow(given)
    }
    return { kind: 'sequence', parts }
  }

  single(one: string, flags: Flags): Node {
    if (one === '.') return { kind: 'any', flags }
    if (one === '^' || one === '$') return { kind: 'at', where: one, flags }
    if (one === '[') return { kind: 'set', set: parseSet(this.reader), flags }
    if (one.startsWith('\\')) return this.escape(one, flags)
    return { kind: 'literal', code: one.codePointAt(0) as number, flags }
  }

  /** A repetition of the last part, or a brace that is meant as itself. */
  repeat(parts: Node[], one: string, flags: Flags): Node {
    const { reader } = this
    const here = reader.at
    let [least, most] = one === '+' ? [1, Infinity] : one === '?' ? [0, 1] : [0, Infinity]
    if (one === '{') {
      const brace: Node = { kind: 'literal', code: 0x7b, flags }
      if (reader.next === '}') return brace
      const low = reader.takeWhile(DIGITS)
      const high = reader.takeIf(',') ? reader.takeWhile(DIGITS) : low
      if (!reader.takeIf('}')) {
        reader.seek(here)
        return brace
      }
      if (low !== '') least = repetitions(low)
      if (high !== '') most = repetitions(high)
      if (most < least) reader.failAt('min repeat greater than max repeat', here)
    }
    const body = parts.at(-1)
    if (body === undefined || body.kind === 'at')
      return reader.failAt('nothing to repeat', here - 1)
    if (body.kind === 'repeat') return reader.failAt('multiple repeat', here - 1)
    parts.pop()
    const manner = reader.takeIf('?') ? 'lazy' : reader.takeIf('+') ? 'possessive' : 'greedy'
    return { kind: 'repeat', body, least, most, manner }
  }

  escape(token: string, flags: Flags): Node {
    const { reader } = this
    const one = token.slice(1)
    if ('dDwWsS'.includes(one)) {
      const set = { isNegated: false, ranges: [], classes: [one as CharacterClass] }
      return { kind: 'set', set, flags }
    }
    if (one === 'A' || one === 'Z' || one === 'b' || one === 'B')
      return { kind: 'at', where: one, flags }
    const literal = (code: number): Node => ({ kind: 'literal', code, flags })
    const coded = codedEscape(reader, token)
    if (coded !== undefined) return literal(coded)
    if (one === '0') return literal(Number.parseInt(`0${reader.takeWhile(OCTAL, 2)}`, 8))
    if (!DIGITS.includes(one)) return literal(itself(reader, token))
    return this.numbered(token, flags)
  }

  /** A group by its number, or a character by three octal digits. */
  numbered(token: string, flags: Flags): Node {
    const { reader } = this
    let escape = token + reader.takeWhile(DIGITS, 1)
    const digits = Array.from(escape.slice(1))
    if (
      digits.length === 2 &&
      digits.every((one) => OCTAL.includes(one)) &&
      reader.isOneOf(OCTAL)
    ) {
      escape += reader.take()
      return { kind: 'literal', code: octalCode(reader, escape), flags }
    }
    const index = Number(escape.slice(1))
    if (index > this.groups) reader.fail(`invalid group reference ${index}`, escape.length - 1)
    this.checkReference(index, escape.length)
    return { kind: 'reference', index, flags }
  }

  checkReference(index: number, back: number): void {
    if (!this.widths.has(index)) this.reader.fail('cannot refer to an open group', back)
    this.checkBehind(index)
  }

  checkBehind(index: number): void {
    if (this.groupsBehind === undefined) return
    if (!this.widths.has(index)) this.reader.fail('cannot refer to an open group')
    if (index > this.groupsBehind)
      this.reader.fail('cannot refer to group defined in the same lookbehind subpattern')
  }

  /** What stands in parentheses. Those that open them are taken. */
  group(scope: Scope, start: number): Node | 'comment' | 'flags' {
    const { reader } = this
    const inner = { flags: scope.flags, isVerbose: scope.isVerbose }
    if (!reader.takeIf('?')) return this.capture(inner, start)
    if (reader.isDone) reader.fail('unexpected end of pattern')
    const one = reader.take()
    if (one === 'P') return this.named(inner, start)
    if (one === ':') return this.closed(this.choice(inner), start)
    if (one === '#') {
      while (!reader.isDone) if (reader.take() === ')') return 'comment'
      return reader.failAt('missing ), unterminated comment', start)
    }
    if (one === '=' || one === '!' || one === '<') return this.look(one, inner, start)
    if (one === '(') return this.condition(inner, start)
    if (one === '>') return { kind: 'atomic', body: this.closed(this.choice(inner), start) }
    if (one.length === 1 && 'iLmsxatu-'.includes(one)) return this.flagged(one, inner, start)
    return reader.fail(`unknown extension ?${one}`, lengthOfText(one) + 1)
  }

  flagged(first: string, { flags, isVerbose }: Scope, start: number): Node | 'flags' {
    const { added, removed, isGlobal } = parseFlags(this.reader, first)
    if (isGlobal) {
      for (const flag of added) this.global.add(flag)
      return 'flags'
    }
    const holds = (flag: string, before: boolean): boolean =>
      added.has(flag) || (before && !removed.has(flag))
    const changed = {
      i: holds('i', flags.i),
      m: holds('m', flags.m),
      s: holds('s', flags.s),
      a: holds('a', flags.a && !added.has('u')),
    }
    const inner = { flags: changed, isVerbose: holds('x', isVerbose) }
    const body = this.closed(this.choice(inner), start)
    // A separate part: it can be repeated although it is a repetition.
    return { kind: 'sequence', parts: [body] }
  }

  capture(scope: Scope, start: number, name?: string): Node {
    const index = this.groups + 1
    const known = name === undefined ? undefined : this.names.get(name)
    if (name !== undefined && known !== undefined)
      this.reader.fail(
        `redefinition of group name ${pythonRepr(name)} as group ${index}; was group ${known}`,
        lengthOfText(name) + 1,
      )
    this.groups = index
    if (name !== undefined) this.names.set(name, index)
    const body = this.closed(this.choice(scope), start)
    this.widths.set(index, widthOf(body, this.widths))
    return { kind: 'group', index, body }
  }

  closed(body: Node, start: number): Node {
    if (!this.reader.takeIf(')')) this.reader.failAt('missing ), unterminated subpattern', start)
    // A group counts as one part, whatever is in it.
    return { kind: 'sequence', parts: [body] }
  }

  named(scope: Scope, start: number): Node {
    const { reader } = this
    if (reader.takeIf('<')) {
      const name = reader.takeUntil('>', 'group name')
      checkName(reader, name)
      return this.capture(scope, start, name)
    }
    if (reader.takeIf('=')) {
      const name = reader.takeUntil(')', 'group name')
      checkName(reader, name)
      const back = lengthOfText(name) + 1
      const index =
        this.names.get(name) ?? reader.fail(`unknown group name ${pythonRepr(name)}`, back)
      this.checkReference(index, back)
      return { kind: 'reference', index, flags: scope.flags }
    }
    if (reader.isDone) reader.fail('unexpected end of pattern')
    const one = reader.take()
    return reader.fail(`unknown extension ?P${one}`, lengthOfText(one) + 2)
  }

  look(first: string, scope: Scope, start: number): Node {
    const { reader } = this
    const isBehind = first === '<'
    if (isBehind && reader.isDone) reader.fail('unexpected end of pattern')
    const sign = isBehind ? reader.take() : first
    if (sign !== '=' && sign !== '!')
      reader.fail(`unknown extension ?<${sign}`, lengthOfText(sign) + 2)
    const before = this.groupsBehind
    if (isBehind) this.groupsBehind ??= this.groups
    const body = this.choice(scope)
    this.groupsBehind = before
    return { kind: 'look', isBehind, isNegated: sign === '!', body: this.closed(body, start) }
  }

  condition(scope: Scope, start: number): Node {
    const { reader } = this
    const name = reader.takeUntil(')', 'group name')
    const index = this.conditionGroup(name, lengthOfText(name) + 1)
    this.checkBehind(index)
    const yes = this.sequence(scope)
    const no: Node = reader.takeIf('|') ? this.sequence(scope) : { kind: 'sequence', parts: [] }
    if (reader.next === '|') reader.fail('conditional backref with more than two branches')
    this.closed(no, start)
    return { kind: 'condition', index, yes, no }
  }

  conditionGroup(name: string, back: number): number {
    const { reader } = this
    if (isName(name))
      return this.names.get(name) ?? reader.fail(`unknown group name ${pythonRepr(name)}`, back)
    const index = groupNumber(reader, name, back)
    if (index === 0) reader.fail('bad group number', back)
    if (!this.conditions.has(index)) this.conditions.set(index, reader.at - back)
    return index
  }
}

/** Parses an expression. Throws Raised. */
export function parse(source: string, flags: Flags): Tree {
  const parser = new Parser(source)
  const { reader } = parser
  const body = parser.choice({ flags, isVerbose: false, isFirst: true })
  if (parser.global.has('a') && parser.global.has('u'))
    raise('ValueError', 'ASCII and UNICODE flags are incompatible')
  if (!reader.isDone) reader.fail('unbalanced parenthesis')
  for (const [index, at] of parser.conditions)
    if (index > parser.groups) reader.failAt(`invalid group reference ${index}`, at)
  return { body, groups: parser.groups, widths: parser.widths, names: parser.names }
}
