// A server that accepts, may begin an answer, and then stays silent.

import { createServer } from 'node:net'
import { listening } from '../for-test.ts'

export type SilentServer = {
  readonly url: string
  /** Resolves when the first request has arrived. */
  readonly arrival: Promise<void>
}

/** A server that answers each connection with this beginning alone, until the test is over. */
export async function startSilent(beginning: string): Promise<SilentServer> {
  let arrive = (): void => undefined
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const server = createServer((socket) => {
    socket.once('data', () => arrive())
    socket.write(beginning)
  })
  return { url: (await listening(server)).url, arrival }
}
