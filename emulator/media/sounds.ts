// The headers of files of sound.

import type { MediaFacts } from './facts.ts'
import { type Reader, readerOf } from './reader.ts'

const MOST_CHUNKS = 10_000

export function probeWav(bytes: Uint8Array): MediaFacts | undefined {
  const { big: _, little, word } = readerOf(bytes)
  if (word(0, 4) !== 'RIFF' || word(8, 4) !== 'WAVE') return undefined
  let format: { channels: number; rate: number; frame: number } | undefined
  let at = 12
  for (let count = 0; at + 8 <= bytes.length && count < MOST_CHUNKS; count++) {
    const size = little(at + 4, 4)
    if (word(at, 4) === 'fmt ')
      format = { channels: little(at + 10, 2), rate: little(at + 12, 4), frame: little(at + 20, 2) }
    if (word(at, 4) === 'data' && format !== undefined) {
      const { channels, rate, frame } = format
      const samples = Math.floor(Math.min(size, bytes.length - at - 8) / frame)
      return { sound: { rate, channels, samples } }
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

export function probeFlac(bytes: Uint8Array): MediaFacts | undefined {
  const { big, word } = readerOf(bytes)
  if (word(0, 4) !== 'fLaC') return undefined
  // The rate has 20 bits, the channels 3, the size of a sample 5, the number of samples 36.
  const settings = big(18, 4)
  const rate = Math.floor(settings / 2 ** 12)
  const channels = (Math.floor(settings / 2 ** 9) % 8) + 1
  return { sound: { rate, channels, samples: (settings % 16) * 2 ** 32 + big(22, 4) } }
}

const OPUS_RATE = 48_000
const PAGE_HEAD = 27
const MOST_TAIL = 65_536

/** Opus and Vorbis in Ogg: the position of the last page is the length. */
export function probeOgg(bytes: Uint8Array): MediaFacts | undefined {
  const reader = readerOf(bytes)
  const { little, word } = reader
  if (word(0, 4) !== 'OggS') return undefined
  const head = PAGE_HEAD + little(26, 1)
  const end = lastPosition(reader)
  if (word(head, 8) === 'OpusHead') {
    const skipped = little(head + 10, 2)
    return {
      sound: { rate: OPUS_RATE, channels: little(head + 9, 1), samples: end - skipped },
    }
  }
  if (word(head + 1, 6) !== 'vorbis') return undefined
  return {
    sound: { rate: little(head + 12, 4), channels: little(head + 11, 1), samples: end },
  }
}

function lastPosition({ length, little, word }: Reader): number {
  for (let at = length - PAGE_HEAD; at >= Math.max(0, length - MOST_TAIL); at--)
    if (word(at, 4) === 'OggS') return little(at + 6, 8)
  return 0
}

/** The rates of a version, its samples in a frame, and its bits a second in thousands, by their numbers. */
const versions = {
  3: {
    rates: [44_100, 48_000, 32_000],
    samples: 1152,
    bits: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  2: {
    rates: [22_050, 24_000, 16_000],
    samples: 576,
    bits: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
  0: {
    rates: [11_025, 12_000, 8000],
    samples: 576,
    bits: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const

const TAG_HEAD = 10
const MOST_FRAMES = 1_000_000

/** Counts the frames of an MP3 file, behind a tag. */
export function probeMp3(bytes: Uint8Array): MediaFacts | undefined {
  const { big, word } = readerOf(bytes)
  const sevenBits = (at: number): number =>
    [0, 1, 2, 3].reduce((value, byte) => value * 128 + (big(at + byte, 1) & 127), 0)
  let at = word(0, 3) === 'ID3' ? TAG_HEAD + sevenBits(6) : 0
  let found: { rate: number; channels: number; samples: number } | undefined
  for (let count = 0; at + 4 <= bytes.length && count < MOST_FRAMES; count++) {
    const head = big(at, 4)
    const number = ((head >>> 19) & 3) as 0 | 1 | 2 | 3
    // Eleven bits that are set, then the third layer.
    if (head >>> 21 !== 0x7ff || ((head >>> 17) & 3) !== 1 || number === 1) break
    const version = versions[number]
    const rate = version.rates[(head >>> 10) & 3]
    const bits = version.bits[(head >>> 12) & 15]
    if (rate === undefined || bits === undefined || bits === 0) break
    const size = Math.floor((version.samples / 8) * ((bits * 1000) / rate)) + ((head >>> 9) & 1)
    const channels = ((head >>> 6) & 3) === 3 ? 1 : 2
    const isInformation = /Xing|Info/.test(word(at + 4, 64))
    found ??= { rate, channels, samples: 0 }
    if (!isInformation || found.samples > 0) found.samples += version.samples
    at += size
  }
  return found && { sound: found }
}
