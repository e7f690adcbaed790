// What the headers of a file of video or sound say.

/** `frames` pictures of one size, `fps` of them a second. */
export type VideoFacts = {
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly fps: number
}

/** `samples` of each channel, `rate` of them a second. */
export type SoundFacts = {
  readonly rate: number
  readonly channels: number
  readonly samples: number
}

export type MediaFacts = { readonly video?: VideoFacts; readonly sound?: SoundFacts }
