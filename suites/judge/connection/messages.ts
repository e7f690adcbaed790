// The messages in the bytes that a client writes on a socket after its handshake.

import { inflateRawSync } from 'node:zlib'
import type { WrittenMessage } from '../traffic.ts'

const END_OF_DEFLATED = Buffer.from([0, 0, 0xff, 0xff])

/** Reads messages piece by piece: each once when its length is known, and once when all of it is here. */
export function createMessageReader(): (bytes: Buffer) => readonly WrittenMessage[] {
  let rest: Buffer = Buffer.alloc(0)
  let parts: Buffer[] = []
  let begun: { kind: WrittenMessage['kind']; isPacked: boolean } | undefined
  let announced = false
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const found: WrittenMessage[] = []
    for (;;) {
      const frame = frameIn(rest)
      if (frame === undefined) return found
      const { opcode, isFinal, isPacked, length, mask, start } = frame
      const isControl = opcode >= 8
      if (opcode !== 0 && !isControl) {
        begun = { kind: opcode === 1 ? 'text' : opcode === 2 ? 'binary' : 'unknown', isPacked }
        parts = []
      }
      const kind = isControl ? 'control' : (begun?.kind ?? 'unknown')
      const before = isControl ? 0 : parts.reduce((sum, part) => sum + part.length, 0)
      if (!announced) found.push({ kind, length: before + length, isWhole: false })
      announced = true
      if (rest.length < start + length) return found
      announced = false
      const content = unmasked(rest.subarray(start, start + length), mask)
      rest = rest.subarray(start + length)
      if (isControl) {
        found.push({ kind, length, isWhole: true, bytes: content })
        continue
      }
      parts.push(content)
      if (!isFinal) continue
      const whole = Buffer.concat(parts)
      const read = begun?.isPacked === true ? inflated(whole) : whole
      found.push({ kind, length: whole.length, isWhole: true, ...(read && { bytes: read }) })
    }
  }
}

function frameIn(bytes: Buffer) {
  if (bytes.length < 2) return undefined
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  const more = short === 127 ? 8 : short === 126 ? 2 : 0
  const isMasked = (second & 0x80) !== 0
  const start = 2 + more + (isMasked ? 4 : 0)
  if (bytes.length < start) return undefined
  const length =
    more === 8 ? Number(bytes.readBigUInt64BE(2)) : more === 2 ? bytes.readUInt16BE(2) : short
  return {
    opcode: first & 0x0f,
    isFinal: (first & 0x80) !== 0,
    isPacked: (first & 0x40) !== 0,
    length,
    mask: isMasked ? bytes.subarray(start - 4, start) : Buffer.alloc(4),
    start,
  }
}

const unmasked = (bytes: Buffer, mask: Buffer): Buffer =>
  Buffer.from(bytes.map((one, at) => one ^ (mask[at % 4] ?? 0)))

function inflated(bytes: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(Buffer.concat([bytes, END_OF_DEFLATED]))
  } catch {
    return undefined
  }
}
