// Writes FLAC files of 16 bits: the samples as they are, or one number for a silent part.

import { big, concat, latin1 } from '../lib/bytes.ts'
import { checksum } from './checksum.ts'
import { commentsOf, type Texts } from './comments.ts'
import type { Samples } from './samples.ts'

/** Samples of each channel in a frame. */
const FRAME = 4096
const BITS = 16

export const encodeFlac = ({ rate, channels }: Samples, texts: Texts): Uint8Array => {
  const length = channels[0]?.length ?? 0
  const frames: Uint8Array[] = []
  for (let at = 0; at < length; at += FRAME)
    frames.push(
      frame(
        channels.map((levels) => levels.subarray(at, at + FRAME)),
        rate,
        at / FRAME,
      ),
    )
  const information = concat([
    big(FRAME, 2),
    big(FRAME, 2),
    // The sizes of the frames and the hash of the samples are left open.
    new Uint8Array(6),
    // The rate in 20 bits, channels - 1 in 3, bits - 1 in 5, samples in 36.
    big(rate * 2 ** 12 + (channels.length - 1) * 2 ** 9 + (BITS - 1) * 2 ** 4, 4),
    big(length, 4),
    new Uint8Array(16),
  ])
  return concat([
    latin1('fLaC'),
    block(INFORMATION, information),
    block(COMMENTS | LAST, commentsOf(texts)),
    ...frames,
  ])
}

const INFORMATION = 0
const COMMENTS = 4
const LAST = 0x80

const block = (kind: number, content: Uint8Array): Uint8Array =>
  concat([Uint8Array.of(kind), big(content.length, 3), content])

const CONSTANT = 0x00
const VERBATIM = 0x02

function frame(channels: readonly Int16Array[], rate: number, number: number): Uint8Array {
  const length = channels[0]?.length ?? 0
  // The length follows in 16 bits, and so does the rate; a higher rate stands at the start of the file only.
  const isShort = rate < 2 ** 16
  const start = concat([
    Uint8Array.of(0xff, 0xf8, isShort ? 0x7d : 0x70, ((channels.length - 1) << 4) | 0x08),
    longNumber(number),
    big(length - 1, 2),
    isShort ? big(rate, 2) : new Uint8Array(0),
  ])
  const head = concat([start, big(checksum(start, HEAD_CHECK), 1)])
  const whole = concat([head, ...channels.map(channel)])
  return concat([whole, big(checksum(whole, FRAME_CHECK), 2)])
}

const HEAD_CHECK = { bits: 8, polynomial: 0x07 } as const
const FRAME_CHECK = { bits: 16, polynomial: 0x8005 } as const

function channel(levels: Int16Array): Uint8Array {
  const [first = 0] = levels
  if (levels.every((level) => level === first))
    return Uint8Array.of(CONSTANT, (first >> 8) & 255, first & 255)
  const bytes = new Uint8Array(1 + levels.length * 2)
  bytes[0] = VERBATIM
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < levels.length; at++) view.setInt16(1 + at * 2, levels[at]!)
  return bytes
}

/** A number in the manner of UTF-8, which goes on beyond the last character here. */
function longNumber(value: number): Uint8Array {
  if (value < 0x80) return Uint8Array.of(value)
  let length = 2
  while (value >= 2 ** (5 * length + 1)) length++
  const bits = (at: number): number => (value >> (6 * (length - 1 - at))) & 0x3f
  const first = ((0xff << (8 - length)) & 0xff) | bits(0)
  return Uint8Array.from({ length }, (_, at) => (at === 0 ? first : 0x80 | bits(at)))
}
