// Matches regular expressions by backtracking, within a number of steps: no pattern can hang the server.

import { limits } from '../../spec/limits.ts'
import { contains, isSame, isWord, lowerOf } from './characters.ts'
import type { Pattern, Step } from './program.ts'
import type { Flags, Single } from './tree.ts'
import { raise } from '../lib/raised.ts'

/** More steps end the search with an exception [nodes/expressions-bounded]. */
const MOST_STEPS = limits.expressionSteps.value
/** Characters that a repetition passes take little time: so many are a step. */
const CHARACTERS_A_STEP = 16
/** A set takes longer, the more ranges it has. */
const RANGES_A_STEP = 4
/** To begin a search takes as long as so many steps. */
const STEPS_TO_BEGIN = 4

/** Another way to go on, for when the one that was tried fails. */
type Choice = {
  /** How much had been remembered: all after it is undone. */
  readonly undo: number
  readonly step: number
  /** Where in the text. */
  at: number
  /** The next option of a branch, or how often a character is still to be repeated. */
  left: number
}

const FAILS = -1

export class Matcher {
  readonly text: readonly number[]
  readonly steps: readonly Step[]
  /** The marks of all groups, then the number of repetitions and the place of the last one of each counter. */
  readonly numbers: number[]
  readonly counters: number
  readonly choices: Choice[] = []
  /** Numbers that were changed: which, and their values before. */
  readonly undo: number[] = []
  /** An empty match there does not count. */
  readonly notEmptyAt: number
  spent: number
  at = 0
  constructor(text: readonly number[], pattern: Pattern, spent: number, notEmptyAt: number) {
    this.text = text
    this.steps = pattern.steps
    this.counters = 2 * pattern.groups + 2
    this.numbers = Array<number>(this.counters + 2 * pattern.counters).fill(-1)
    this.notEmptyAt = notEmptyAt
    this.spent = spent + pattern.groups + STEPS_TO_BEGIN
  }

  spend(steps: number): void {
    this.spent += steps
    if (this.spent > MOST_STEPS)
      raise('TimeoutError', 'the regular expression takes too many steps')
  }

  set(index: number, value: number): void {
    this.undo.push(index, this.numbers[index] as number)
    this.numbers[index] = value
  }

  undoTo(length: number): void {
    while (this.undo.length > length) {
      const value = this.undo.pop() as number
      this.numbers[this.undo.pop() as number] = value
    }
  }

  choose(step: number, at: number, left = 0): void {
    this.choices.push({ undo: this.undo.length, step, at, left })
  }

  /** Runs steps from a place in the text to `done`: whether they match, and then where they end in `at`. */
  run(first: number, from: number, isWhole: boolean): boolean {
    const base = this.choices.length
    const undo = this.undo.length
    let step = first
    this.at = from
    for (;;) {
      this.spend(1)
      if (this.steps[step]!.kind !== 'done') step = this.pass(step)
      else if (isWhole && this.at === this.notEmptyAt) step = FAILS
      else {
        this.choices.length = base
        return true
      }
      while (step === FAILS && this.choices.length > base) step = this.retry()
      if (step !== FAILS) continue
      this.undoTo(undo)
      return false
    }
  }

  /** Passes one step: the next one, or that it fails. */
  pass(index: number): number {
    const step = this.steps[index] as Step
    switch (step.kind) {
      case 'literal':
      case 'any':
      case 'set':
        return this.isOne(step, this.at++) ? index + 1 : FAILS
      case 'at':
        return this.isAt(step.where, this.at, step.flags) ? index + 1 : FAILS
      case 'mark':
        this.set(step.mark, this.at)
        return index + 1
      case 'jump':
        return step.to
      case 'branch':
        this.choose(index, this.at, 1)
        return step.to[0] as number
      case 'reference':
        return this.reference(step.index, step.flags) ? index + 1 : FAILS
      case 'run':
        return this.repeatOne(step, index)
      case 'enter':
        this.set(this.counters + 2 * step.counter, -1)
        this.set(this.counters + 2 * step.counter + 1, -1)
        return step.to
      case 'until':
        return this.until(step, index)
      case 'condition':
        return this.isSet(step.index) ? index + 1 : step.to
      default:
        return this.alone(step as Extract<Step, { after: number }>, index)
    }
  }

