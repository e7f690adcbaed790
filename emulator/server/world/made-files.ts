// Files that the emulator makes where nothing says what they contain: a picture, a video, a tone, or for other formats a
// small valid sample, which was generated for this project and is the same for every run.

import { hash53 } from '../../lib/random.ts'
import { madeOf, type SampleFormat } from '../../../spec/scenario/samples.ts'
import type { Picture, Sound, VideoFormat } from '../../pictures/picture.ts'
import type { FileContent } from '../state/files.ts'

type Size = { readonly width: number; readonly height: number }

/** Frames of a video that nothing says more about. */
const FRAMES = 48
const FRAME_MS = 1000 / 24

/** A video of that length in which each frame is another scene. */
export function paintedVideo(id: number, size: Size, format: VideoFormat): FileContent {
  const [picture, ...rest] = Array.from({ length: FRAMES }, (_, frame): Picture => ({
    kind: 'painted',
    id: hash53(`${id} frame ${frame}`),
    ...size,
  })) as [Picture, ...Picture[]]
  return { picture, format, animation: { rest, frameMs: FRAME_MS } }
}

const RATE = 44_100

/** A second of a tone, in two channels. */
export const tone = (id: number): Sound => ({ id, rate: RATE, channels: 2, samples: RATE })

/** A file with this ending, where `id` determines what it contains; undefined for one that is not made. */
export function madeContent(ending: string, id: number, size: Size): FileContent | undefined {
  const made = madeOf(ending)
  switch (made?.kind) {
    case 'picture':
      return { picture: { kind: 'painted', id, ...size }, format: made.format }
    case 'video':
      return paintedVideo(id, size, made.format)
    case 'sound':
      return { sound: tone(id), format: made.format }
    case 'sample':
      return { sample: made.format }
    case undefined:
      return undefined
  }
}

/** Base64 text of each sample, broken into lines. */
const texts: Readonly<Record<SampleFormat, string>> = {
  gif: `
    R0lGODlhEAAQAJEAACJEZv/MMwAAAP///yH/C05FVFNDQVBFMi4wAwEAAAAh+QQEMgAAACwAAAAAEAAQAAACFoSPqcvtD1GY
    1NHa7rSaX49F4kiWTwEAIfkEBDIAAAAsAAAAABAAEAAAAhaEj6nL7Q9dmFTSaW+u7eLuReJIlksBADs=
  `,
  glb: `
    Z2xURgIAAACQAQAAUAEAAEpTT057ImFzc2V0Ijp7InZlcnNpb24iOiIyLjAifSwic2NlbmUiOjAsInNjZW5lcyI6W3sibm9k
    ZXMiOlswXX1dLCJub2RlcyI6W3sibWVzaCI6MH1dLCJtZXNoZXMiOlt7InByaW1pdGl2ZXMiOlt7ImF0dHJpYnV0ZXMiOnsi
    UE9TSVRJT04iOjB9fV19XSwiYWNjZXNzb3JzIjpbeyJidWZmZXJWaWV3IjowLCJjb21wb25lbnRUeXBlIjo1MTI2LCJjb3Vu
    dCI6MywidHlwZSI6IlZFQzMiLCJtaW4iOlswLDAsMF0sIm1heCI6WzEsMSwwXX1dLCJidWZmZXJWaWV3cyI6W3siYnVmZmVy
    IjowLCJieXRlTGVuZ3RoIjozNiwidGFyZ2V0IjozNDk2Mn1dLCJidWZmZXJzIjpbeyJieXRlTGVuZ3RoIjozNn1dfSAkAAAA
    QklOAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA==
  `,
  latent: `
    mAAAAAAAAAB7ImxhdGVudF9mb3JtYXRfdmVyc2lvbl8wIjp7ImR0eXBlIjoiRjMyIiwic2hhcGUiOlswXSwiZGF0YV9vZmZz
    ZXRzIjpbMCwwXX0sImxhdGVudF90ZW5zb3IiOnsiZHR5cGUiOiJGMzIiLCJzaGFwZSI6WzEsNCwyLDJdLCJkYXRhX29mZnNl
    dHMiOlswLDY0XX19ICAgIAAAgL8AAGC/AABAvwAAIL8AAAC/AADAvgAAgL4AAAC+AAAAAAAAAD4AAIA+AADAPgAAAD8AACA/
    AABAPwAAYD8=
  `,
  svg: `
    PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSI2NCIgaGVpZ2h0PSI2NCIgdmlld0JveD0i
    MCAwIDY0IDY0Ij48cmVjdCB3aWR0aD0iNjQiIGhlaWdodD0iNjQiIGZpbGw9IiMyNDYiLz48Y2lyY2xlIGN4PSIzMiIgY3k9
    IjMyIiByPSIyMCIgZmlsbD0iI2ZjMyIvPjwvc3ZnPgo=
  `,
  txt: `
    QSBzYW1wbGUgdGV4dC4K
  `,
}

const decoded = new Map<SampleFormat, Uint8Array>()

/** The bytes of the sample file of a format, decoded on first use; shared, so read only. */
export function sampleBytes(format: SampleFormat): Uint8Array {
  const known = decoded.get(format)
  if (known !== undefined) return known
  const binary = atob(texts[format].replace(/\s+/g, ''))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  decoded.set(format, bytes)
  return bytes
}
