// Reads and writes the chunks of PNG files. Imports no library, so that the server can check uploads without loading a
// decoder.

import { concat } from '../../lib/bytes.ts'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const SIGNATURE_LENGTH = 8
/** Length, name and checksum: the parts of a chunk besides its content. */
export const FRAME_LENGTH = 12

/** The position of the colour type in a file. */
export const COLOUR_TYPE_AT = 25

/** `at` is the start of the whole chunk, `end` that of the next one. */
type Chunk = { name: string; at: number; end: number }

/** More than normal files have: otherwise a large file of empty chunks would fill the memory. */
const MOST_CHUNKS = 65_536

/** The chunks of a file up to the first truncated one, and at most MOST_CHUNKS. */
const chunksOf = (bytes: Uint8Array): Chunk[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: Chunk[] = []
  let at = SIGNATURE_LENGTH
  while (at + FRAME_LENGTH <= bytes.length && chunks.length < MOST_CHUNKS) {
    const end = at + FRAME_LENGTH + view.getUint32(at)
    if (end > bytes.length) break
    chunks.push({ name: String.fromCharCode(...bytes.subarray(at + 4, at + 8)), at, end })
    at = end
  }
  return chunks
}

const join = (bytes: Uint8Array, chunks: readonly Chunk[]): Uint8Array => {
  const length = chunks.reduce((sum, { at, end }) => sum + end - at, SIGNATURE_LENGTH)
  const joined = new Uint8Array(length)
  joined.set(bytes.subarray(0, SIGNATURE_LENGTH))
  let to = SIGNATURE_LENGTH
  for (const { at, end } of chunks) {
    joined.set(bytes.subarray(at, end), to)
    to += end - at
  }
  return joined
}

/** Whether all chunks that are required to show the picture are complete, with valid checksums. */
export const isWholePng = (bytes: Uint8Array): boolean => {
  const chunks = chunksOf(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const hasValidChecksum = ({ at, end }: Chunk): boolean =>
    view.getUint32(end - 4) === checksum(bytes.subarray(at + 4, end - 4))
  return (
    chunks.some(({ name }) => name === 'IDAT') &&
    chunks.some(({ name }) => name === 'IEND') &&
    // Chunks with a lower-case first letter are optional.
    chunks.every((chunk) => /^[a-z]/.test(chunk.name) || hasValidChecksum(chunk))
  )
}

/** The effect of each byte on a CRC-32. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

/** The CRC-32 of bytes. */
export const checksum = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = crcTable[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

/** A whole chunk, with its length and its checksum. */
export const chunk = (name: string, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = concat(parts)
  const bytes = new Uint8Array(content.length + FRAME_LENGTH)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, content.length)
  for (let i = 0; i < name.length; i++) bytes[4 + i] = name.charCodeAt(i)
  bytes.set(content, 8)
  view.setUint32(bytes.length - 4, checksum(bytes.subarray(4, -4)))
  return bytes
}

/** The contents of all chunks of this name. */
export const contentsOf = (bytes: Uint8Array, name: string): Uint8Array[] =>
  chunksOf(bytes)
    .filter((chunk) => chunk.name === name)
    .map(({ at, end }) => bytes.subarray(at + 8, end - 4))

/** A PNG file of these chunks. */
export const pngOf = (chunks: readonly Uint8Array[]): Uint8Array => concat([SIGNATURE, ...chunks])

/** Whether a PNG file has a chunk of this name. */
export const hasChunk = (bytes: Uint8Array, name: string): boolean =>
  chunksOf(bytes).some((chunk) => chunk.name === name)

const isText = ({ name }: Chunk): boolean => name === 'tEXt' || name === 'zTXt' || name === 'iTXt'

/** The chunks of a PNG file that contain texts, unchanged. */
export const textChunksOf = (bytes: Uint8Array): Uint8Array => {
  const chunks = chunksOf(bytes).filter(isText)
  return join(bytes, chunks).subarray(SIGNATURE_LENGTH)
}

/** The same PNG file with these chunks after its header. */
export const withTextChunks = (bytes: Uint8Array, chunks: Uint8Array): Uint8Array => {
  const cut = chunksOf(bytes)[0]?.end ?? bytes.length
  const joined = new Uint8Array(bytes.length + chunks.length)
  joined.set(bytes.subarray(0, cut))
  joined.set(chunks, cut)
  joined.set(bytes.subarray(cut), cut + chunks.length)
  return joined
}
