// Node types that scale pictures and latents.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { scaleLatent } from '../arithmetic/latent-scaling.ts'
import { divide, round, scaleImage } from '../arithmetic/scaling.ts'
import { checkSides, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'

const LATENT_PIXEL = 8
/** The least side of a scaled latent, in pixels. */
const LEAST_SIDE = 64

const sidesOf = ({ shape }: Tensor): readonly [height: number, width: number] => [
  shape[1] ?? 0,
  shape[2] ?? 0,
]

/** The larger side gets this length, and the other one follows. */
function fitInto([height, width]: readonly [number, number], largest: number): [number, number] {
  if (height > width) return [largest, round((width / height) * largest)]
  if (width > height) return [round((height / width) * largest), largest]
  return [largest, largest]
}

/** A picture on a canvas of one colour. */
function padded(image: Tensor, width: number, height: number, value: number): Tensor {
  const [count = 0, rows = 0, columns = 0, channels = 1] = image.shape
  const [top, left] = [Math.floor((height - rows) / 2), Math.floor((width - columns) / 2)]
  checkSides([count, channels, height, width])
  return new Tensor([count, height, width, channels], (index, read) => {
    const item = read(image, index)
    const canvas = new Float32Array(height * width * channels).fill(value)
    for (let y = 0; y < rows; y++) {
      const line = item.subarray(y * columns * channels, (y + 1) * columns * channels)
      canvas.set(line, ((top + y) * width + left) * channels)
    }
    return canvas
  })
}

/**
 * A picture with about so many pixels, and sides that are multiples of `step` [nodes/resolution-steps].
 * @param share how many of the wanted pixels come upon each of the picture
 */
export function scaleToPixels(
  { tensor, number, text }: Inputs,
  step: number,
  share: (wanted: number, own: number) => number,
): readonly Tensor[] {
  const image = tensor('image', '.movedim')
  const [rows, columns] = sidesOf(image)
  const square = share(number('megapixels') * 1024 * 1024, columns * rows)
  if (square < 0) raise('ValueError', 'math domain error')
  const by = Math.sqrt(square)
  const side = (length: number): number => round(divide(length * by, step)) * step
  return [scaleImage(image, side(columns), side(rows), text('upscale_method'))]
}

export const scales: Family = {
  ImageScale: ({ tensor, number, text }) => {
    const image = tensor('image', '.movedim')
    let [width, height] = [number('width'), number('height')]
    if (width === 0 && height === 0) return [image]
    const [rows, columns] = sidesOf(image)
    if (width === 0) width = Math.max(1, round(divide(columns * height, rows)))
    else if (height === 0) height = Math.max(1, round(divide(rows * width, columns)))
    return [scaleImage(image, width, height, text('upscale_method'), text('crop'))]
  },
  ImageScaleBy: ({ tensor, number, text }) => {
    const image = tensor('image', '.movedim')
    const [rows, columns] = sidesOf(image)
    const by = number('scale_by')
    return [scaleImage(image, round(columns * by), round(rows * by), text('upscale_method'))]
  },
  ImageScaleToMaxDimension: ({ tensor, number, text }) => {
    const image = tensor('image', '.shape')
    const [height, width] = fitInto(sidesOf(image), number('largest_size'))
    return [scaleImage(image, width, height, text('upscale_method'))]
  },
  ImageScaleToTotalPixels: (inputs) =>
    scaleToPixels(inputs, 1, (wanted, own) => divide(Math.trunc(wanted), own)),
  ResizeAndPadImage: ({ tensor, number, text }) => {
    const image = tensor('image', '.shape')
    const [rows, columns] = sidesOf(image)
    const [width, height] = [number('target_width'), number('target_height')]
    const by = Math.min(divide(width, columns), divide(height, rows))
    const [newWidth, newHeight] = [Math.trunc(columns * by), Math.trunc(rows * by)]
    const scaled = scaleImage(image, newWidth, newHeight, text('interpolation'))
    return [padded(scaled, width, height, text('padding_color') === 'white' ? 1 : 0)]
  },
  LatentUpscale: ({ members, number, text }) => {
    let [width, height] = [number('width'), number('height')]
    if (width === 0 && height === 0) return [members('samples')]
    const latent = members('samples', '.copy')
    const samples = memberTensor(latent)
    const [rows = 0, columns = 0] = samples.shape.slice(-2)
    if (width === 0) {
      height = Math.max(LEAST_SIDE, height)
      width = Math.max(LEAST_SIDE, round((columns * height) / rows))
    } else if (height === 0) {
      width = Math.max(LEAST_SIDE, width)
      height = Math.max(LEAST_SIDE, round((rows * width) / columns))
    } else [width, height] = [Math.max(LEAST_SIDE, width), Math.max(LEAST_SIDE, height)]
    const [newWidth, newHeight] = [
      Math.floor(width / LATENT_PIXEL),
      Math.floor(height / LATENT_PIXEL),
    ]
    const scaled = scaleLatent(samples, newWidth, newHeight, text('upscale_method'), text('crop'))
    return [withMember(latent, scaled)]
  },
  LatentUpscaleBy: ({ members, number, text }) => {
    const latent = members('samples', '.copy')
    const samples = memberTensor(latent)
    const [rows = 0, columns = 0] = samples.shape.slice(-2)
    const [width, height] = [round(columns * number('scale_by')), round(rows * number('scale_by'))]
    return [withMember(latent, scaleLatent(samples, width, height, text('upscale_method')))]
  },
}
