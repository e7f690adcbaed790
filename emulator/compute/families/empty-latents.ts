// Empty latents: zeros in the shape that a model needs, from the size of the picture, video or sound.

import type { Family, Inputs } from '../values/inputs.ts'
import { filled } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { type Value } from '../values/values.ts'

/** A latent of zeros, with further members. */
function zeros(
  shape: readonly number[],
  others: Readonly<Record<string, Value>> = {},
): readonly Value[] {
  if (shape.some((side) => side < 0))
    raise('RuntimeError', 'zeros: Dimension size must be non-negative.')
  return [new Map<string, Value>([['samples', filled(shape, 0)], ...Object.entries(others)])]
}

/** A latent whose sides are those of the picture, divided. */
export const picture =
  (channels: number, unit: number) =>
  ({ number }: Inputs): readonly Value[] =>
    zeros([
      number('batch_size', 1),
      channels,
      Math.floor(number('height') / unit),
      Math.floor(number('width') / unit),
    ])

/** A latent of a video: one frame, and one more for each so many. */
const video =
  (channels: number, unit: number, frames: number) =>
  ({ number }: Inputs): readonly Value[] =>
    zeros([
      number('batch_size', 1),
      channels,
      Math.floor((number('length') - 1) / frames) + 1,
      Math.floor(number('height') / unit),
      Math.floor(number('width') / unit),
    ])

const half = (value: number): number => {
  const rounded = Math.round(value)
  return value % 1 === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

export const emptyLatents: Family = {
  EmptyLatentImage: picture(4, 8),
  EmptySD3LatentImage: picture(16, 8),
  EmptyHunyuanImageLatent: picture(64, 32),
  EmptyChromaRadianceLatentImage: picture(3, 1),
  EmptyMochiLatentVideo: video(12, 8, 6),
  EmptyLTXVLatentVideo: video(128, 32, 8),
  EmptyHunyuanLatentVideo: video(16, 8, 4),
  EmptyCosmosLatentVideo: video(16, 8, 8),
  EmptyLatentAudio: ({ number }) => {
    const length = half((number('seconds') * 44100) / 2 / 2048) * 2
    return zeros([number('batch_size', 1), 64, length], { type: 'audio' })
  },
  EmptyAceStepLatentAudio: ({ number }) => {
    const length = Math.trunc((number('seconds') * 44100) / 512 / 8)
    return zeros([number('batch_size', 1), 8, 16, length], { type: 'audio' })
  },
  EmptyLatentHunyuan3Dv2: ({ number }) =>
    zeros([number('batch_size', 1), 64, number('resolution')], { type: 'hunyuan3dv2' }),
  StableCascade_EmptyLatentImage: ({ number }) => {
    const [width, height, batch] = [number('width'), number('height'), number('batch_size', 1)]
    const side = (length: number): number => Math.floor(length / number('compression'))
    const [stageC] = zeros([batch, 16, side(height), side(width)])
    const [stageB] = zeros([batch, 4, Math.floor(height / 4), Math.floor(width / 4)])
    return [stageC as Value, stageB as Value]
  },
}
