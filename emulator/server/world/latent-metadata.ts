// The metadata in a saved latent about its run [files/workflow-in-latent]: the graph and the extra data.

import { asciiJson } from '../../lib/ascii-json.ts'

/** The bytes of the length of the header, which comes first. */
const LENGTH_BYTES = 8

/** A file of tensors with these JSON texts in its header. */
export function withLatentMetadata(
  bytes: Uint8Array,
  texts: readonly (readonly [keyword: string, json: string])[],
): Uint8Array {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true))
  const end = LENGTH_BYTES + length
  const header = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, end)).trimEnd()
  const metadata = JSON.stringify(
    Object.fromEntries(texts.map(([keyword, json]) => [keyword, asciiJson(json)])),
  )
  const encoded = new TextEncoder().encode(`{"__metadata__":${metadata},${header.slice(1)}`)
  // The numbers begin at a multiple of 8 bytes.
  const padded = Math.ceil(encoded.length / LENGTH_BYTES) * LENGTH_BYTES
  const marked = new Uint8Array(LENGTH_BYTES + padded + bytes.length - end).fill(0x20)
  new DataView(marked.buffer).setBigUint64(0, BigInt(padded), true)
  marked.set(encoded, LENGTH_BYTES)
  marked.set(bytes.subarray(end), LENGTH_BYTES + padded)
  return marked
}
