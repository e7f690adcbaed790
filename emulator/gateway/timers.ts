// What a gateway does by itself: answers of the scripted agent, further attempts, and time-outs.

import { nextTimer, setTimer, type Timer } from '../lib/timers.ts'
import type { GatewayWorld, GatewayTimer } from './state.ts'

const isTimeOut = ({ kind }: GatewayTimer): boolean =>
  kind === 'agent-time-out' || kind === 'sender-time-out'

/** Sets a timer so many milliseconds from now. */
export function plan(
  { state: { timers, nowMs } }: GatewayWorld,
  afterMs: number,
  what: GatewayTimer,
): Timer<GatewayTimer> {
  // Time-outs come first among the timers of one moment, so that whoever must not jump to them sees them.
  return setTimer(timers, nowMs + afterMs, what, isTimeOut(what) ? 0 : 1)
}

/** Whether the gateway does nothing before it gives up an agent or a sender that is at work. */
export function isWaitingForOthers({ state: { timers } }: GatewayWorld): boolean {
  const timer = nextTimer(timers)
  return timer !== undefined && isTimeOut(timer.what)
}
