// From listening to the end: an HTTP server with all its connections.

import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Lifetime = {
  /** Resolves when the server listens. Rejects with the system's error when the address is taken. */
  readonly listen: (at: { readonly host: string; readonly port: number }) => Promise<void>
  /** The port that it listens on, and its address on that host. */
  readonly address: (at: { readonly host: string }) => {
    readonly url: string
    readonly port: number
  }
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<void>
}

/** A client that keeps its side of a connection open is given so long to end it, in milliseconds. */
const MAX_GOODBYE_MS = 500

/** Keeps track of the connections of a server that does not listen yet. */
export function track(server: Server): Lifetime {
  const connections = new Set<Socket>()
  server.on('connection', (raw: Socket) => {
    connections.add(raw)
    raw.once('close', () => connections.delete(raw))
  })
  const listen: Lifetime['listen'] = ({ host, port }) =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  const address: Lifetime['address'] = ({ host }) => {
    const { port } = server.address() as AddressInfo
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port }
  }
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    const timer = setTimeout(() => connections.forEach((raw) => raw.destroy()), MAX_GOODBYE_MS)
    await closed
    clearTimeout(timer)
  }
  return { listen, address, close }
}
