// The nodes that compute, as a room of its files alone: what others use of it stands here.

export {
  createRead,
  evaluate,
  isChecked,
  isComputed,
  MOST_NUMBERS,
  TooMuch,
  valueOf,
  valueOfOutput,
} from './evaluate.ts'
export { latentFile } from './families/files.ts'
export { printed, type PrintStyle, str } from './print.ts'
export { itemPixels, LATENT_PIXEL } from './values/pictures.ts'
export { toneAt } from './values/tones.ts'
export { countOf, product, Tensor, valuesOf } from './values/tensor.ts'
export { Instance, isMap, type Value } from './values/values.ts'
