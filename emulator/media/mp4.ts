// The tracks of MP4 and MOV files (ISO base media): boxes of a length, a name and content.

import type { MediaFacts, SoundFacts, VideoFacts } from './facts.ts'
import { type Reader, readerOf } from './reader.ts'

export function probeMp4(bytes: Uint8Array): MediaFacts | undefined {
  const reader = readerOf(bytes)
  if (reader.word(4, 4) !== 'ftyp') return undefined
  const movie = find(reader, { start: 0, end: bytes.length }, 'moov')
  if (movie === undefined) return undefined
  const media = boxes(reader, movie, 'trak').flatMap((track) => find(reader, track, 'mdia') ?? [])
  const video = media.flatMap((one) => videoOf(reader, one) ?? [])[0]
  const sound = media.flatMap((one) => soundOf(reader, one) ?? [])[0]
  return { ...(video && { video }), ...(sound && { sound }) }
}

/** The content of a box. */
type Span = { readonly start: number; readonly end: number }

const HEAD = 8
const MOST_BOXES = 10_000

/** The boxes of this name directly inside. */
function boxes(reader: Reader, { start, end }: Span, name: string): Span[] {
  const found: Span[] = []
  let at = start
  for (let count = 0; at + HEAD <= end && count < MOST_BOXES; count++) {
    const length = reader.big(at, 4)
    // A length of 1 has eight bytes after the name; 0 goes on to the end.
    const isLong = length === 1
    const size = isLong ? reader.big(at + HEAD, 8) : length === 0 ? end - at : length
    const head = isLong ? 2 * HEAD : HEAD
    if (size < head || at + size > end) break
    if (reader.word(at + 4, 4) === name) found.push({ start: at + head, end: at + size })
    at += size
  }
  return found
}

const find = (reader: Reader, span: Span, ...path: readonly string[]): Span | undefined =>
  path.reduce<Span | undefined>((inside, name) => inside && boxes(reader, inside, name)[0], span)

/** Units of time in a second, and the length of the track in them. */
function timesOf(reader: Reader, media: Span): { scale: number; time: number } | undefined {
  const header = find(reader, media, 'mdhd')
  if (header === undefined) return undefined
  const isLong = reader.big(header.start, 1) === 1
  const at = header.start + (isLong ? 20 : 12)
  return { scale: reader.big(at, 4), time: reader.big(at + 4, isLong ? 8 : 4) }
}

/** The first description of samples in a track of this kind: the content of its box. */
function entryOf(reader: Reader, media: Span, kind: string): Span | undefined {
  const handler = find(reader, media, 'hdlr')
  if (handler === undefined || reader.word(handler.start + 8, 4) !== kind) return undefined
  const descriptions = find(reader, media, 'minf', 'stbl', 'stsd')
  const start = descriptions && descriptions.start + HEAD
  return descriptions && start !== undefined && start + HEAD <= descriptions.end
    ? { start: start + HEAD, end: descriptions.end }
    : undefined
}

function videoOf(reader: Reader, media: Span): VideoFacts | undefined {
  const entry = entryOf(reader, media, 'vide')
  const sizes = find(reader, media, 'minf', 'stbl', 'stsz')
  const times = timesOf(reader, media)
  if (entry === undefined || sizes === undefined || times === undefined) return undefined
  const frames = reader.big(sizes.start + 8, 4)
  return {
    width: reader.big(entry.start + 24, 2),
    height: reader.big(entry.start + 26, 2),
    frames,
    fps: (frames * times.scale) / times.time,
  }
}

function soundOf(reader: Reader, media: Span): SoundFacts | undefined {
  const entry = entryOf(reader, media, 'soun')
  const times = timesOf(reader, media)
  if (entry === undefined || times === undefined) return undefined
  const rate = reader.big(entry.start + 24, 2)
  const samples = Math.round((times.time * rate) / times.scale)
  return { rate, channels: reader.big(entry.start + 16, 2), samples }
}
