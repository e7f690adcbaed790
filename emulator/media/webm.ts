// The tracks of WebM and Matroska files: elements of an id, a length and content.

import type { MediaFacts } from './facts.ts'
import { type Reader, readerOf } from './reader.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const TRACK_NUMBER = 0xd7
const FRAME_DURATION = 0x23e383
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const AUDIO = 0xe1
const RATE = 0xb5
const CHANNELS = 0x9f
const CLUSTER = 0x1f43b675
const BLOCK_GROUP = 0xa0
const BLOCK = 0xa1
const SIMPLE_BLOCK = 0xa3

const NANOSECONDS = 1e9

export function probeWebm(bytes: Uint8Array): MediaFacts | undefined {
  const reader = readerOf(bytes)
  if (reader.big(0, 4) !== EBML) return undefined
  const segment = elements(reader, { start: 0, end: bytes.length }).find(({ id }) => id === SEGMENT)
  if (segment === undefined) return undefined
  const parts = elements(reader, segment)
  const info = parts.filter(({ id }) => id === INFO).flatMap((one) => elements(reader, one))
  const scale = wholeOf(reader, info, TIMESTAMP_SCALE) ?? NANOSECONDS / 1000
  const seconds = (floatOf(reader, bytes, info, DURATION) ?? 0) * (scale / NANOSECONDS)
  const tracks = parts
    .filter(({ id }) => id === TRACKS)
    .flatMap((one) => elements(reader, one))
    .filter(({ id }) => id === TRACK)
    .map((one) => elements(reader, one))
  const video = videoOf(reader, tracks, parts, seconds)
  const sound = soundOf(reader, bytes, tracks, seconds)
  return { ...(video && { video }), ...(sound && { sound }) }
}

/** An element: its id, and where its content stands. */
type Element = { readonly id: number; readonly start: number; readonly end: number }

const MOST_ELEMENTS = 1_000_000

/** The elements directly inside. One of unknown length goes on to the end. */
function elements(reader: Reader, { start, end }: Omit<Element, 'id'>): Element[] {
  const found: Element[] = []
  let at = start
  while (at < end && found.length < MOST_ELEMENTS) {
    const idLength = lengthAt(reader, at)
    const sizeAt = at + idLength
    const sizeLength = lengthAt(reader, sizeAt)
    const content = sizeAt + sizeLength
    if (idLength > 4 || sizeLength > 8 || content > end) break
    const marked = reader.big(sizeAt, sizeLength)
    const size = marked - 2 ** (7 * sizeLength)
    const isUnknown = size === 2 ** (7 * sizeLength) - 1
    const next = isUnknown ? end : Math.min(content + size, end)
    found.push({ id: reader.big(at, idLength), start: content, end: next })
    at = next
  }
  return found
}

/** The number of bytes that the first one announces, by its zeros. */
const lengthAt = (reader: Reader, at: number): number => Math.clz32(reader.big(at, 1)) - 23

const childrenOf = (
  reader: Reader,
  parts: readonly Element[],
  wanted: number,
): readonly Element[] => {
  const one = parts.find(({ id }) => id === wanted)
  return one === undefined ? [] : elements(reader, one)
}

function wholeOf(reader: Reader, parts: readonly Element[], wanted: number): number | undefined {
  const one = parts.find(({ id }) => id === wanted)
  return one && reader.big(one.start, Math.min(8, one.end - one.start))
}

function floatOf(
  reader: Reader,
  bytes: Uint8Array,
  parts: readonly Element[],
  wanted: number,
): number | undefined {
  const one = parts.find(({ id }) => id === wanted)
  if (one === undefined || one.end > reader.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + one.start, one.end - one.start)
  if (view.byteLength === 8) return view.getFloat64(0)
  return view.byteLength === 4 ? view.getFloat32(0) : undefined
}

function videoOf(
  reader: Reader,
  tracks: readonly (readonly Element[])[],
  parts: readonly Element[],
  seconds: number,
): MediaFacts['video'] {
  const track = tracks.find((one) => one.some(({ id }) => id === VIDEO))
  if (track === undefined) return undefined
  const size = childrenOf(reader, track, VIDEO)
  const frames = blocksOf(reader, parts, wholeOf(reader, track, TRACK_NUMBER) ?? 1)
  const frameDuration = wholeOf(reader, track, FRAME_DURATION)
  return {
    width: wholeOf(reader, size, WIDTH) ?? 0,
    height: wholeOf(reader, size, HEIGHT) ?? 0,
    frames,
    fps: frameDuration === undefined ? frames / seconds : NANOSECONDS / frameDuration,
  }
}

/** How many blocks of a track there are. */
function blocksOf(reader: Reader, parts: readonly Element[], track: number): number {
  const blocks = parts
    .filter(({ id }) => id === CLUSTER)
    .flatMap((one) => elements(reader, one))
    .flatMap((one) => (one.id === BLOCK_GROUP ? elements(reader, one) : one))
    .filter(({ id }) => id === BLOCK || id === SIMPLE_BLOCK)
  // The number of the track stands at the start of a block, in one byte if it is small.
  return blocks.filter(({ start }) => (reader.big(start, 1) & 0x7f) === track).length
}

function soundOf(
  reader: Reader,
  bytes: Uint8Array,
  tracks: readonly (readonly Element[])[],
  seconds: number,
): MediaFacts['sound'] {
  const track = tracks.find((one) => one.some(({ id }) => id === AUDIO))
  if (track === undefined) return undefined
  const settings = childrenOf(reader, track, AUDIO)
  const rate = Math.round(floatOf(reader, bytes, settings, RATE) ?? 8000)
  const channels = wholeOf(reader, settings, CHANNELS) ?? 1
  return { rate, channels, samples: Math.round(seconds * rate) }
}
