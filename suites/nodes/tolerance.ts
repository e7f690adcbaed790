// Which results are exact, which may be near, which are made up, and which do not hold.

import { createHash } from 'node:crypto'
import type { Line, RecordedMap } from './lines.ts'

/** How far a colour may be off, of 255: resampling differs from machine to machine. */
export const NEAR = 2
/** Types whose arithmetic is exact: the others may be near. */
export const isNear = (class_type: string, inputs: RecordedMap): boolean =>
  /Scale|Upscale|Resize|Blur|Sharpen|Quantize|Canny|Stitch|Rotate|Batch|CompositeMasked|Preprocess|ApplyOperation|Interpolate|YUV/.test(
    class_type,
  )
    ? inputs['upscale_method'] !== 'nearest-exact'
    : /Blend|Porter|JoinImage|LatentAdd|LatentSubtract|LatentComposite/.test(class_type) &&
      areOfTwoSizes(inputs)

/** Whether pictures of different sizes meet, one of which is scaled. */
const areOfTwoSizes = (inputs: RecordedMap): boolean =>
  new Set(
    JSON.stringify(inputs)
      .match(/"w(?:idth)?":\d+,"h(?:eight)?":\d+|"shape":\[[\d,]+(?=,\d+,\d+\])[\d,]+/g)
      ?.map((size) => size.replaceAll(/[^\d,]/g, '')),
  ).size > 1

/** What PROTOCOL.md leaves made up: noise, codecs, and what only a model can use. */
export const isMadeUp = ({ class_type, inputs }: Line): boolean =>
  /^(ImageAddNoise|LTXVPreprocess|WanCameraEmbedding|LossGraphNode)$/.test(class_type) ||
  (class_type === 'SaveAnimatedWEBP' && inputs['lossless'] === false)

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** Numbers of lines with outputs, with an exception, and refused, that differ. */
type Exception = {
  readonly outputs?: number
  readonly errors?: number
  readonly refusals?: number
  readonly reason: string
}

/** The recorded lines that do not hold, by type: how many, and why. */
export const exceptions: Readonly<Record<string, Exception>> = {
  Load3D: { outputs: 1, reason: 'videos are not decoded' },
  Load3DAnimation: { outputs: 1, reason: 'as Load3D' },
  LoadImageSetFromFolderNode: {
    outputs: 3,
    reason: 'the order of a folder: of its file system there, of the uploads here',
  },
  SaveAnimatedWEBP: {
    outputs: 1,
    reason: 'the encoder chooses colours under transparent pixels by what compresses best',
  },
}
