// Collects request bodies up to the limit, and decompresses them.

import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import type { IncomingRequest } from '../../machine.ts'

/** A body, or why it is missing. */
export type BodyResult = Pick<IncomingRequest, 'body' | 'packed' | 'fault' | 'bound'>

const none = new Uint8Array()
/** The result for a body that is not needed. */
export const nothing: BodyResult = { body: none }
const tooLarge: BodyResult = { body: none, fault: 'tooLarge' }
const unreadable: BodyResult = { body: none, fault: 'unreadable' }

/**
 * How many bytes beyond the limit to read and drop, so that a client can finish sending and read the response. If more
 * are announced or arrive, the response does not wait for them and ends the connection [http/long-body].
 */
const MAX_DROPPED_BYTES = 16 * 2 ** 20

/**
 * Receives the body of a request, limited before and after decompression.
 * Rejects if the client disconnects before the end.
 */
export function receiveBody(request: IncomingMessage, limitBytes: number): Promise<BodyResult> {
  if (Number(request.headers['content-length']) > limitBytes + MAX_DROPPED_BYTES) {
    request.pause()
    return Promise.resolve(tooLarge)
  }
  const received = collect(request, limitBytes)
  if (codingOf(request) === undefined) return received
  return received.then((found) =>
    found.fault === undefined ? unpacked(request, found.body, limitBytes) : found,
  )
}

/** The compression of a body; undefined without one, or if it is unknown. */
function codingOf({ headers }: IncomingMessage): 'gzip' | 'deflate' | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase()
  return coding === 'gzip' || coding === 'deflate' ? coding : undefined
}

/** Decompresses a body. */
export async function unpacked(
  request: IncomingMessage,
  body: Uint8Array,
  limitBytes: number,
): Promise<BodyResult> {
  const coding = codingOf(request)
  return coding !== undefined && body.length > 0 ? decompress(body, coding, limitBytes) : { body }
}

/**
 * Reads and drops a body that is not needed; stops one that is far too long. Returns whether its end is near enough to
 * wait for the next request.
 */
export function discardBody(request: IncomingMessage): boolean {
  let bytes = 0
  request.on('error', () => undefined)
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_DROPPED_BYTES) request.pause()
  })
  const length = Number(request.headers['content-length'])
  if (length > MAX_DROPPED_BYTES) request.pause()
  return length <= MAX_DROPPED_BYTES
}

/** The bytes of the body as they come, unless there are more than the limit. */
function collect(request: IncomingMessage, limitBytes: number): Promise<BodyResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limitBytes) chunks.push(chunk)
      else chunks.length = 0
      if (bytes <= limitBytes + MAX_DROPPED_BYTES) return
      request.pause()
      resolve(tooLarge)
    })
    request.on('end', () => {
      if (bytes > limitBytes) resolve(tooLarge)
      else resolve({ body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) })
    })
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new Error('The client disconnected.'))
    })
  })
}

async function decompress(
  body: Uint8Array,
  coding: 'gzip' | 'deflate',
  limitBytes: number,
): Promise<BodyResult> {
  // Loaded for the first client that compresses, so that the server starts fast.
  const zlib = await import('node:zlib')
  // Some clients send deflate without the zlib wrapper.
  const isWrapped = ((body[0] as number) & 15) === 8
  const unpack = coding === 'gzip' ? zlib.gunzip : isWrapped ? zlib.inflate : zlib.inflateRaw
  try {
    return {
      body: await promisify<Uint8Array, object, Buffer>(unpack)(body, {
        maxOutputLength: limitBytes,
        // One that is cut short counts as far as it goes [http/body-cut].
        ...(coding === 'gzip' && { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
      }),
    }
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? tooLarge : unreadable
  }
}
