// Applies faults to the handshakes of sockets [faults/refuse, faults/handshake-*].

import type { FaultThen } from '../../../spec/scenario/faults.ts'
import { parameter, splitTarget } from '../../http/requests.ts'
import { setTimer } from '../../lib/timers.ts'
import type { Effect } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import type { Handshake } from '../state/faults.ts'
import type { Server } from '../state/server.ts'
import { findDue, joined, report } from './match.ts'
import { faultReply } from './requests.ts'
import { isGone, restart } from './restart.ts'
import { endOf, endSockets, wireOf } from './wire.ts'

/** How a server without faults answers a handshake. */
export type Answers = {
  /** Opens the socket, or rejects the handshake. */
  readonly open: () => void
  readonly refuse: (reply: Reply) => void
  /** The account of the socket. */
  readonly userOf: () => string | null
}

/** Answers a handshake as faults say. */
export function openDisturbed(
  server: Server,
  effects: Effect[],
  input: Handshake,
  answers: Answers,
): void {
  const { script, timers, nowMs } = server.state
  const [, query] = splitTarget(input.target)
  const due = findDue(
    script,
    'handshakes',
    ({ user, clientId }) =>
      (clientId === undefined || clientId === parameter(query, 'clientId')) &&
      (user === undefined || user === answers.userOf()),
  )
  const hit = joined(due)
  if (hit === undefined) return answers.open()
  report(effects, hit.faults)
  const { then, delayMs } = hit
  wireOf(server).opening.add(input.socket)
  if (delayMs === 0) openBy(server, effects, input, then, answers)
  else setTimer(timers, nowMs + delayMs, { kind: 'handshake', input, then })
}

/** Answers a handshake that waits, as its fault says. */
export function openBy(
  server: Server,
  effects: Effect[],
  { socket }: Handshake,
  then: FaultThen,
  { open, refuse }: Pick<Answers, 'open' | 'refuse'>,
): void {
  const { opening } = wireOf(server)
  if (isGone(then)) return restart(server, effects, then)
  // Its client has gone, or its connection has been reset.
  if (!opening.delete(socket)) return
  if (then.refuse !== undefined) return refuse(faultReply(server, then.refuse, then, ''))
  if (then.reset) return endSockets(server, effects, [socket], 'reset')
  const from = effects.length
  open()
  const isOpen = effects.slice(from).some(({ kind }) => kind === 'accept')
  if (!isOpen || (then.close === undefined && !then.silence)) return
  // Only the handshake is answered: what the server sends to a new socket is lost.
  const greeting = effects.splice(from)
  effects.push(...greeting.filter(({ kind }) => kind === 'accept'))
  endSockets(server, effects, [socket], endOf(then))
}
