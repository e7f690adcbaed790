// Decodes H.264 of flat blocks: whatever else a stream contains throws.

import { emptyFrame, type FlatFrame, type Guess, setBlock } from './flat-frames.ts'
import type { Track } from './mp4.ts'

type Settings = {
  readonly across: number
  readonly down: number
  readonly width: number
  readonly height: number
}

/** The frames of a track, and the size that their settings say. */
export function decodeH264({ settings: bytes, samples, keys }: Track) {
  const sequenceLength = bytes.readUInt16BE(6)
  const settings = sequenceOf(bytes.subarray(8, 8 + sequenceLength))
  pictureOf(bytes.subarray(11 + sequenceLength))
  const frames: FlatFrame[] = []
  for (const [at, sample] of samples.entries()) {
    if (sample.readUInt32BE(0) !== sample.length - 4) throw new Error('A sample of several units.')
    const isKey = sample[4] === 0x65
    if (isKey !== keys!.includes(at + 1)) throw new Error(`The frame ${at} is not as it is listed.`)
    frames.push(frameOf(sample.subarray(4), settings, isKey ? undefined : frames.at(-1)))
  }
  return { ...settings, frames }
}

function sequenceOf(unit: Buffer): Settings {
  const bits = readerOf(unit)
  expectAll('sequence', [bits.take(8), bits.take(8), bits.take(8)], [0x67, 66, 0xc0])
  bits.take(8)
  expectAll('order', [bits.whole(), bits.whole(), bits.whole(), bits.whole()], [0, 0, 2, 1])
  expectAll('gaps', [bits.take(1)], [0])
  const [across, down] = [bits.whole() + 1, bits.whole() + 1]
  expectAll('frames', [bits.take(1), bits.take(1), bits.take(1)], [1, 1, 1])
  const [left, right, top, bottom] = [bits.whole(), bits.whole(), bits.whole(), bits.whole()]
  const width = across * 16 - 2 * (left + right)
  return { across, down, width, height: down * 16 - 2 * (top + bottom) }
}

/** The quality at which a level is a step of the colour. */
function pictureOf(unit: Buffer): void {
  const bits = readerOf(unit)
  expectAll('picture', [bits.take(8), bits.whole(), bits.whole(), bits.take(2)], [0x68, 0, 0, 0])
  expectAll('groups', [bits.whole(), bits.whole(), bits.whole(), bits.take(3)], [0, 0, 0, 0])
  expectAll('quality', [bits.signed(), bits.signed(), bits.signed()], [2, 0, -6])
  expectAll('filters', [bits.take(3)], [0b100])
}

function frameOf(unit: Buffer, { across, down }: Settings, last: FlatFrame | undefined): FlatFrame {
  const bits = readerOf(unit.subarray(1))
  const isKey = last === undefined
  expectAll('slice', [bits.whole(), bits.whole(), bits.whole()], [0, isKey ? 7 : 5, 0])
  bits.take(4)
  if (isKey) bits.whole()
  expectAll('marks', [bits.take(isKey ? 2 : 3), bits.signed(), bits.whole()], [0, 0, 1])
  const frame = emptyFrame(across)
  const count = across * down
  for (let at = 0; at < count; at++) {
    for (let skipped = isKey ? 0 : bits.whole(); skipped > 0 && at < count; skipped--, at++)
      for (const plane of [0, 1, 2] as const) frame.planes[plane][at] = last!.planes[plane][at]!
    if (at < count) block(bits, frame, at, isKey ? 1 : 6)
  }
  expectAll('end', [bits.take(1)], [1])
  return frame
}

const lumaGuesses: readonly Guess[] = ['above', 'left', 'grey']
const chromaGuesses: readonly Guess[] = ['grey', 'left', 'above']

function block(bits: Bits, frame: FlatFrame, at: number, first: number): void {
  const kind = bits.whole() - first
  if (kind < 0 || kind > 6 || kind % 4 === 3) throw new Error(`A block of the kind ${kind}.`)
  const chroma = chromaGuesses[bits.whole()]!
  expectAll('step', [bits.signed()], [0])
  setBlock(frame, 0, at, lumaGuesses[kind % 4]!, level(bits, '1', '01', '000101'))
  for (const plane of [1, 2] as const)
    setBlock(frame, plane, at, chroma, kind < 4 ? 0 : level(bits, '01', '1', '000111'))
}

/** The only coefficient, by the codes for none, for 1 or -1, and for a larger one. */
function level(bits: Bits, none: string, one: string, larger: string): number {
  let code = ''
  while (code !== none && code !== one && code !== larger) {
    code += bits.take(1)
    if (code.length > 6) throw new Error(`A coefficient with the code ${code}.`)
  }
  if (code === none) return 0
  const value = code === one ? 1 - 2 * bits.take(1) : largerLevel(bits)
  expectAll('zeros', [bits.take(1)], [1])
  return value
}

function largerLevel(bits: Bits): number {
  let zeros = 0
  while (bits.take(1) === 0) zeros++
  const more = zeros < 14 ? zeros : zeros === 14 ? 14 + bits.take(4) : 30 + bits.take(12)
  const size = Math.floor(more / 2) + 2
  return more % 2 === 0 ? size : -size
}

function expectAll(what: string, given: readonly number[], wanted: readonly number[]): void {
  if (given.join() !== wanted.join())
    throw new Error(`${what}: ${given.join()}, not ${wanted.join()}`)
}

type Bits = ReturnType<typeof readerOf>

/** The bits of a unit, without the bytes that keep zeros apart. */
function readerOf(unit: Buffer) {
  const bytes: number[] = []
  for (const [at, byte] of unit.entries())
    if (byte !== 3 || unit[at - 1] !== 0 || unit[at - 2] !== 0) bytes.push(byte)
  let at = 0
  const take = (count: number): number => {
    let value = 0
    for (let bit = 0; bit < count; bit++, at++) {
      const byte = bytes[at >> 3]
      if (byte === undefined) throw new Error('The unit ends too early.')
      value = value * 2 + ((byte >> (7 - (at & 7))) & 1)
    }
    return value
  }
  const whole = (): number => {
    let zeros = 0
    while (take(1) === 0) zeros++
    return 2 ** zeros - 1 + take(zeros)
  }
  const signed = (): number => {
    const value = whole()
    return value % 2 === 1 ? (value + 1) / 2 : -value / 2
  }
  return { take, whole, signed }
}
