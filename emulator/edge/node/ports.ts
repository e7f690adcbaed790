// Opens listeners: on one address, or for signed links on all loopback addresses at one port.

import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usageError } from '../../options/usage.ts'
import { trackConnections } from '../lifetime.ts'
import { createWebServer } from './http-listener.ts'
import type { Certificate } from './tls/tls.ts'

/** Resolves when the server listens; rejects with the system's error. Port 0 picks a free one. */
export function listen(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** A listener of one world alone. */
export type OwnListener = {
  readonly server: HttpServer
  readonly port: number
  /** Stops listening and closes all connections. */
  readonly close: () => Promise<void>
}

/** Opens a listener on a free port. */
export async function openOwn(host: string, certificate: Certificate | null): Promise<OwnListener> {
  const server = await createWebServer(certificate)
  const close = trackConnections([server])
  await listen(server, host, 0)
  return { server, port: portOf(server), close }
}

/** Host and port in a URL. */
export const hostOf = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const portOf = (server: HttpServer): number => (server.address() as AddressInfo).port

/** Opens and closes the port of a server as its world needs it. */
export type PortGate = {
  /** Looks whether the port should be open. */
  readonly look: () => void
  /** Resolves when it is; rejects with the system's error if another program has taken it meanwhile. */
  readonly settled: () => Promise<void>
}

/**
 * A gate for a server that listens. Connections that it has stay as they are: the world resets them.
 * @param isWanted whether the port should be open.
 */
export function createPortGate(
  server: HttpServer,
  { host, port }: { readonly host: string; readonly port: number },
  isWanted: () => boolean,
): PortGate {
  let isOpen = true
  let changes = 0
  let changing = Promise.resolve()
  const change = async (opens: boolean): Promise<void> => {
    if (opens) await listen(server, host, port)
    else server.close()
  }
  const look = (): void => {
    const opens = isWanted()
    if (opens === isOpen) return
    isOpen = opens
    // Whoever sees a reset connection finds the port closed already.
    if (!opens && changes === 0) return void server.close()
    changes++
    changing = changing.then(() => change(opens)).finally(() => changes--)
    changing.catch((error: Error) => {
      process.stderr.write(`flowdouble: port ${port} cannot be opened again: ${error.message}\n`)
    })
  }
  return { look, settled: () => changing }
}

/** How many free ports to try until one is free on all addresses. */
const MAX_ATTEMPTS = 10

/**
 * Opens the servers for the signed links of a server at this host, on the port after it; 127.0.0.1 and localhost
 * both reach them. Without IPv6, only the former exists.
 */
export async function openLinks(
  host: string,
  mainPort: number,
  certificate: Certificate | null,
): Promise<readonly HttpServer[]> {
  if (mainPort === 65535)
    throw usageError('Port 65535 leaves no port for the signed links. Choose a lower one.')
  const port = mainPort === 0 ? 0 : mainPort + 1
  const [first, ...others] = addressesFor(host)
  for (let attempt = 1; ; attempt++) {
    const servers = [await createWebServer(certificate)]
    try {
      await listen(servers[0] as HttpServer, first, port)
      for (const address of others) {
        const server = await createWebServer(certificate)
        if (await listensAt(server, address, portOf(servers[0] as HttpServer))) servers.push(server)
      }
      return servers
    } catch (error) {
      for (const server of servers) server.close()
      if (port !== 0 || attempt === MAX_ATTEMPTS) throw forLinks(error)
    }
  }
}

/** Marks a system error: the user did not name this port. */
const forLinks = (error: unknown): unknown => Object.assign(error as Error, { isForLinks: true })

/** The addresses to listen on; the first is required. */
function addressesFor(host: string): readonly [string, ...string[]] {
  if (host === '::') return ['::']
  if (host === '0.0.0.0') return ['0.0.0.0', '::1']
  const isLoopback = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  return isLoopback ? ['127.0.0.1', '::1'] : [host, '127.0.0.1', '::1']
}

/** Whether the server listens now; false for an address that this machine does not have. */
async function listensAt(server: HttpServer, address: string, port: number): Promise<boolean> {
  try {
    await listen(server, address, port)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    throw error
  }
}
