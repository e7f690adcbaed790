// Timers as plain data: a heap with the earliest timer first. The owner of a state keeps a heap in it and takes the
// timers that are due; nothing here waits.

import { popHeap, pushHeap } from './heap.ts'

export type Timer<T> = {
  readonly dueMs: number
  /** Of timers with the same time, the one with the smallest rank fires first, then the one that was set first. */
  readonly rank: number
  readonly serial: number
  readonly what: T
  /** Whether it has fired or was cancelled. */
  isOver: boolean
}

export type Timers<T> = {
  /** Cancelled timers stay until they reach the top, or outnumber the others. */
  heap: Timer<T>[]
  nextSerial: number
  cancelledCount: number
}

export const createTimers = <T>(): Timers<T> => ({ heap: [], nextSerial: 0, cancelledCount: 0 })

const isBefore = <T>(a: Timer<T>, b: Timer<T>): boolean => {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs
  return a.rank === b.rank ? a.serial < b.serial : a.rank < b.rank
}

/** Sets a timer. */
export function setTimer<T>(timers: Timers<T>, dueMs: number, what: T, rank = 0): Timer<T> {
  const timer = { dueMs, rank, serial: timers.nextSerial++, what, isOver: false }
  pushHeap(timers.heap, timer, isBefore)
  return timer
}

/** Cancels a timer; does nothing if it has fired or was cancelled before. */
export function cancelTimer<T>(timers: Timers<T>, timer: Timer<T>): void {
  if (timer.isOver) return
  timer.isOver = true
  timers.cancelledCount++
  if (timers.cancelledCount <= 64 || 2 * timers.cancelledCount <= timers.heap.length) return
  // A sorted list is a heap.
  timers.heap = timers.heap
    .filter(({ isOver }) => !isOver)
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
  timers.cancelledCount = 0
}

/** How many timers are set. */
export const countTimers = <T>({ heap, cancelledCount }: Timers<T>): number =>
  heap.length - cancelledCount

/** The next timer; undefined without any. */
export function nextTimer<T>(timers: Timers<T>): Timer<T> | undefined {
  while (timers.heap[0]?.isOver) {
    popHeap(timers.heap, isBefore)
    timers.cancelledCount--
  }
  return timers.heap[0]
}

/** Takes the next timer if it is due by then. */
export function takeTimer<T>(timers: Timers<T>, untilMs: number): Timer<T> | undefined {
  const timer = nextTimer(timers)
  if (timer === undefined || timer.dueMs > untilMs) return undefined
  popHeap(timers.heap, isBefore)
  timer.isOver = true
  return timer
}
