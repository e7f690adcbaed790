// Closes HTTP servers: stops listening and closes all connections.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may keep its side of a connection open, in milliseconds. */
const MAX_GOODBYE_MS = 500

/** Tracks the connections of servers; returns a function that closes them all. */
export function trackConnections(servers: readonly Server[]): () => Promise<void> {
  const connections = new Set<Socket>()
  for (const server of servers) {
    server.on('connection', (raw: Socket) => {
      // A connection with an unsupported upgrade arrives here again (see listener.ts).
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
