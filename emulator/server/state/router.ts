// The types of what only the Router of a hosted server keeps: calls of models, and the answers under their keys.

import type { ModelRule } from '../../../spec/scenario/models.ts'
import type { Reply } from '../../http/replies.ts'
import type { Bounded } from '../../lib/bounded.ts'
import type { Random } from '../../lib/random.ts'
import type { Timer } from '../../lib/timers.ts'
import type { TimerTarget } from './runs.ts'

/** The output of a call, and when it is there: decided when the call arrives. Times are durations in milliseconds. */
export type CallPlan = {
  readonly rule: ModelRule
  /** Null for a call that never ends. */
  readonly durationMs: number | null
  /** In credits. */
  readonly price: number
  /** The output, with the places of its files; undefined for one that is a file. */
  readonly output: unknown
  /** The format of an output that is a file; undefined for any other. */
  readonly bytes: string | undefined
}

/** A call of a model. Times are in milliseconds of the world's time. */
export type RouterCall = {
  readonly id: string
  /** The id of its model. */
  readonly model: string
  /** Whether its client waits for it. */
  readonly isRun: boolean
  readonly plan: CallPlan
  /** Under which its answer is recorded; null for none. */
  readonly key: string | null
  /** Where its client reaches files. */
  readonly host: string | undefined
  readonly prefix: string
  readonly createdMs: number
  /** Before when it does not start. */
  readonly readyMs: number
  startedMs: number | null
  endedMs: number | null
  timer: Timer<TimerTarget> | null
  /** Its output or failure; null before its end. */
  result: Reply | null
  /** The bucket of its failure; null without one. */
  error: string | null
}

/** What is recorded under an idempotency key. */
export type KeyRecord = {
  /** Identifies the request. */
  readonly digest: string
  readonly usedMs: number
  /** The call whose answer it is; null where nothing can be returned. */
  readonly call: string | null
  /** What a repeated request gets; null while its call is running, or where nothing can be returned. */
  readonly answer: Reply | null
  /** Until when there is an answer. */
  readonly untilMs: number
}

export type RouterState = {
  /** Draws the ids of calls and answers, so that those of jobs stay as they are without them. */
  readonly random: Random
  /** By id: all that are under way, and the queued ones that are over. */
  readonly calls: Bounded<RouterCall>
  /** The ids of those that wait, in their order, and of those that run. */
  readonly waiting: Set<string>
  readonly running: Set<string>
  /** The numbers of the requests that wait for a call, by its id. */
  readonly held: Map<string, number>
  readonly records: Bounded<KeyRecord>
}
