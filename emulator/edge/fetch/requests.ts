// Reads requests of the fetch API: the headers that a world sees, and bodies up to their limit.

import { limits } from '../../../spec/limits.ts'
import { droppedHeaders } from '../../http/request-headers.ts'
import type { Headers as HeaderValues, IncomingRequest } from '../../machine.ts'

/** A body, or why it is missing. */
type BodyResult = Pick<IncomingRequest, 'body' | 'fault'>

const none = new Uint8Array()
export const noBody: BodyResult = { body: none }
const tooLarge: BodyResult = { body: none, fault: 'tooLarge' }
const unreadable: BodyResult = { body: none, fault: 'unreadable' }

/** The headers of a request. Pages cannot set the header Host: it is that of the URL. */
export function readHeaders(given: Headers, url: URL): HeaderValues {
  const headers: Record<string, string> = { host: url.host }
  for (const [name, value] of given) if (!droppedHeaders.has(name)) headers[name] = value
  return headers
}

/** Whether the request line or a header would be too long for HTTP [http/long-lines]. */
export function hasLongLine(method: string, target: string, headers: Headers): boolean {
  if (`${method} ${target} HTTP/1.1`.length > limits.line.value) return true
  return [...headers].some(([name, value]) => `${name}: ${value}`.length > limits.line.value)
}

/** Reads the body of a request, limited before and after decompression. Rejects if the client aborts it. */
export async function readBody(request: Request, limitBytes: number): Promise<BodyResult> {
  const body = new Uint8Array(await request.arrayBuffer())
  if (body.length > limitBytes) return tooLarge
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase()
  if (body.length === 0 || (coding !== 'gzip' && coding !== 'deflate')) return { body }
  // Some clients send deflate without the zlib wrapper.
  const isWrapped = coding === 'gzip' || ((body[0] as number) & 15) === 8
  return decompress(body, isWrapped ? coding : 'deflate-raw', limitBytes)
}

async function decompress(
  body: Uint8Array<ArrayBuffer>,
  format: 'gzip' | 'deflate' | 'deflate-raw',
  limitBytes: number,
): Promise<BodyResult> {
  const unpacked = new Blob([body]).stream().pipeThrough(new DecompressionStream(format))
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  try {
    for await (const part of partsOf(unpacked)) {
      parts.push(part)
      bytes += part.length
      if (bytes > limitBytes) return tooLarge
    }
  } catch {
    return unreadable
  }
  return { body: new Uint8Array(await new Blob(parts).arrayBuffer()) }
}

/** The parts of a stream, which not every browser can iterate over. */
async function* partsOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
