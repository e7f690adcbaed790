// Changes the whole state of a server: resets it, takes snapshots and restores them, and begins a fork.

import { copyOf } from '../lib/copy.ts'
import type { Effect, SocketEnd, WorldChange } from '../machine.ts'
import { endSockets, forgetRequests } from './faults/wire.ts'
import { adopt, forkServer, resetServer } from './server.ts'
import type { Server } from './state/server.ts'

/** The code that clients receive when the state behind their sockets changes: the service restarts. */
const RESTARTED = 1012

/** Applies a change. An unknown snapshot changes nothing: whoever asks checks the name first. */
export function changeWorld(server: Server, change: WorldChange): readonly Effect[] {
  const snapshot = 'name' in change ? server.snapshots.get(change.name) : undefined
  if (change.do === 'snapshot') {
    server.snapshots.set(change.name, withoutSockets(server))
    return []
  }
  if (change.do === 'restore' && snapshot === undefined) return []
  const ended = endAllSockets(server, { close: RESTARTED })
  forgetRequests(server)
  if (change.do === 'reset') resetServer(server, change.keepsTime ? server.state.nowMs : 0)
  else if (snapshot !== undefined) adopt(server, copyOf(snapshot))
  return ended
}

/** Ends all sockets. From now on nothing is sent to them, and what their clients send is ignored. */
export function endAllSockets(server: Server, how: SocketEnd): readonly Effect[] {
  const effects: Effect[] = []
  const opening = server.state.wire?.opening ?? []
  endSockets(server, effects, [...server.state.sockets.keys(), ...opening], how)
  return effects
}

function withoutSockets(server: Server): Server['state'] {
  const fork = forkServer(server)
  endAllSockets(fork, { close: RESTARTED })
  forgetRequests(fork)
  return fork.state
}
