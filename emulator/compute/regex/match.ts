// Matches regular expressions by backtracking, within a number of steps: no pattern can hang the server.

import { limits } from '../../../spec/limits.ts'
import { contains, fold, isWord } from './characters.ts'
import type { Flags, Node, Pattern } from './tree.ts'
import { raise } from '../values/values.ts'

/** More steps end the search with an exception [nodes/expressions-bounded]. */
const MOST_STEPS = limits.expressionSteps.value
/** Deeper nesting of repetitions, too. */
const MOST_DEPTH = 2000

/** The start and the end of each group, from group 0; -1 for one without a match. */
export type Match = readonly (readonly [start: number, end: number])[]

type Next = (at: number) => boolean

class Matcher {
  readonly text: readonly number[]
  readonly starts: number[]
  readonly ends: number[]
  steps = 0
  depth = 0
  constructor(text: readonly number[], groups: number) {
    this.text = text
    this.starts = Array<number>(groups + 1).fill(-1)
    this.ends = Array<number>(groups + 1).fill(-1)
  }

  step(): void {
    if (++this.steps > MOST_STEPS) tooMuch()
  }

  /** Whether the part matches here, and what comes next after it. */
  run(node: Node, at: number, next: Next): boolean {
    this.step()
    if (++this.depth > MOST_DEPTH) tooMuch()
    const found = this.runKind(node, at, next)
    this.depth--
    return found
  }

  runKind(node: Node, at: number, next: Next): boolean {
    switch (node.kind) {
      case 'literal':
      case 'any':
      case 'set':
        return this.isOne(node, at) && next(at + 1)
      case 'at':
        return this.isAt(node.where, at, node.flags) && next(at)
      case 'sequence':
        return this.sequence(node.parts, 0, at, next)
      case 'choice':
        return node.options.some((option) => this.run(option, at, next))
      case 'group':
        return this.group(node.index, node.body, at, next)
      case 'reference':
        return this.reference(node.index, at, node.flags, next)
      case 'look':
        return this.look(node, at, next)
      case 'atomic': {
        const end = this.alone(node.body, at)
        return end !== undefined && next(end)
      }
      case 'condition':
        return this.run((this.ends[node.index] ?? -1) >= 0 ? node.yes : node.no, at, next)
      case 'repeat':
        return this.repeat(node, at, next)
    }
  }

  isOne(node: Extract<Node, { kind: 'literal' | 'any' | 'set' }>, at: number): boolean {
    const code = this.text[at]
    if (code === undefined) return false
    if (node.kind === 'any') return node.flags.s || code !== 10
    if (node.kind === 'set') this.steps += node.set.ranges.length
    if (node.kind === 'set') return contains(node.set, code, node.flags)
    return code === node.code || (node.flags.i && fold(code) === fold(node.code))
  }

  isAt(where: string, at: number, flags: Flags): boolean {
    const { text } = this
    switch (where) {
      case 'A':
        return at === 0
      case 'Z':
        return at === text.length
      case '^':
        return at === 0 || (flags.m && text[at - 1] === 10)
      case '$':
        return at === text.length || (text[at] === 10 && (flags.m || at === text.length - 1))
      default: {
        const isEdge = isWord(text[at - 1], flags) !== isWord(text[at], flags)
        // An empty text has no boundary, nor the opposite of one.
        return text.length > 0 && isEdge === (where === 'b')
      }
    }
  }

  sequence(parts: readonly Node[], index: number, at: number, next: Next): boolean {
    const part = parts[index]
    if (part === undefined) return next(at)
    return this.run(part, at, (end) => this.sequence(parts, index + 1, end, next))
  }

  group(index: number, body: Node, at: number, next: Next): boolean {
    const [start, end] = [this.starts[index] as number, this.ends[index] as number]
    const found = this.run(body, at, (stop) => {
      const [oldStart, oldEnd] = [this.starts[index] as number, this.ends[index] as number]
      this.starts[index] = at
      this.ends[index] = stop
      if (next(stop)) return true
      this.starts[index] = oldStart
      this.ends[index] = oldEnd
      return false
    })
    if (!found) {
      this.starts[index] = start
      this.ends[index] = end
    }
    return found
  }

  reference(index: number, at: number, { i }: Flags, next: Next): boolean {
    const [start, end] = [this.starts[index] as number, this.ends[index] as number]
    if (end < 0) return false
    for (let place = start; place < end; place++) {
      this.step()
      const [one, other] = [this.text[place], this.text[at + place - start]]
      if (other === undefined || one === undefined) return false
      if (one !== other && !(i && fold(one) === fold(other))) return false
    }
    return next(at + end - start)
  }

