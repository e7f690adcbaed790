// Latents in another size: the checks that torch makes of their sides, and the scaling.

import { centre, scalePlanes, sizesText } from './scaling.ts'
import type { Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'

/** The exception for a latent whose number of sides does not fit that of a new size. */
export const spatialText = (shape: readonly number[], size: readonly number[]): string =>
  `Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [${shape.join(', ')}] and output size of (${size.join(', ')}). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.`

/** Latents, whose last two sides are rows and columns, in another size. */
export function scaleLatent(
  samples: Tensor,
  width: number,
  height: number,
  method: string,
  crop = 'disabled',
): Tensor {
  const { shape } = samples
  const [rows = 0, columns = 0] = shape.slice(-2)
  const isCut = crop === 'center'
  const { top, left } = isCut ? centre([rows, columns], [height, width]) : { top: 0, left: 0 }
  const part = [rows - top * 2, columns - left * 2] as const
  if (shape.length < 4 && method === 'bislerp')
    raise('ValueError', `not enough values to unpack (expected 4, got ${shape.length})`)
  if (shape.length < 4)
    raise('ValueError', spatialText([...shape.slice(0, -2), ...part].slice(2), [height, width]))
  if (method === 'bislerp' && part.includes(0))
    raise(
      'RuntimeError',
      part[1] === 0 ? sizesText([1, 0], [1, width]) : sizesText([1, 0], [1, height]),
    )
  if (part.includes(0) && method !== 'area') raise('RuntimeError', sizesText(part, [height, width]))
  return scalePlanes(samples, width, height, method, crop)
}
