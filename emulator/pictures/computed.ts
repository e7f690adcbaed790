// Pixels of pictures that nodes compute.

import {
  createRead,
  Instance,
  isMap,
  itemPixels,
  Tensor,
  TooMuch,
  type Value,
  valueOfOutput,
} from '../compute/index.ts'
import { Raised } from '../lib/raised.ts'
import type { Picture } from './picture.ts'
import type { Budget, Pixels } from './pixels.ts'

type ComputedPicture = Extract<Picture, { kind: 'computed' }>

/** Whether each pixel of a computed picture has an alpha value [files/alpha-kept]. */
export function hasAlphaChannel({ of }: ComputedPicture): boolean {
  const value = valueOfOutput(of)
  return value instanceof Tensor && value.shape[3] === RGBA
}

const RGBA = 4

/** The pictures in a value: of a latent, of a video, or the value itself. */
function tensorIn(value: Value): Value | undefined {
  if (isMap(value)) return value.get('samples')
  return value instanceof Instance ? value.fields.get('images') : value
}

/** The pixels of a computed picture, in its original size; null if that takes too long. */
export function compute(
  { of, index, width, height }: ComputedPicture,
  make: (picture: Picture) => Pixels,
  budget: Budget,
): Pixels | null {
  const value = valueOfOutput(of)
  const tensor = tensorIn(value)
  if (!(tensor instanceof Tensor)) return null
  try {
    return itemPixels(createRead(make, budget)(tensor, index), tensor, width, height)
  } catch (error) {
    if (error instanceof TooMuch && budget.isStrict === true) throw error
    if (error instanceof TooMuch || error instanceof Raised) return null
    throw error
  }
}