  /** Goes on with the last choice: the next step, or that it fails. */
  retry(): number {
    const choice = this.choices.pop() as Choice
    const index = choice.step
    const step = this.steps[index] as Step
    this.undoTo(choice.undo)
    this.at = choice.at
    this.spend(1)
    if (step.kind === 'branch') {
      if (choice.left + 1 < step.to.length) this.choose(index, choice.at, choice.left + 1)
      return step.to[choice.left] as number
    }
    if (step.kind === 'until') return step.isLazy ? this.again(step, choice.left) : index + 1
    if (step.kind !== 'run') return FAILS
    if (step.manner === 'lazy') {
      if (!this.isOne(step.one, this.at)) return FAILS
      this.at++
      if (choice.left > 1) this.choose(index, this.at, choice.left - 1)
      return index + 1
    }
    this.at--
    return this.backward(index, choice.left - 1)
  }

  repeatOne(step: Extract<Step, { kind: 'run' }>, index: number): number {
    const { one, least, most, manner } = step
    const start = this.at
    const end = Math.min(this.text.length, start + (manner === 'lazy' ? least : most))
    let at = start
    while (at < end && this.isOne(one, at)) at++
    this.spend((at - start) / CHARACTERS_A_STEP)
    this.at = at
    if (at - start < least) return FAILS
    if (manner === 'possessive') return index + 1
    if (manner === 'greedy') return this.backward(index, at - start - least)
    if (most > least) this.choose(index, at, most - least)
    return index + 1
  }

  /** What comes after a repetition, tried here and, one by one, so many characters before. */
  backward(index: number, left: number): number {
    const next = this.steps[index + 1]
    let more = left
    // Where the next character cannot match, nothing needs to be tried.
    if (next?.kind === 'literal' && !next.flags.i) {
      while (more >= 0 && this.text[this.at] !== next.code) {
        this.at--
        more--
      }
      this.spend((left - more) / CHARACTERS_A_STEP)
      if (more < 0) return FAILS
    }
    if (more > 0) this.choose(index, this.at, more)
    return index + 1
  }

  until(step: Extract<Step, { kind: 'until' }>, index: number): number {
    const { counter, least, most, isLazy } = step
    const count = (this.numbers[this.counters + 2 * counter] as number) + 1
    const last = this.numbers[this.counters + 2 * counter + 1]
    if (count < least) {
      this.set(this.counters + 2 * counter, count)
      return step.body
    }
    // A repetition of nothing is not repeated.
    const canRepeat = count < most && this.at !== last
    if (!canRepeat) return index + 1
    this.choose(index, this.at, count)
    return isLazy ? index + 1 : this.again(step, count)
  }

  again({ counter, body }: Extract<Step, { kind: 'until' }>, count: number): number {
    this.set(this.counters + 2 * counter, count)
    this.set(this.counters + 2 * counter + 1, this.at)
    return body
  }

  /** Steps that are matched for themselves: once they match, they are not tried in another way. */
  alone(step: Extract<Step, { after: number }>, index: number): number {
    const from = this.at
    if (step.kind === 'atomic') return this.run(index + 1, from, false) ? step.after : FAILS
    if (step.kind === 'look') {
      const undo = this.undo.length
      const found = from >= step.back && this.run(index + 1, from - step.back, false)
      if (step.isNegated) this.undoTo(undo)
      this.at = from
      return found === step.isNegated ? FAILS : step.after
    }
    let place = from
    for (let count = 0; count < step.most; count++) {
      const isFound = this.run(index + 1, place, false)
      if (!isFound && count < step.least) return FAILS
      if (!isFound || (this.at === place && count >= step.least)) break
      place = this.at
    }
    this.at = place
    return step.after
  }

  isOne(one: Single, at: number): boolean {
    const code = this.text[at]
    if (code === undefined) return false
    if (one.kind === 'any') return one.flags.s || code !== 10
    if (one.kind === 'literal') return isSame(code, one.code, one.flags)
    this.spend((one.set.ranges.length + 1) / RANGES_A_STEP)
    return contains(one.set, code, one.flags)
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

  isSet(group: number): boolean {
    const [start, end] = [this.numbers[2 * group] as number, this.numbers[2 * group + 1] as number]
    return start >= 0 && end >= start
  }

  reference(group: number, flags: Flags): boolean {
    if (!this.isSet(group)) return false
    const [start, end] = [this.numbers[2 * group] as number, this.numbers[2 * group + 1] as number]
    this.spend((end - start) / CHARACTERS_A_STEP)
    for (let place = start; place < end; place++) {
      const [one, other] = [this.text[place], this.text[this.at++]]
      if (one === undefined || other === undefined) return false
      if (one !== other && !(flags.i && lowerOf(one, flags) === lowerOf(other, flags))) return false
    }
    return true
  }
}
