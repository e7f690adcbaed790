// Compares files: the bytes that the session itself uploaded stay; of what a run makes, the size of a picture.

import type { Trace, TracedExchange } from '../../../../dist/emulator/session/index.js'
import type { Difference } from './compare.ts'

type Size = readonly [width: number, height: number]

const latin1 = (bytes: Buffer, from: number, to: number): string =>
  bytes.toString('latin1', from, to)

function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || latin1(bytes, 12, 16) !== 'IHDR') return undefined
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** The size stands in the first segment that begins a frame. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || latin1(bytes, 8, 12) !== 'WEBP') return undefined
  const kind = latin1(bytes, 12, 16)
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
  if (kind !== 'VP8L') return undefined
  const bits = bytes.readUInt32LE(21)
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
}

const signatures: readonly (readonly [start: string, size: (bytes: Buffer) => Size | undefined])[] =
  [
    ['\u0089PNG', sizeOfPng],
    ['\u00ff\u00d8\u00ff', sizeOfJpeg],
    ['RIFF', sizeOfWebp],
  ]

/** The size of a picture in PNG, JPEG or WebP; undefined for other bytes. */
export function sizeOfPicture(bytes: Uint8Array): Size | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return signatures.find(([start]) => latin1(buffer, 0, start.length) === start)?.[1](buffer)
}

/** Whether the session has sent these bytes before. */
const wasSent = (bytes: Uint8Array, { exchanges }: Trace, before: TracedExchange): boolean =>
  exchanges
    .slice(0, exchanges.indexOf(before))
    .some(({ recorded }) => Buffer.from(recorded.body).includes(Buffer.from(bytes)))

const inWords = (size: Size | undefined): string =>
  size === undefined ? 'not a picture' : `${size[0]} x ${size[1]}`

/** What differs in a file that a reply contains. */
export function fileDifferences(
  exchange: TracedExchange,
  now: Uint8Array,
  trace: Trace,
): readonly Difference[] {
  const then = exchange.recorded.response?.body ?? new Uint8Array()
  if (Buffer.compare(then, now) === 0) return []
  if (now.length === 0) return [{ drift: 'breaking', says: `${then.length} bytes are missing` }]
  if (wasSent(then, trace, exchange))
    return [{ drift: 'breaking', says: 'the bytes are not those that the session has sent' }]
  const [a, b] = [then, now].map(sizeOfPicture)
  if (a !== undefined && inWords(a) !== inWords(b))
    return [{ drift: 'breaking', says: `the picture was ${inWords(a)}, and is ${inWords(b)}` }]
  const says =
    a === undefined
      ? `the file had ${then.length} bytes, and has ${now.length} others`
      : 'the picture has the same size and other bytes'
  return [{ drift: 'cosmetic', says }]
}
