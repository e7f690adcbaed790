// A server that accepts, may begin an answer, and then stays silent.

import { type AddressInfo, createServer, type Socket } from 'node:net'

export type SilentServer = {
  readonly url: string
  /** Resolves when the first request has arrived. */
  readonly arrival: Promise<void>
}

/** Calls with a server that answers each connection with this beginning alone, and is closed afterwards. */
export async function withSilentServer(
  beginning: string,
  use: (server: SilentServer) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>()
  let arrive = (): void => undefined
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.once('data', () => arrive())
    socket.write(beginning)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  try {
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrival })
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}
