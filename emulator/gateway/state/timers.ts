// The timers of a gateway: answers of the scripted agent, retries, and time-outs.

import { nextTimer, setTimer, type Timer } from '../../lib/timers.ts'
import type { GatewayWorld, GatewayTimer } from './state.ts'

const isTimeOut = ({ kind }: GatewayTimer): boolean =>
  kind === 'agent-time-out' || kind === 'sender-time-out'

/** Sets a timer, with a delay in milliseconds. */
export function plan(
  { state: { timers, nowMs } }: GatewayWorld,
  afterMs: number,
  what: GatewayTimer,
): Timer<GatewayTimer> {
  // Time-outs come first among the timers of one moment, so that code that must not jump to them sees them.
  return setTimer(timers, nowMs + afterMs, what, isTimeOut(what) ? 0 : 1)
}

/** Whether the next timer of the gateway times out a working agent or sender. */
export function isWaitingForOthers({ state: { timers } }: GatewayWorld): boolean {
  const timer = nextTimer(timers)
  return timer !== undefined && isTimeOut(timer.what)
}
