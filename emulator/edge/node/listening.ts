// Where a server listens: on one address, or for its signed links on all that lead to this machine, at one port.

import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { usageError } from '../../options/usage.ts'
import { createWebServer } from './listener.ts'
import type { Certificate } from './tls.ts'

/** Resolves when the server listens; rejects with the system's error when it cannot. Port 0 takes a free one. */
export function listen(server: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Host and port as an address names them. */
export const hostOf = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const portOf = (server: HttpServer): number => (server.address() as AddressInfo).port

/** So many free ports are tried before one of them is free on all addresses. */
const MAX_ATTEMPTS = 10

/**
 * Servers for the signed links of a server at this host and port, listening behind its port: 127.0.0.1 and localhost
 * both lead to them. A machine without IPv6 has the former alone.
 */
export async function openLinks(
  host: string,
  mainPort: number,
  certificate: Certificate | null,
): Promise<readonly HttpServer[]> {
  if (mainPort === 65535) throw usageError('Port 65535 leaves none for the signed links behind it.')
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

/** Marks an error of the system: nobody has named this port. */
const forLinks = (error: unknown): unknown => Object.assign(error as Error, { isForLinks: true })

/** The addresses to listen on, of which the first has to be there. */
function addressesFor(host: string): readonly [string, ...string[]] {
  if (host === '::') return ['::']
  if (host === '0.0.0.0') return ['0.0.0.0', '::1']
  const isLoopback = host === '127.0.0.1' || host === '::1' || host === 'localhost'
  return isLoopback ? ['127.0.0.1', '::1'] : [host, '127.0.0.1', '::1']
}

/** Whether the server listens now: not at an address that this machine does not have. */
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
