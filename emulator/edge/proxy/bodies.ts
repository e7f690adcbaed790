// Bodies that pass through a proxy: kept up to a bound, and read without their content encoding.

import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { HeaderList } from '../../session/recording.ts'
import { headerOf } from '../../session/recording.ts'

/** The largest body that a recording contains. */
export const MAX_BODY_BYTES = 64 * 2 ** 20

/** Keeps what passes. */
export type Kept = {
  readonly add: (chunk: Buffer) => void
  /** The whole body; undefined if it is larger than the bound. */
  readonly bytes: () => Buffer | undefined
}

export function keepBody(maxBytes = MAX_BODY_BYTES): Kept {
  let chunks: Buffer[] = []
  let length = 0
  const add = (chunk: Buffer): void => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    else chunks = []
  }
  return { add, bytes: () => (length <= maxBytes ? Buffer.concat(chunks) : undefined) }
}

const decoders: Readonly<Record<string, (bytes: Buffer, limit: object) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  br: brotliDecompressSync,
  // Some servers send raw deflate data.
  deflate: (bytes, limit) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit),
}

/** A body without its content encoding: as it is if that is unknown or broken; undefined if it becomes too large. */
export function decodedBody(body: Buffer | undefined, headers: HeaderList): Buffer | undefined {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined
  if (body === undefined || body.length === 0 || decode === undefined) return body
  try {
    return decode(body, { maxOutputLength: MAX_BODY_BYTES })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : body
  }
}
