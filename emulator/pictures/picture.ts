// Pictures as recipes: inside the machine they are plain data, and the edge encodes them on request.

import type { Json } from '../lib/json.ts'

/**
 * A picture as plain data. Equal recipes produce equal bytes, everywhere. `width` and `height` are pixels; `id` is a
 * hash of everything that the content depends on.
 */
export type Picture =
  /** A painted scene that is a function of `id`. */
  | {
      readonly kind: 'painted'
      readonly id: number
      readonly width: number
      readonly height: number
    }
  /** An uploaded file, decoded. */
  | {
      readonly kind: 'stored'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly bytes: Uint8Array
    }
  /** One colour, 0xRRGGBB. */
  | {
      readonly kind: 'solid'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly color: number
    }
  /** `of`, with every channel but alpha inverted. */
  | {
      readonly kind: 'inverted'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
    }
  /** `of`, scaled to width and height. */
  | {
      readonly kind: 'scaled'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
    }
  /** The part of `of` that starts at (x, y); outside of it, black. */
  | {
      readonly kind: 'cropped'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
      readonly x: number
      readonly y: number
    }
  /** `over` drawn on `of` with an opacity of 0 to 1. */
  | {
      readonly kind: 'blended'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
      readonly over: Picture
      readonly opacity: number
    }
  /** `of` with the alpha channel of `mask`, which is an uploaded file of the same size. */
  | {
      readonly kind: 'masked'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
      readonly mask: Extract<Picture, { kind: 'stored' }>
    }
  /** The colours of `of` without its alpha, or one of its channels as grey; opaque. */
  | {
      readonly kind: 'channel'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Picture
      readonly channel: Channel
    }

  /** One picture of a batch that a node computes, in 8 bits a channel, as it would be saved. */
  | {
      readonly kind: 'computed'
      readonly id: number
      readonly width: number
      readonly height: number
      readonly of: Output
      /** Its position in the batch. */
      readonly index: number
      /** About how many numbers are computed for it; at least those of the picture. */
      readonly effort: number
    }

/** The call of a node whose results are computed on request: its type, and what it is called with. */
export type Recipe = {
  readonly class_type: string
  /** Set if the node computes as on servers of 2026. */
  readonly later?: true
  readonly id: number
  readonly inputs: Readonly<Record<string, Source>>
  /** The number of calls on the longest way to a source that is not computed. */
  readonly depth: number
  readonly effort: number
}

/** An output of such a call; if that is a list, one item of it. */
export type Output = {
  readonly recipe: Recipe
  readonly slot: number
  readonly item: number | null
}

/** Where a computing node finds an input. */
export type Source =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'output'; readonly of: Output }
  /** Pictures that are painted, decoded, or come from a model. */
  | { readonly kind: 'pictures'; readonly as: PictureType; readonly pictures: readonly Picture[] }
  | { readonly kind: 'list'; readonly items: readonly Source[] }
  | FileSource

/** What a file contains, as an input: nothing if it does not exist, or is a folder. */
export type FileSource = {
  readonly kind: 'file'
  readonly bytes: Uint8Array | null
  readonly path: string
  readonly isFolder: boolean
  /** What it is encoded from on request, in place of bytes. */
  readonly made?: MadeOf
}

/** Pictures that are shown one after the other, and a sound. */
export type MadeOf = {
  readonly pictures: readonly Picture[]
  readonly frameMs?: number
  readonly sound?: Sound
}

/** The types of the values that pictures represent. */
export type PictureType = 'IMAGE' | 'MASK' | 'LATENT'

/** What is extracted from a picture: all colours, or one channel. */
export type Channel = 'rgb' | 'red' | 'green' | 'blue' | 'alpha'

/** A preview: `of` after `step` of `steps`, at most `maxSize` pixels wide and high, and at least so many bytes long. */
export type Preview = {
  readonly of: Picture
  readonly step: number
  readonly steps: number
  readonly maxSize: number
  readonly minBytes?: number
}

export type PictureFormat = 'png' | 'jpeg'

/** The picture of a frame. */
export type FrameImage = { readonly image: Preview | Picture; readonly format: PictureFormat }

/** The maximum side length of a picture in these formats, in pixels. */
export const longestSide = { png: 2 ** 31 - 1, jpeg: 65535, webp: 16383 } as const

/** The formats of videos. */
export type VideoFormat = 'mp4' | 'webm'

/** Whether a file of this format is a video. */
export const isVideo = (format: string): format is VideoFormat =>
  format === 'mp4' || format === 'webm'

/** The frame rate of a video, in frames in 1,000 seconds: what its writers count in. */
export const rateOf = ({ frameMs }: Pick<Animation, 'frameMs'>): number =>
  Math.max(1, Math.round(1_000_000 / frameMs))

/** The formats of sounds. */
export type SoundFormat = 'wav' | 'flac' | 'mp3' | 'opus'

/** A sound as a recipe: so many samples of each channel, `rate` of them a second. */
export type Sound = {
  /** A hash of everything that the content depends on. */
  readonly id: number
  readonly rate: number
  readonly channels: number
  readonly samples: number
  /** The output that it is, if a node computes it, and its position there; otherwise it is a tone of its `id`. */
  readonly of?: Output
  readonly index?: number
}

/** A file of a sound, encoded on request. */
export type SoundFile = {
  readonly sound: Sound
  readonly format: SoundFormat
  /** Texts about its run, where the format has a place for them. */
  readonly text: readonly (readonly [keyword: string, text: string])[]
}

/** The pictures of an animation or a video after the first, how long each is shown, and the sound of a video. */
export type Animation = {
  readonly rest: readonly Picture[]
  readonly frameMs: number
  readonly sound?: Sound
}

/** A file of a picture or of several, encoded on request. */
export type PictureFile = {
  readonly picture: Picture
  readonly format: PictureFormat | 'webp' | VideoFormat
  /** Makes it an animation; a video always is one. */
  readonly animation?: Animation
  /** Texts for a PNG file, an animation or a video. */
  readonly text: readonly (readonly [keyword: string, text: string])[]
  /** Chunks with texts from another PNG file, copied unchanged. */
  readonly textChunks?: Uint8Array
  /** The quality of a JPEG file, 1 to 100; 95 if absent. */
  readonly quality?: number
  /**
   * What is shown: the colours without alpha, the alpha on black, or both with an alpha channel in any case.
   * When absent, both, and the alpha channel only where it is not opaque.
   */
  readonly channels?: 'rgb' | 'a' | 'rgba'
}

/** A file that is encoded on request. */
export type MediaFile = PictureFile | SoundFile
