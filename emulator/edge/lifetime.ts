// The end of HTTP servers: they stop listening, and all their connections are closed.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A client that keeps its side of a connection open is given so long to end it, in milliseconds. */
const MAX_GOODBYE_MS = 500

/** Follows the connections of servers, and gives a way to close them all. */
export function followConnections(servers: readonly Server[]): () => Promise<void> {
  const connections = new Set<Socket>()
  for (const server of servers) {
    server.on('connection', (raw: Socket) => {
      // One that asks for an upgrade which nobody offers comes here again (see listener.ts).
      if (connections.has(raw)) return
      connections.add(raw)
      raw.once('close', () => connections.delete(raw))
    })
  }
  return async () => {
    const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
    for (const server of servers) server.closeAllConnections()
    const timer = setTimeout(() => connections.forEach((raw) => raw.destroy()), MAX_GOODBYE_MS)
    await Promise.all(closed)
    clearTimeout(timer)
  }
}
