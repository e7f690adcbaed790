// What a test starts ends with it.

import type { AddressInfo, Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Closes what starts when the test is over. A test that runs beside others of its file closes it itself. */
export async function forTest<T extends { readonly close: () => unknown }>(
  starting: T | Promise<T>,
): Promise<T> {
  const started = await starting
  onTestFinished(async () => void (await started.close()))
  return started
}

/** A server by hand that listens. */
export type Listening = {
  readonly url: string
  readonly port: number
  /** Ends its connections, too. */
  readonly close: () => Promise<void>
}

/** Lets a server listen on a free port until the test is over. */
export async function listening(server: Server, scheme = 'http'): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return forTest({ url: `${scheme}://127.0.0.1:${port}`, port, close })
}
