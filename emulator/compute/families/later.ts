// Node types that compute their outputs differently on servers of 2026 [nodes/*]; all others compute as before.

import type { Compute, Family } from '../values/inputs.ts'
import { divideFloat } from '../arithmetic/scaling.ts'
import { concatenate } from '../values/layout.ts'
import { filled, Tensor } from '../values/tensor.ts'
import type { Value } from '../values/values.ts'
import {
  type EqualChannels,
  blend,
  joinAlpha,
  joinBatches,
  joinTwo,
  withEqualChannels,
} from './blends.ts'
import { compositeMasked } from './composites.ts'
import { emptyLatents, picture } from './empty-latents.ts'
import { feathered } from './masks.ts'
import { scaleToPixels } from './scales.ts'

/** The same latent, which also says how many pixels a latent pixel stands for [nodes/latent-scale]. */
const scaled =
  (class_type: string, ratio: number, name = 'downscale_ratio_spacial'): Compute =>
  (inputs) => {
    const compute = emptyLatents[class_type] as Compute
    const [latent] = compute(inputs) as readonly [Map<string, Value>]
    return [latent.set(name, ratio)]
  }

/** A picture with an opaque alpha. */
const opaque = (image: Tensor): Tensor =>
  concatenate([image, filled([...image.shape.slice(0, -1), 1], 1)], image.shape.length - 1)

/** A picture above another one gets an alpha, or loses it, as the one below has it [nodes/alpha-added]. */
const withAlphaOfBelow: EqualChannels = (below, above) =>
  below.shape.at(-1) === 4 && above.shape.at(-1) === 3
    ? [below, opaque(above)]
    : withEqualChannels(below, above)

/** Two pictures of a batch both have an alpha if one of them has. */
const withAlphaOfEither: EqualChannels = (first, second) =>
  first.shape.at(-1) === 3 && second.shape.at(-1) === 4
    ? [opaque(first), second]
    : withAlphaOfBelow(first, second)

/** Numbered pictures as one batch, each in the size of the first. */
const batchImages: Compute = (inputs) => {
  const names = Array.from({ length: 50 }, (_, at) => `images.image${at}`).filter(inputs.has)
  return [
    names
      .map((name) => inputs.tensor(name, '.shape'))
      .reduce((all, one) => joinTwo(withAlphaOfEither, all, one)),
  ]
}

/** Numbers in a text, in their order. */
const manualSigmas: Compute = ({ text }) => {
  const values = Float32Array.from(text('sigmas').match(NUMBER) ?? [], Number)
  return [new Tensor([values.length], () => values)]
}

const NUMBER = /[-+]?(?:\d*\.\d+|\d+)/g

export const later: Family = {
  BatchImagesNode: batchImages,
  EmptyHunyuanLatentVideo: scaled('EmptyHunyuanLatentVideo', 8),
  EmptyLTXVLatentVideo: scaled('EmptyLTXVLatentVideo', 32),
  EmptyLatentAudio: scaled('EmptyLatentAudio', 2048, 'downscale_ratio_temporal'),
  EmptyLatentImage: scaled('EmptyLatentImage', 8),
  EmptySD3LatentImage: scaled('EmptySD3LatentImage', 8),
  EmptyFlux2LatentImage: picture(128, 16),
  // [nodes/feathered-edges]
  FeatherMask: feathered((at, side) => side - 1 - at),
  ImageBatch: joinBatches(withAlphaOfEither),
  ImageBlend: blend(withAlphaOfBelow),
  ImageCompositeMasked: compositeMasked(withAlphaOfBelow),
  JoinImageWithAlpha: joinAlpha(Math.max),
  ManualSigmas: manualSigmas,
  ImageScaleToTotalPixels: (inputs) =>
    scaleToPixels(inputs, inputs.number('resolution_steps', 1), divideFloat),
}
