// Bodies with a content coding. The signature of a post can cover what was sent, or what was packed after signing: the
// machine needs both. They are unpacked here, not inside, because Node does it beside the main thread and knows brotli.

import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import type { BodyResult } from '../node/bodies.ts'
import type { UnfinishedBodies } from './unfinished.ts'

const none = new Uint8Array()

type Unpack = (
  request: IncomingMessage,
  body: Uint8Array,
  limitBytes: number,
) => Promise<BodyResult>

/**
 * Unpacks a body, and keeps it as it came beside that. Reports one that unpacks to more than `limitBytes` as too large; one
 * that cannot be unpacked stays as it is. Bodies are unpacked one at a time, so that many of them hold no more memory than
 * one, and those that wait count as unfinished.
 */
export function createUnpacker(unfinished: UnfinishedBodies): Unpack {
  let last: Promise<unknown> = Promise.resolve()
  return (request, body, limitBytes) => {
    const coding = codingOf(request)
    if (coding === undefined || body.length === 0) return Promise.resolve({ body })
    return new Promise((resolve) => {
      let isRefused = false
      const waiting = unfinished.begin((bound) => {
        isRefused = true
        resolve({ body: none, bound })
      })
      waiting.holds(body.length)
      const take = async (): Promise<void> => {
        if (isRefused) return
        const result = await unpack(coding, body, limitBytes)
        waiting.end()
        resolve(result)
      }
      last = last.then(take)
    })
  }
}

/** Each chunk is a turn of the event loop: a body of the usual limit takes a few. */
const CHUNK_BYTES = 2 ** 18

type Coding = 'gzip' | 'deflate' | 'br'

/** The coding of a body; undefined without one, or for one that is unknown. */
function codingOf({ headers }: IncomingMessage): Coding | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase().replace(/^x-/, '')
  return coding === 'gzip' || coding === 'deflate' || coding === 'br' ? coding : undefined
}

async function unpack(coding: Coding, body: Uint8Array, limitBytes: number): Promise<BodyResult> {
  // Loaded for the first sender that packs, so that the gateway starts fast.
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import('node:zlib')
  // Some senders leave out the wrapper of deflate.
  const isWrapped = ((body[0] as number) & 15) === 8
  const unpackers = {
    gzip: gunzip,
    deflate: isWrapped ? inflate : inflateRaw,
    br: brotliDecompress,
  }
  try {
    const unpacked = await promisify<Uint8Array, object, Buffer>(unpackers[coding])(body, {
      maxOutputLength: limitBytes,
      chunkSize: CHUNK_BYTES,
    })
    return { body: unpacked, packed: body }
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLarge ? { body: none, fault: 'tooLarge' } : { body }
  }
}
