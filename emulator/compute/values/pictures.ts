// Pictures as tensors, and tensors as pictures: colours from 0 to 1, saved by cutting 255 times the value.

import type { Picture, PictureType } from '../../pictures/picture.ts'
import { blank, type Pixels } from '../../pictures/pixels.ts'
import { type Read, Tensor } from './tensor.ts'

/** The number of pixels along a side of one latent pixel. */
export const LATENT_PIXEL = 8

/** A batch of pictures as a tensor. */
export function pictureTensor(
  as: PictureType,
  pictures: readonly Picture[],
): Tensor | Map<string, Tensor> {
  const { width, height } = pictures[0] ?? { width: 0, height: 0 }
  const count = pictures.length
  const at = (index: number): Picture => pictures[index] as Picture
  if (as === 'IMAGE')
    return new Tensor([count, height, width, 3], (index, read) => colours(read.pixels(at(index))))
  if (as === 'MASK')
    return new Tensor([count, height, width], (index, read) => mask(at(index), read))
  const shape = [count, 4, Math.ceil(height / LATENT_PIXEL), Math.ceil(width / LATENT_PIXEL)]
  const samples = new Tensor(shape, (index, read) =>
    encoded(read.pixels(at(index)), width, height, shape),
  )
  return new Map([['samples', samples]])
}

/** The colours of pixels, from 0 to 1, without their alpha. */
export function colours(pixels: Uint8Array): Float32Array {
  const values = new Float32Array((pixels.length / 4) * 3)
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    values[to++] = pixels[from]! / 255
    values[to++] = pixels[from + 1]! / 255
    values[to++] = pixels[from + 2]! / 255
  }
  return values
}

/** A mask by its red channel. The mask of an uploaded picture is what its alpha leaves, without rounding. */
function mask(picture: Picture, read: Read): Float32Array {
  const isInverse = picture.kind === 'inverted'
  const pixels = read.pixels(isInverse ? picture.of : picture)
  const values = new Float32Array(pixels.length / 4)
  for (let at = 0; at < values.length; at++) {
    values[at] = pixels[at * 4]! / 255
    if (isInverse) values[at] = 1 - values[at]!
  }
  return values
}

/** A synthetic latent of a picture: its colours, averaged, and their brightness. */
function encoded(
  pixels: Uint8Array,
  width: number,
  height: number,
  [, , rows = 0, columns = 0]: readonly number[],
): Float32Array {
  const values = new Float32Array(4 * rows * columns)
  const counts = new Float32Array(rows * columns)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell = Math.floor(y / LATENT_PIXEL) * columns + Math.floor(x / LATENT_PIXEL)
      counts[cell]! += 1
      for (let channel = 0; channel < 3; channel++) {
        const value = pixels[(y * width + x) * 4 + channel]! / 127.5 - 1
        values[channel * counts.length + cell]! += value
        values[3 * counts.length + cell]! += value / 3
      }
    }
  }
  return values.map((value, at) => value / counts[at % counts.length]!)
}

/** One item of an IMAGE, a MASK or a LATENT as it would be saved. */
export function itemPixels(
  item: Float32Array,
  tensor: Tensor,
  width: number,
  height: number,
): Pixels {
  const { shape } = tensor
  if (shape.length === 3) return filledFrom(width, height, (at) => item[at]!, 1)
  const channels = shape.at(-1) as number
  if (shape.length === 4 && shape[1] === height && shape[2] === width)
    return filledFrom(width, height, (at, channel) => item[at * channels + channel]!, channels)
  return decoded(item, shape, width, height)
}

function filledFrom(
  width: number,
  height: number,
  valueAt: (at: number, channel: number) => number,
  channels: number,
): Pixels {
  const pixels = blank(width, height)
  const { data } = pixels
  for (let at = 0; at < width * height; at++) {
    for (let channel = 0; channel < 3; channel++)
      data[at * 4 + channel] = byteOf(valueAt(at, channels === 1 ? 0 : channel))
    data[at * 4 + 3] = channels > 3 ? byteOf(valueAt(at, 3)) : 255
  }
  return pixels
}

/** How a colour is saved: cut, not rounded. */
export const byteOf = (value: number): number =>
  Math.trunc(Math.min(255, Math.max(0, Math.fround(255 * value)))) || 0

/** A synthetic picture of a latent: its first three channels. */
function decoded(
  item: Float32Array,
  shape: readonly number[],
  width: number,
  height: number,
): Pixels {
  const [rows = 1, columns = 1] = shape.slice(-2)
  const plane = item.length / (shape[1] ?? 1)
  return filledFrom(
    width,
    height,
    (at, channel) => {
      const y = Math.min(rows - 1, Math.floor((Math.floor(at / width) * rows) / height))
      const x = Math.min(columns - 1, Math.floor(((at % width) * columns) / width))
      const place = (channel % (shape[1] ?? 1)) * plane + y * columns + x
      return ((item[place] ?? 0) + 1) / 2
    },
    3,
  )
}
