// Keeps the steps of a world in order while pictures of their frames are encoded elsewhere.

import type { Effect } from '../../../machine.ts'

export type OrderedSteps = {
  /** Emits the effects of a step now, or after those of the steps that wait. */
  readonly emit: (effects: readonly Effect[]) => void
  /** Emits all that waits, although pictures are not encoded yet. */
  readonly finish: () => void
  /** Resolves when the steps so far are emitted. */
  readonly settled: () => Promise<void>
  readonly isIdle: () => boolean
}

type Step = { readonly effects: readonly Effect[]; isReady: boolean }

/**
 * How many steps of a world wait at most; beyond that, the loop encodes what the oldest lacks. Within one move of a manual
 * clock, no picture arrives from elsewhere.
 */
const MOST_WAITING = 256

/**
 * @param begin begins to encode the pictures of a step; undefined if there is nothing to wait for.
 * @param emitNow emits the effects of a step, and encodes the pictures that are missing.
 */
export function createOrderedSteps(
  begin: (effects: readonly Effect[]) => Promise<unknown> | undefined,
  emitNow: (effects: readonly Effect[]) => void,
): OrderedSteps {
  const waiting: Step[] = []
  let settled: Promise<void> = Promise.resolve()

  const emitNext = (step: Step): void => {
    waiting.shift()
    emitNow(step.effects)
  }
  const emitReady = (): void => {
    for (let [step] = waiting; step?.isReady === true; [step] = waiting) emitNext(step)
  }
  const emitWhenReady = async (step: Step, encoding: Promise<unknown>): Promise<void> => {
    await encoding
    step.isReady = true
    emitReady()
  }
  const finish = (): void => {
    for (let [step] = waiting; step !== undefined; [step] = waiting) emitNext(step)
  }
  const emit: OrderedSteps['emit'] = (effects) => {
    const encoding = begin(effects)
    const [oldest] = waiting
    if (oldest !== undefined && waiting.length >= MOST_WAITING) emitNext(oldest)
    if (encoding === undefined && waiting.length === 0) return emitNow(effects)
    const step: Step = { effects, isReady: encoding === undefined }
    waiting.push(step)
    if (encoding === undefined) return
    const emitted = emitWhenReady(step, encoding)
    settled = settled.then(() => emitted)
  }
  return { emit, finish, settled: () => settled, isIdle: () => waiting.length === 0 }
}
