// Clients that do not finish what they send.

import type { Socket } from 'node:net'
import { dial } from '../../judge/wire.ts'

export type HalfSent = {
  readonly socket: Socket
  /** Resolves to all that came on the connection when it has ended. */
  readonly ends: Promise<string>
}

/** Opens a connection and sends these bytes. Resolves when the system has them. */
export async function sendHalf(url: string, bytes: string | Uint8Array): Promise<HalfSent> {
  const socket = dial(url)
  const ends = endOf(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(bytes, () => resolve())
  })
  return { socket, ends }
}

/** What comes on a connection until it ends, also if its other side resets it. */
async function endOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => socket.destroy())
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString()
}

/** The head of a post to a route with a body of this size, and the first of its bytes. */
export const partOfPost = (route: string, size: number, sent: number): string =>
  `POST /webhooks/${route} HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(sent)}`
