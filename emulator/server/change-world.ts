// Changes the whole state of a server: resets it, takes snapshots and restores them, and begins a fork.

import type { Effect, SocketEnd, WorldChange } from '../machine.ts'
import { adopt, forkServer, resetServer } from './server.ts'
import type { Server } from './state/server.ts'
import { closeSocket } from './world/sockets.ts'

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
  const ended = endSockets(server, { close: RESTARTED })
  if (change.do === 'reset') resetServer(server, change.keepsTime ? server.state.nowMs : 0)
  else if (snapshot !== undefined) adopt(server, structuredClone(snapshot))
  return ended
}

/** Ends all open sockets. From now on nothing is sent to them, and what their clients send is ignored. */
export function endSockets(server: Server, how: SocketEnd): readonly Effect[] {
  const { state, worlds } = server
  if (state.sockets.size === 0) return []
  const sockets = [...state.sockets.keys()]
  for (const [socket, index] of state.sockets) {
    const world = worlds[index]
    if (world !== undefined) closeSocket(world, socket)
  }
  state.sockets.clear()
  return [{ kind: 'end', sockets, how }]
}

function withoutSockets(server: Server): Server['state'] {
  const fork = forkServer(server)
  endSockets(fork, { close: RESTARTED })
  return fork.state
}
