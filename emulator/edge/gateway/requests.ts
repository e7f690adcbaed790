// The requests of a gateway, byte for byte: a signed body must not be decompressed, and an oversized one is answered
// immediately.

import type { IncomingMessage } from 'node:http'
import type { Headers } from '../../machine.ts'
import { type BodyResult, unpacked } from '../node/bodies.ts'

/** Headers by lower-case name, each with its first value; a character stands for a byte [signatures/repeated-header]. */
export function gatewayHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (!Object.hasOwn(headers, name)) headers[name] = rawHeaders[at + 1] as string
  }
  return headers
}

const none = new Uint8Array()

/** How many bytes of a rejected body to read, so that the client can read the response. */
const MAX_DROPPED_BYTES = 16 * 2 ** 20

/**
 * Receives a body up to `limitBytes`. Reports a larger one, or one that announces it, immediately; drops the rest as it
 * arrives, and disconnects a client that sends far too much. Rejects if the client disconnects.
 */
export function receiveRaw(request: IncomingMessage, limitBytes: number): Promise<BodyResult> {
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
      if (!request.complete) reject(new Error('The client disconnected.'))
    })
  })
}

/** Receives a body like the reference gateway, which validates the signature of the decompressed body. */
export async function receiveUnpacked(
  request: IncomingMessage,
  limitBytes: number,
): Promise<BodyResult> {
  const received = await receiveRaw(request, limitBytes)
  return received.fault === undefined ? unpacked(request, received.body, limitBytes) : received
}
