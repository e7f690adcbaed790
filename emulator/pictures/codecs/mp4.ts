// Writes MP4 files: H.264 pictures, with a track of silence if the video has sound, and texts as metadata.

import { big, concat, latin1, utf8 } from '../../lib/bytes.ts'
import type { H264Settings } from './h264.ts'
import type { TextChunks } from './png.ts'

/** A video: frames of H.264, each with the position of the key frames among them. */
export type Mp4Video = {
  readonly width: number
  readonly height: number
  /** Frames in 1,000 seconds. */
  readonly rate: number
  readonly settings: H264Settings
  readonly frames: readonly Uint8Array[]
  readonly isKey: (frame: number) => boolean
  /** The length of its sound; 0 without sound. */
  readonly soundSeconds: number
}

/** A file that players can show before they have all of it: what it contains stands before the frames. */
export const encodeMp4 = (video: Mp4Video, texts: TextChunks): Uint8Array => {
  const frames = video.frames.map((frame) => concat([numbers(frame.length), frame]))
  const silence = Array.from({ length: silentFrames(video) }, () => SILENT_FRAME)
  const kind = box('ftyp', latin1('isom'), numbers(512), latin1('isomiso2avc1mp41'))
  const movieAt = (at: number): Uint8Array => movie(video, frames, at, texts)
  // How long the description is does not depend on where the frames start.
  const start = kind.length + movieAt(0).length + BOX_HEAD
  return concat([kind, movieAt(start), box('mdat', ...frames, ...silence)])
}

const BOX_HEAD = 8

const numbers = (...values: readonly number[]): Uint8Array =>
  concat(values.map((value) => big(value, 4)))
const words = (...values: readonly number[]): Uint8Array =>
  concat(values.map((value) => big(value, 2)))

const box = (name: string, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = concat(parts)
  return concat([numbers(content.length + BOX_HEAD), latin1(name), content])
}

