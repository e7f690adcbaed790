// Request bodies as they came, byte by byte: what is signed is not to be decompressed, and what is too large is answered at once.

import type { IncomingMessage } from 'node:http'
import type { Received } from './bodies.ts'

const none = new Uint8Array()

/** So many bytes of a refused body are still taken from the connection, so that its client can read the answer. */
const MAX_DROPPED_BYTES = 16 * 2 ** 20

/**
 * Receives a body of no more than `limitBytes`. One that is larger, or says so, is known to be too large at once: the
 * rest is dropped as it comes, and a client that sends far too much of it is cut off. Rejects when the client goes away.
 */
export function receiveRaw(request: IncomingMessage, limitBytes: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => resolve({ body: none, fault: 'tooLarge' })
    const chunks: Buffer[] = []
    let bytes = 0
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) tooLarge()
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limitBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        tooLarge()
      }
      if (bytes > limitBytes + MAX_DROPPED_BYTES) request.destroy()
    })
    request.on('end', () =>
      resolve({ body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }),
    )
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new Error('The client went away.'))
    })
  })
}
