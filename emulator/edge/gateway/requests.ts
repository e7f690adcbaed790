// The requests of a gateway, byte for byte: a signature can cover a body as it is packed, and an oversized one is answered
// immediately.

import type { IncomingMessage } from 'node:http'
import type { Headers } from '../../machine.ts'
import { type BodyResult, unpacked } from '../node/bodies.ts'
import { createBodyParts } from './body-parts.ts'
import { createUnpacker } from './packed-bodies.ts'
import type { UnfinishedBodies } from './unfinished.ts'

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

type Receive = (request: IncomingMessage, limitBytes: number) => Promise<BodyResult>

/**
 * Receives bodies up to `limitBytes`. Reports a larger one, or one that announces it, immediately; drops the rest as it
 * arrives, and disconnects a client that sends far too much. Reports one that meets a bound of unfinished bodies, and reads
 * no more of it. Rejects if the client disconnects.
 */
const receiveRaw =
  (unfinished: UnfinishedBodies): Receive =>
  (request, limitBytes) =>
    new Promise((resolve, reject) => {
      const parts = createBodyParts()
      let bytes = 0
      const finish = (result: BodyResult): void => {
        body.end()
        resolve(result)
      }
      const body = unfinished.begin((bound) => {
        parts.drop()
        // The response ends the connection.
        request.pause()
        resolve({ body: none, bound })
      })
      const tooLarge = (): void => {
        parts.drop()
        finish({ body: none, fault: 'tooLarge' })
      }
      if (Number(request.headers['content-length'] ?? 0) > limitBytes) tooLarge()
      request.on('data', (chunk: Buffer) => {
        if (request.isPaused()) return
        bytes += chunk.length
        if (bytes <= limitBytes) {
          parts.add(chunk)
          body.holds(parts.heldBytes())
        } else tooLarge()
        if (bytes > limitBytes + MAX_DROPPED_BYTES) request.destroy()
      })
      request.on('end', () => finish({ body: parts.whole() }))
      request.on('error', (error) => {
        body.end()
        reject(error)
      })
      request.on('close', () => {
        body.end()
        if (!request.complete) reject(new Error('The client disconnected.'))
      })
    })

/** Receives bodies without their coding, and as they came. */
export const receivePacked = (unfinished: UnfinishedBodies): Receive =>
  then(receiveRaw(unfinished), createUnpacker(unfinished))

/** Receives bodies like the reference gateway, which validates the signature of the decompressed body. */
export const receiveUnpacked = (unfinished: UnfinishedBodies): Receive =>
  then(receiveRaw(unfinished), unpacked)

/** Receives bodies, and changes those that are whole. */
const then =
  (receive: Receive, change: typeof unpacked): Receive =>
  async (request, limitBytes) => {
    const received = await receive(request, limitBytes)
    const isWhole = received.fault === undefined && received.bound === undefined
    return isWhole ? change(request, received.body, limitBytes) : received
  }
