// Fires the timers of faults.

import type { Effect } from '../../machine.ts'
import type { FaultTimer } from '../state/faults.ts'
import type { Server } from '../state/server.ts'
import { report } from './match.ts'
import { perform } from './messages.ts'
import { sendPart, sendResponse } from './requests.ts'
import { isGone, listen, restart } from './restart.ts'
import { endStreams, fireEvent } from './streams.ts'
import { endOf, endSockets, matchesSocket, quieten, reachable } from './wire.ts'

/** Fires a timer of a fault, except those of handshakes. */
export function fireFault(
  server: Server,
  effects: Effect[],
  timer: Exclude<FaultTimer, { kind: 'handshake' }>,
): void {
  if (timer.kind === 'time') applyAtTime(server, effects, timer.serial)
  else if (timer.kind === 'response') sendResponse(server, effects, timer.response)
  else if (timer.kind === 'part') sendPart(server, effects, timer)
  else if (timer.kind === 'event')
    fireEvent(server, effects, { request: timer.request, event: timer })
  else if (timer.kind === 'flow') fireEvent(server, effects, timer)
  else if (timer.kind === 'message') perform(server, effects, timer.message, timer.then)
  else if (timer.kind === 'listen') listen(server, effects)
  else restart(server, effects, timer.then)
}

/** Applies a fault with `atMs`, unless it has been removed [faults/at-time]. */
function applyAtTime(server: Server, effects: Effect[], serial: number): void {
  const active = server.state.script.faults.find((one) => one.serial === serial)
  if (active === undefined) return
  const { when, then } = active.fault
  active.matched++
  report(effects, [active])
  if (isGone(then)) return restart(server, effects, then)
  const open = reachable(server, [...server.state.sockets.keys()])
  const own = open.filter((socket) => matchesSocket(server, when, socket))
  endStreams(server, effects, when, then)
  if (typeof then.silence === 'object') return quieten(server, own, then.silence.forMs)
  endSockets(server, effects, own, endOf(then))
}
