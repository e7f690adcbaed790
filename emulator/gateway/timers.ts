// What a gateway does by itself: answers of the scripted agent, further attempts, and time-outs.

import { popHeap, pushHeap } from '../lib/heap.ts'
import { type Timer, nextSerial, type GatewayState } from './state.ts'

const isTimeOut = (timer: Timer): boolean => timer.kind.endsWith('-time-out')

/** Time-outs come first among the timers of one moment, so that whoever must not jump to them sees them. */
function isBefore(a: Timer, b: Timer): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs
  if (isTimeOut(a) !== isTimeOut(b)) return isTimeOut(a)
  return a.serial < b.serial
}

type Planned = Timer extends infer D
  ? D extends Timer
    ? Omit<D, 'atMs' | 'serial'>
    : never
  : never

/** Plans something for so many milliseconds from now. */
export function plan(state: GatewayState, afterMs: number, what: Planned): void {
  const when = { atMs: state.nowMs + afterMs, serial: nextSerial(state) }
  const timer = Object.assign({}, what, when)
  pushHeap(state.timers, timer, isBefore)
}

/** Whether a timer is still needed: its run or attempt is not over. */
const isAlive = ({ running, attempts }: GatewayState, timer: Timer): boolean =>
  'run' in timer ? running.has(timer.run) : attempts.has(timer.attempt)

/** The timer that fires next; undefined where there is none. */
export function nextTimer(state: GatewayState): Timer | undefined {
  const { timers } = state
  while (timers[0] !== undefined && !isAlive(state, timers[0])) popHeap(timers, isBefore)
  return timers[0]
}

/** Whether the gateway does nothing before it gives up an agent or a sender that is at work. */
export function isWaitingForOthers(state: GatewayState): boolean {
  const timer = nextTimer(state)
  return timer !== undefined && isTimeOut(timer)
}

/** Takes the next timer if it fires until then. */
export function takeTimer(state: GatewayState, untilMs: number): Timer | undefined {
  const timer = nextTimer(state)
  if (timer === undefined || timer.atMs > untilMs) return undefined
  popHeap(state.timers, isBefore)
  return timer
}
