// What faults have begun and not ended, and how sockets enter and leave it.

import type { FaultThen, FaultWhen } from '../../../spec/scenario/faults.ts'
import type { Effect, SocketEnd } from '../../machine.ts'
import type { OutgoingMessage, Wire } from '../state/faults.ts'
import type { Server, ServerState } from '../state/server.ts'
import type { World } from '../state/world.ts'
import { setTimer } from '../../lib/timers.ts'
import { closeSocket } from '../world/sockets.ts'
import { forgetStreams } from '../world/streams.ts'

/** What faults have begun; creates it when it is first needed. */
export const wireOf = ({ state }: Server): Wire =>
  (state.wire ??= {
    swapped: [],
    delayedUntilMs: new Map(),
    waiting: new Set(),
    opening: new Set(),
    quietUntilMs: new Map(),
    flows: new Map(),
  })

/** The world of an open socket. */
export const worldOf = ({ worlds, state }: Server, socket: number): World | undefined =>
  worlds[state.sockets.get(socket) ?? NaN]

/** Those of these sockets that are open. */
export const reachable = ({ state }: Server, sockets: readonly number[]): readonly number[] =>
  sockets.filter((socket) => state.sockets.has(socket))

/** Whether a socket has the account and the client id that a fault names. */
export function matchesSocket(
  server: Server,
  { user, clientId }: FaultWhen,
  socket: number,
): boolean {
  const world = worldOf(server, socket)
  if (user !== undefined && world?.setup.hosted?.account.user !== user) return false
  if (clientId === undefined) return true
  const own = world?.state.sockets.get(socket)
  return clientId === own?.clientId || clientId === own?.askedId
}

/** Sends a message to those of its sockets that it can reach, and then what waits for the next message to them. */
export function deliver(server: Server, effects: Effect[], message: OutgoingMessage): void {
  const open = reachable(server, message.sockets)
  const { wire } = server.state
  const sockets =
    wire === null || wire.quietUntilMs.size === 0 ? open : holdQuiet(server, message, open)
  if (sockets.length === 0) return
  effects.push(toSockets(message, sockets))
  if (wire === null || wire.swapped.length === 0) return
  const kept: OutgoingMessage[] = []
  for (const held of wire.swapped) {
    const others = held.sockets.filter((socket) => !sockets.includes(socket))
    if (others.length < held.sockets.length) {
      const own = held.sockets.filter((socket) => sockets.includes(socket))
      effects.push(toSockets(held, own))
    }
    if (others.length > 0) kept.push(toSockets(held, others))
  }
  wire.swapped = kept
}

/** Keeps a message back from sockets that are silent for a time; returns the others [faults/silence-for]. */
function holdQuiet(
  server: Server,
  message: OutgoingMessage,
  sockets: readonly number[],
): readonly number[] {
  const { nowMs, timers } = server.state
  const { quietUntilMs } = wireOf(server)
  return sockets.filter((socket) => {
    const untilMs = quietUntilMs.get(socket) ?? nowMs
    if (untilMs <= nowMs) return true
    const what = { kind: 'message', message: toSockets(message, [socket]), then: {} } as const
    setTimer(timers, untilMs, what, EARLY)
    return false
  })
}

/** Silences sockets for a time, unless they are silent already. */
export function quieten(server: Server, sockets: readonly number[], forMs: number): void {
  const { nowMs } = server.state
  const { quietUntilMs } = wireOf(server)
  for (const socket of sockets)
    if ((quietUntilMs.get(socket) ?? nowMs) <= nowMs) quietUntilMs.set(socket, nowMs + forMs)
}

/** The rank of the timers that end a silence: what was held back precedes what is sent at that time. */
export const EARLY = -2

export const toSockets = (message: OutgoingMessage, sockets: readonly number[]): OutgoingMessage =>
  Object.assign({}, message, { sockets })

/** How a fault ends sockets. */
export function endOf({ silence, close }: FaultThen): SocketEnd {
  if (silence) return 'silence'
  return close === undefined ? 'reset' : { close }
}

/** Ends sockets. The world forgets them immediately, also silent ones: nothing is sent to them any more. */
export function endSockets(
  server: Server,
  effects: Effect[],
  sockets: readonly number[],
  how: SocketEnd,
): void {
  if (sockets.length === 0) return
  for (const socket of sockets) {
    const world = worldOf(server, socket)
    server.state.sockets.delete(socket)
    if (world !== undefined) closeSocket(world, socket)
    forgetSocket(server, socket)
  }
  effects.push({ kind: 'end', sockets, how })
}

/** Removes what faults hold for a socket that is closed. */
export function forgetSocket({ state: { wire } }: Server, socket: number): void {
  if (wire === null) return
  wire.delayedUntilMs.delete(socket)
  wire.quietUntilMs.delete(socket)
  wire.opening.delete(socket)
  wire.swapped = wire.swapped
    .map((held) =>
      toSockets(
        held,
        held.sockets.filter((one) => one !== socket),
      ),
    )
    .filter(({ sockets }) => sockets.length > 0)
}

/** Forgets requests that wait: whoever changes the state behind them answers them. */
export function forgetRequests({ state }: Server): void {
  state.wire?.waiting.clear()
  state.wire?.flows.clear()
  forgetHeld(state)
  forgetStreams(state)
}

/** Forgets the requests that wait for calls of the Router, which go on. Returns their numbers. */
export function forgetHeld({ wire, worlds }: ServerState): readonly number[] {
  wire?.held?.clear()
  return worlds.flatMap(({ router }) => {
    const requests = [...(router?.held.values() ?? [])]
    router?.held.clear()
    return requests
  })
}
