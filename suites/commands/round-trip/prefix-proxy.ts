// A proxy in front of a server that serves it below a path: it strips the path from request lines, and passes the rest as bytes.

import { connect, createServer, type AddressInfo } from 'node:net'

export type PrefixProxy = {
  /** The address of the server behind it, which ends in the path. */
  readonly url: string
  /** The targets of requests outside of the path. */
  readonly outside: string[]
  readonly close: () => Promise<void>
}

/** @param path begins with a slash, and does not end with one. */
export async function startPrefixProxy(target: string, path: string): Promise<PrefixProxy> {
  const { hostname, port } = new URL(target)
  const line = /^([A-Z]+ )(\S+)(?= HTTP\/1\.[01]\r\n)/gm
  const below = new RegExp(`^${path}(?:/|(?=\\?|$))`)
  const outside: string[] = []
  const strip = (whole: string, method: string, found: string): string => {
    if (!below.test(found)) outside.push(found)
    return below.test(found) ? method + found.replace(below, '/') : whole
  }
  const open = new Set<{ destroy: () => unknown }>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('end', () => to.end())
    }
    client.on('data', (chunk) =>
      upstream.write(chunk.toString('latin1').replace(line, strip), 'latin1'),
    )
    upstream.on('data', (chunk) => client.write(chunk))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    outside,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
