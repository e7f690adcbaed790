// What faults have begun and not ended, and how sockets enter and leave it.

import type { FaultThen, FaultWhen } from '../../../spec/scenario/faults.ts'
import type { Effect } from '../../machine.ts'
import type { OutgoingMessage, Wire } from '../state/faults.ts'
import type { Server } from '../state/server.ts'
import type { World } from '../state/world.ts'
import { closeSocket } from '../world/sockets.ts'

/** What faults have begun; creates it when it is first needed. */
export const wireOf = ({ state }: Server): Wire =>
  (state.wire ??= {
    silent: new Set(),
    swapped: [],
    delayedUntilMs: new Map(),
    waiting: new Set(),
    opening: new Set(),
  })

/** Whether faults can affect anything: the one check of a server without faults. */
export const isDisturbed = ({ state }: Server): boolean =>
  state.script.faults.length > 0 || state.wire !== null

/** The world of an open socket. */
export const worldOf = ({ worlds, state }: Server, socket: number): World | undefined =>
  worlds[state.sockets.get(socket) ?? NaN]

/** Those of these sockets that are open and not silent. */
export const reachable = ({ state }: Server, sockets: readonly number[]): readonly number[] =>
  sockets.filter((socket) => state.sockets.has(socket) && !state.wire?.silent.has(socket))

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
  const sockets = reachable(server, message.sockets)
  if (sockets.length === 0) return
  effects.push(toSockets(message, sockets))
  const { wire } = server.state
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

export const toSockets = (message: OutgoingMessage, sockets: readonly number[]): OutgoingMessage =>
  Object.assign({}, message, { sockets })

/** Ends sockets as a fault says: with a code, by a reset, or in silence. */
export function endBy(
  server: Server,
  effects: Effect[],
  sockets: readonly number[],
  { silence, close }: FaultThen,
): void {
  if (sockets.length === 0) return
  if (!silence) return endSockets(server, effects, sockets, close ?? null)
  for (const socket of sockets) wireOf(server).silent.add(socket)
  effects.push({ kind: 'silence', sockets })
}

/** Ends sockets with a code, or with null by a reset; the world forgets them immediately. */
export function endSockets(
  server: Server,
  effects: Effect[],
  sockets: readonly number[],
  code: number | null,
): void {
  if (sockets.length === 0) return
  for (const socket of sockets) {
    const world = worldOf(server, socket)
    server.state.sockets.delete(socket)
    if (world !== undefined) closeSocket(world, socket)
    forgetSocket(server, socket)
  }
  effects.push({ kind: 'end', sockets, code })
}

/** Removes what faults hold for a socket that is closed. */
export function forgetSocket({ state: { wire } }: Server, socket: number): void {
  if (wire === null) return
  wire.silent.delete(socket)
  wire.delayedUntilMs.delete(socket)
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
