// The script in force on a server, which inputs can change while it runs.

import type { AnswerRule } from '../../../spec/scenario/answers.ts'
import type { Fault } from '../../../spec/scenario/faults.ts'
import type { MessageRule } from '../../../spec/scenario/messages.ts'
import type { ModelRule, ModelType } from '../../../spec/scenario/models.ts'
import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { RunRule } from '../../../spec/scenario/runs.ts'
import type { Random } from '../../lib/random.ts'

/** A fault with its counters. */
export type ActiveFault = {
  readonly id: string
  /** Distinguishes it from other faults that have had the same id. */
  readonly serial: number
  readonly fault: Fault
  /** How many requests or messages have matched it. */
  matched: number
  /** How many times it has applied. */
  applied: number
}

/** An answer with its counter. */
export type ActiveAnswer = {
  readonly answer: AnswerRule
  /** How many requests it has answered. */
  applied: number
}

/** A rule for calls of models with its counter. */
export type ActiveModelRule = {
  readonly rule: ModelRule
  /** How many calls have matched it. */
  matched: number
}

export type ScriptState = {
  runs: readonly RunRule[]
  nodes: readonly NodeRule[]
  faults: ActiveFault[]
  answers: readonly ActiveAnswer[]
  messages: readonly MessageRule[]
  /** Rules for calls of models; absent in states of earlier versions. */
  models?: readonly ActiveModelRule[]
  /** Further models of the Router, by id; absent in states of earlier versions. */
  modelTypes?: Readonly<Record<string, ModelType>>
  /** When the world started or was last reset, in milliseconds of its time: times of faults count from then. */
  readonly startedMs: number
  /** Decides about faults with a probability. Its draws change nothing else. */
  readonly random: Random
  /** Numbers faults without an id. */
  lastFault: number
}
