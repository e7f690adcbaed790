// Writes WebM files: VP8 pictures, with an index for players that seek, and texts as tags.

import { big, concat, utf8 } from '../../lib/bytes.ts'
import type { TextChunks } from './png.ts'

/** A video: frames of VP8, each a key frame. */
export type WebmVideo = {
  readonly width: number
  readonly height: number
  /** Frames in 1,000 seconds. */
  readonly rate: number
  readonly frames: readonly Uint8Array[]
}

/** Elements by their names, as the format numbers them. */
const ids = {
  EBML: 0x1a45dfa3,
  EBMLVersion: 0x4286,
  EBMLReadVersion: 0x42f7,
  EBMLMaxIDLength: 0x42f2,
  EBMLMaxSizeLength: 0x42f3,
  DocType: 0x4282,
  DocTypeVersion: 0x4287,
  DocTypeReadVersion: 0x4285,
  Segment: 0x18538067,
  Info: 0x1549a966,
  TimestampScale: 0x2ad7b1,
  Duration: 0x4489,
  MuxingApp: 0x4d80,
  WritingApp: 0x5741,
  Tracks: 0x1654ae6b,
  TrackEntry: 0xae,
  TrackNumber: 0xd7,
  TrackUID: 0x73c5,
  TrackType: 0x83,
  CodecID: 0x86,
  DefaultDuration: 0x23e383,
  Video: 0xe0,
  PixelWidth: 0xb0,
  PixelHeight: 0xba,
  Cues: 0x1c53bb6b,
  CuePoint: 0xbb,
  CueTime: 0xb3,
  CueTrackPositions: 0xb7,
  CueTrack: 0xf7,
  CueClusterPosition: 0xf1,
  Tags: 0x1254c367,
  Tag: 0x7373,
  Targets: 0x63c0,
  SimpleTag: 0x67c8,
  TagName: 0x45a3,
  TagString: 0x4487,
  Cluster: 0x1f43b675,
  Timestamp: 0xe7,
  SimpleBlock: 0xa3,
} as const

type Content = number | string | Uint8Array | readonly Uint8Array[]

/** An element: its id, its length and its content. Numbers have four bytes, so that their length never depends on them. */
function element(name: keyof typeof ids, content: Content): Uint8Array {
  const bytes = bytesOf(content)
  const id = ids[name]
  const idLength = Math.ceil((32 - Math.clz32(id)) / 8)
  // The first bit of eight says that the length has four bytes.
  return concat([big(id, idLength), big(0x10000000 + bytes.length, 4), bytes])
}

function bytesOf(content: Content): Uint8Array {
  if (content instanceof Uint8Array) return content
  if (typeof content === 'number') return big(content, 4)
  return typeof content === 'string' ? utf8(content) : concat(content)
}

const NANOSECONDS = 1_000_000
const MILLISECONDS = 1000
const VIDEO = 1
const IS_KEY = 0x80

/** A file that players can show and seek in before they have all of it. */
export const encodeWebm = (video: WebmVideo, texts: TextChunks): Uint8Array => {
  const head = element('EBML', [
    element('EBMLVersion', 1),
    element('EBMLReadVersion', 1),
    element('EBMLMaxIDLength', 4),
    element('EBMLMaxSizeLength', 8),
    element('DocType', 'webm'),
    element('DocTypeVersion', 4),
    element('DocTypeReadVersion', 2),
  ])
  const clusters = clustersOf(video)
  const before = [information(video), tracks(video), ...tags(texts)]
  const lengthOf = (parts: readonly Uint8Array[]): number =>
    parts.reduce((sum, { length }) => sum + length, 0)
  const cuesAt = (start: number): Uint8Array => element('Cues', cuePoints(clusters, start))
  // How long the index is does not depend on where the clusters start.
  const start = lengthOf(before) + cuesAt(0).length
  const segment = [...before, cuesAt(start), ...clusters.map(({ bytes }) => bytes)]
  return concat([head, element('Segment', segment)])
}

/** When a frame is shown, in milliseconds. */
const timeOf = (frame: number, rate: number): number =>
  Math.round((frame * MILLISECONDS * 1000) / rate)

function information({ frames, rate }: WebmVideo): Uint8Array {
  const duration = new DataView(new ArrayBuffer(8))
  duration.setFloat64(0, (frames.length * MILLISECONDS * 1000) / rate)
  return element('Info', [
    element('TimestampScale', NANOSECONDS),
    element('Duration', new Uint8Array(duration.buffer)),
    element('MuxingApp', 'flowdouble'),
    element('WritingApp', 'flowdouble'),
  ])
}

function tracks({ width, height, rate }: WebmVideo): Uint8Array {
  const size = element('Video', [element('PixelWidth', width), element('PixelHeight', height)])
  const track = [
    element('TrackNumber', 1),
    element('TrackUID', 1),
    element('TrackType', VIDEO),
    element('CodecID', 'V_VP8'),
    element('DefaultDuration', big(Math.round((NANOSECONDS * MILLISECONDS * 1000) / rate), 8)),
    size,
  ]
  return element('Tracks', element('TrackEntry', track))
}

function tags(texts: TextChunks): Uint8Array[] {
  if (texts.length === 0) return []
  const simple = texts.map(([name, text]) =>
    // Names are in capitals in this format, and readers compare them without regard to case.
    element('SimpleTag', [element('TagName', name.toUpperCase()), element('TagString', text)]),
  )
  return [element('Tags', element('Tag', [element('Targets', []), ...simple]))]
}

type Cluster = { readonly timeMs: number; readonly bytes: Uint8Array }

/** The frames of each second. */
function clustersOf({ frames, rate }: WebmVideo): Cluster[] {
  const seconds = new Map<number, number[]>()
  for (const at of frames.keys()) {
    const second = Math.floor(timeOf(at, rate) / MILLISECONDS)
    seconds.set(second, [...(seconds.get(second) ?? []), at])
  }
  return [...seconds.values()].map((numbers) => {
    const timeMs = timeOf(numbers[0]!, rate)
    const blocks = numbers.map((at) =>
      element('SimpleBlock', [
        Uint8Array.of(0x81),
        big(timeOf(at, rate) - timeMs, 2),
        Uint8Array.of(IS_KEY),
        frames[at]!,
      ]),
    )
    return { timeMs, bytes: element('Cluster', [element('Timestamp', timeMs), ...blocks]) }
  })
}

function cuePoints(clusters: readonly Cluster[], start: number): Uint8Array[] {
  let position = start
  return clusters.map(({ timeMs, bytes }) => {
    const at = element('CueTrackPositions', [
      element('CueTrack', 1),
      element('CueClusterPosition', position),
    ])
    position += bytes.length
    return element('CuePoint', [element('CueTime', timeMs), at])
  })
}
