// Writes MP3 files of silence: a file with sound needs an encoder of which no small one in pure JavaScript is kept up.

import { big, concat, latin1, utf8 } from '../lib/bytes.ts'
import type { Texts } from './comments.ts'

/** A version of the format: how its frames begin, its rates in their order, and how many samples a frame has. */
type Version = {
  readonly start: number
  readonly rates: readonly number[]
  readonly frameSamples: number
  /** Bits a second, and their number in the header. */
  readonly bitRate: number
  readonly bitRateNumber: number
  /** The bytes before the sound, in stereo and in mono. */
  readonly side: readonly [stereo: number, mono: number]
}

const later = { frameSamples: 576, bitRate: 64_000, bitRateNumber: 8, side: [17, 9] } as const
const versions: readonly Version[] = [
  {
    start: 0xfb,
    rates: [44_100, 48_000, 32_000],
    frameSamples: 1152,
    bitRate: 128_000,
    bitRateNumber: 9,
    side: [32, 17],
  },
  { ...later, start: 0xf3, rates: [22_050, 24_000, 16_000] },
  { ...later, start: 0xe3, rates: [11_025, 12_000, 8_000] },
]

/** A silent file as long as a sound, to the next frame. A rate that the format lacks becomes 44,100. */
export const encodeMp3 = (
  { rate, channels, seconds }: { rate: number; channels: number; seconds: number },
  texts: Texts,
): Uint8Array => {
  const version = versions.find(({ rates }) => rates.includes(rate)) ?? versions[0]!
  const at = Math.max(0, version.rates.indexOf(rate))
  const ownRate = version.rates[at]!
  const isMono = channels === 1
  const size = Math.floor((version.frameSamples / 8) * (version.bitRate / ownRate))
  const frame = new Uint8Array(size)
  frame.set([0xff, version.start, (version.bitRateNumber << 4) | (at << 2), isMono ? 0xc4 : 0x04])
  const count = Math.ceil((seconds * ownRate) / version.frameSamples)
  const information = frame.slice()
  // The number of frames, and of bytes: without them, players have to guess the length.
  const place = 4 + version.side[isMono ? 1 : 0]
  information.set(concat([latin1('Info'), big(3, 4), big(count, 4), big(count * size, 4)]), place)
  const sound = new Uint8Array(count * size)
  for (let to = 0; to < sound.length; to += size) sound.set(frame, to)
  return concat([tag(texts), information, sound])
}

/** A tag before the sound, with a field for each text. */
function tag(texts: Texts): Uint8Array {
  if (texts.length === 0) return new Uint8Array(0)
  const fields = texts.map(([keyword, text]) => {
    const content = concat([Uint8Array.of(UTF8), utf8(keyword), Uint8Array.of(0), utf8(text)])
    return concat([latin1('TXXX'), sevenBits(content.length), big(0, 2), content])
  })
  const content = concat(fields)
  return concat([latin1('ID3'), Uint8Array.of(4, 0, 0), sevenBits(content.length), content])
}

const UTF8 = 3

/** A number of four bytes, of which each has seven bits, so that none looks like the start of a frame. */
const sevenBits = (value: number): Uint8Array =>
  Uint8Array.from([21, 14, 7, 0], (shift) => (value >> shift) & 127)