/** A box with a version of 0, and flags. */
const fullBox = (name: string, flags: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  box(name, numbers(flags), ...parts)

/** In a movie, times are in milliseconds; in the track of the frames, in parts of 1/rate thousandths of a second. */
const MOVIE_SCALE = 1000
const FRAME_TIME = 1000
const SOUND_RATE = 44_100
/** Samples a frame of sound. */
const SOUND_FRAME = 1024
/** A frame of AAC in which both channels are silent. */
const SILENT_FRAME = Uint8Array.of(0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c)

const silentFrames = ({ soundSeconds }: Mp4Video): number =>
  Math.ceil((soundSeconds * SOUND_RATE) / SOUND_FRAME)

/** An identity matrix of nine numbers. */
const MATRIX = numbers(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

function movie(
  video: Mp4Video,
  frames: readonly Uint8Array[],
  start: number,
  texts: TextChunks,
): Uint8Array {
  const { rate } = video
  const videoTime = frames.length * FRAME_TIME
  const videoMs = Math.round((videoTime * MOVIE_SCALE) / rate)
  const soundTime = silentFrames(video) * SOUND_FRAME
  const soundMs = Math.round((soundTime * MOVIE_SCALE) / SOUND_RATE)
  const framesEnd = frames.reduce((sum, { length }) => sum + length, start)
  const tracks = [
    track(1, videoMs, [video.width, video.height], {
      scale: rate,
      time: videoTime,
      handler: 'vide',
      header: fullBox('vmhd', 1, words(0, 0, 0, 0)),
      entry: pictureEntry(video),
      sampleTime: FRAME_TIME,
      sizes: frames.map(({ length }) => length),
      keys: frames.flatMap((_, at) => (video.isKey(at) ? [at + 1] : [])),
      start,
    }),
  ]
  if (soundTime > 0)
    tracks.push(
      track(2, soundMs, [0, 0], {
        scale: SOUND_RATE,
        time: soundTime,
        handler: 'soun',
        header: fullBox('smhd', 0, words(0, 0)),
        entry: soundEntry(),
        sampleTime: SOUND_FRAME,
        sizes: Array.from({ length: silentFrames(video) }, () => SILENT_FRAME.length),
        keys: [],
        start: framesEnd,
      }),
    )
  const header = fullBox(
    'mvhd',
    0,
    numbers(0, 0, MOVIE_SCALE, Math.max(videoMs, soundMs), 0x10000),
    words(0x100),
    new Uint8Array(10),
    MATRIX,
    new Uint8Array(24),
    numbers(tracks.length + 1),
  )
  return box('moov', header, ...tracks, ...metadata(texts))
}

type Media = {
  readonly scale: number
  readonly time: number
  readonly handler: 'vide' | 'soun'
  readonly header: Uint8Array
  readonly entry: Uint8Array
  /** How long each sample lasts. */
  readonly sampleTime: number
  readonly sizes: readonly number[]
  /** The numbers of the key frames, from 1; empty where every sample is one. */
  readonly keys: readonly number[]
  /** Where the samples start in the file. */
  readonly start: number
}

function track(
  id: number,
  lengthMs: number,
  [width, height]: readonly [number, number],
  media: Media,
): Uint8Array {
  const isSound = media.handler === 'soun'
  const header = fullBox(
    'tkhd',
    3,
    numbers(0, 0, id, 0, lengthMs, 0, 0),
    words(0, isSound ? 1 : 0, isSound ? 0x100 : 0, 0),
    MATRIX,
    numbers(width * 0x10000, height * 0x10000),
  )
  const mediaHeader = fullBox('mdhd', 0, numbers(0, 0, media.scale, media.time), words(0x55c4, 0))
  const handler = fullBox('hdlr', 0, numbers(0), latin1(media.handler), new Uint8Array(13))
  const place = box('dinf', fullBox('dref', 0, numbers(1), fullBox('url ', 1)))
  const information = box('minf', media.header, place, sampleTable(media))
  return box('trak', header, box('mdia', mediaHeader, handler, information))
}

/** All samples of a track in one piece. */
function sampleTable({ entry, sampleTime, sizes, keys, start }: Media): Uint8Array {
  return box(
    'stbl',
    fullBox('stsd', 0, numbers(1), entry),
    fullBox('stts', 0, numbers(1, sizes.length, sampleTime)),
    ...(keys.length > 0 ? [fullBox('stss', 0, numbers(keys.length, ...keys))] : []),
    fullBox('stsc', 0, numbers(1, 1, sizes.length, 1)),
    fullBox('stsz', 0, numbers(0, sizes.length, ...sizes)),
    fullBox('stco', 0, numbers(1, start)),
  )
}

function pictureEntry({ width, height, settings }: Mp4Video): Uint8Array {
  const { sequence, picture } = settings
  const configuration = box(
    'avcC',
    Uint8Array.of(1),
    sequence.subarray(1, 4),
    Uint8Array.of(0xff, 0xe1),
    words(sequence.length),
    sequence,
    Uint8Array.of(1),
    words(picture.length),
    picture,
  )
  return box(
    'avc1',
    new Uint8Array(6),
    words(1),
    new Uint8Array(16),
    words(width, height),
    numbers(0x480000, 0x480000, 0),
    words(1),
    new Uint8Array(32),
    words(0x18, 0xffff),
    configuration,
  )
}

/** Stereo AAC: sizes of descriptors stand before their content. */
function soundEntry(): Uint8Array {
  const specific = Uint8Array.of(5, 2, 0x12, 0x10)
  const decoder = concat([Uint8Array.of(4, 17, 0x40, 0x15), new Uint8Array(11), specific])
  const stream = concat([Uint8Array.of(3, 25, 0, 0, 0), decoder, Uint8Array.of(6, 1, 2)])
  return box(
    'mp4a',
    new Uint8Array(6),
    words(1),
    new Uint8Array(8),
    words(2, 16, 0, 0),
    numbers(SOUND_RATE * 0x10000),
    fullBox('esds', 0, stream),
  )
}

/** The type of a text in UTF-8. */
const TEXT = 1

/** Texts under names that their writer chooses, as front ends look for them. */
function metadata(texts: TextChunks): Uint8Array[] {
  if (texts.length === 0) return []
  const handler = fullBox('hdlr', 0, numbers(0), latin1('mdta'), new Uint8Array(13))
  const names = texts.map(([name]) => box('mdta', utf8(name)))
  const items = texts.map(([, text], at) => {
    const data = box('data', numbers(TEXT, 0), utf8(text))
    return concat([numbers(data.length + BOX_HEAD, at + 1), data])
  })
  const keys = fullBox('keys', 0, numbers(names.length), ...names)
  return [box('udta', box('meta', numbers(0), handler, keys, box('ilst', ...items)))]
}