  /** Where a part ends that is matched for itself; undefined if it does not match. */
  alone(body: Node, at: number): number | undefined {
    let stop: number | undefined
    this.run(body, at, (end) => {
      stop = end
      return true
    })
    return stop
  }

  look(node: Extract<Node, { kind: 'look' }>, at: number, next: Next): boolean {
    const from = node.isBehind ? at - node.width : at
    if (node.isNegated) this.steps += this.starts.length
    const saved = node.isNegated ? [[...this.starts], [...this.ends]] : undefined
    const found = from >= 0 && this.alone(node.body, from) !== undefined
    if (saved !== undefined) {
      this.starts.splice(0, this.starts.length, ...(saved[0] as number[]))
      this.ends.splice(0, this.ends.length, ...(saved[1] as number[]))
    }
    return found !== node.isNegated && next(at)
  }

  repeat(node: Extract<Node, { kind: 'repeat' }>, at: number, next: Next): boolean {
    const { body, manner } = node
    const isSingle = body.kind === 'literal' || body.kind === 'any' || body.kind === 'set'
    if (manner === 'possessive') return this.possessive(node, at, next)
    if (isSingle) return this.repeatOne(node, body, at, next)
    return this.again(node, at, next, 0, -1)
  }

  /** Repeats a single character without nesting. */
  repeatOne(
    { least, most, manner }: Extract<Node, { kind: 'repeat' }>,
    body: Extract<Node, { kind: 'literal' | 'any' | 'set' }>,
    at: number,
    next: Next,
  ): boolean {
    let count = 0
    const grow = (): boolean => {
      this.step()
      if (count >= most || !this.isOne(body, at + count)) return false
      count++
      return true
    }
    for (let needed = least; needed > 0; needed--) if (!grow()) return false
    if (manner === 'lazy') {
      for (;;) {
        if (next(at + count)) return true
        if (!grow()) return false
      }
    }
    while (grow());
    for (; count >= least; count--) {
      this.step()
      if (next(at + count)) return true
    }
    return false
  }

  possessive(
    { body, least, most }: Extract<Node, { kind: 'repeat' }>,
    at: number,
    next: Next,
  ): boolean {
    let [count, place] = [0, at]
    while (count < most) {
      this.step()
      const end = this.alone(body, place)
      if (end === undefined || (end === place && count >= least)) break
      count++
      place = end
    }
    return count >= least && next(place)
  }

  /** One more repetition, or what comes next. An empty one is not repeated. */
  again(
    node: Extract<Node, { kind: 'repeat' }>,
    at: number,
    next: Next,
    count: number,
    last: number,
  ): boolean {
    const { body, least, most, manner } = node
    const more = (): boolean =>
      count < most &&
      (count < least || at !== last) &&
      this.run(body, at, (end) => this.again(node, end, next, count + 1, at))
    if (count < least) return more()
    if (manner === 'lazy') return next(at) || more()
    return more() || next(at)
  }
}

const tooMuch = (): never => raise('TimeoutError', 'the regular expression takes too many steps')

/** The code points of a text. */
export const codesOf = (text: string): readonly number[] =>
  Array.from(text, (one) => one.codePointAt(0) as number)

/** The first match from a position on; `isRetry` skips an empty match there. Undefined without one. */
export function search(
  pattern: Pattern,
  text: readonly number[],
  from: number,
  budget: { steps: number },
  notEmptyAt = -1,
): Match | undefined {
  for (let at = from; at <= text.length; at++) {
    const matcher = new Matcher(text, pattern.groups)
    matcher.steps = budget.steps + pattern.groups
    const found = matcher.run(pattern.body, at, (end) => {
      if (end === at && at === notEmptyAt) return false
      matcher.starts[0] = at
      matcher.ends[0] = end
      return true
    })
    budget.steps = matcher.steps
    if (found) return matcher.starts.map((start, index) => [start, matcher.ends[index] as number])
  }
  return undefined
}

/** All matches one after the other: an empty one may follow another, but not twice in one place. */
export function searchAll(
  pattern: Pattern,
  text: readonly number[],
  most = Infinity,
): readonly Match[] {
  const matches: Match[] = []
  const budget = { steps: 0 }
  let from = 0
  let notEmptyAt = -1
  while (matches.length < most && from <= text.length) {
    const match = search(pattern, text, from, budget, notEmptyAt)
    if (match === undefined) break
    matches.push(match)
    const [start, end] = match[0] as readonly [number, number]
    from = end
    notEmptyAt = start === end ? end : -1
  }
  return matches
}
