// Pictures and latents in another size: what the nodes that scale have in common.

import { bislerp } from './bislerp.ts'
import { scaleLanczos } from './lanczos.ts'
import { isMethod, resample } from './resample.ts'
import { Tensor } from '../values/tensor.ts'
import { raise } from '../values/values.ts'

type Size = readonly [height: number, width: number]

/** Python's `round`: halves go to the even neighbour. */
export function round(value: number): number {
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** The part that is left when the sides are cut to the proportions of a new size. */
export function centre(
  [height, width]: Size,
  [newHeight, newWidth]: Size,
): { top: number; left: number } {
  const [own, other] = [width / height, newWidth / newHeight]
  if (own > other) return { top: 0, left: round((width - width * (other / own)) / 2) }
  if (own < other) return { top: round((height - height * (own / other)) / 2), left: 0 }
  return { top: 0, left: 0 }
}

function checkSize(
  method: string,
  [height, width]: Size,
  [newHeight, newWidth]: Size,
  dims: number,
): void {
  if (method === 'bislerp' && (newWidth <= 0 || newHeight <= 0)) {
    const [from, to] = newWidth <= 0 ? [width, newWidth] : [height, newHeight]
    raise('RuntimeError', sizesText([1, from], [1, to]))
  }
  if (method === 'bislerp' || method === 'lanczos') {
    if (newHeight <= 0 || newWidth <= 0) raise('ValueError', 'height and width must be > 0')
    return
  }
  if (!isMethod(method)) {
    raise(
      'NotImplementedError',
      `Input Error: Only 3D, 4D and 5D input Tensors supported (got ${dims}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got ${method})`,
    )
  }
  if (newHeight > 0 && newWidth > 0) return
  if (method === 'area') {
    if (newHeight === 0 || newWidth === 0) return
    raise(
      'RuntimeError',
      `adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {${newHeight}, ${newWidth}}`,
    )
  }
  raise('RuntimeError', sizesText([height, width], [newHeight, newWidth]))
}

export const sizesText = ([height, width]: Size, [newHeight, newWidth]: Size): string =>
  `Input and output sizes should be greater than 0, but got input (H: ${height}, W: ${width}) output (H: ${newHeight}, W: ${newWidth})`

/** Pictures of rows times columns times channels in another size. */
export function scaleImage(
  image: Tensor,
  width: number,
  height: number,
  method: string,
  crop = 'disabled',
): Tensor {
  const [count = 0, oldHeight = 0, oldWidth = 0, channels = 1] = image.shape
  const size: Size = [oldHeight, oldWidth]
  const { top, left } = crop === 'center' ? centre(size, [height, width]) : { top: 0, left: 0 }
  const [rows, columns] = [oldHeight - top * 2, oldWidth - left * 2]
  checkSize(method, [rows, columns], [height, width], 4)
  return new Tensor([count, height, width, ...image.shape.slice(3)], (index, read) => {
    const whole = read(image, index)
    const part = cut(whole, oldWidth, channels, top, left, rows, columns)
    if (method === 'lanczos') return scaleLanczos(part, channels, [rows, columns], [height, width])
    const tall = resample(part, { outer: 1, side: rows, inner: columns * channels }, height, method)
    return resample(tall, { outer: height, side: columns, inner: channels }, width, method)
  })
}

/** A part of rows of pixels. */
export function cut(
  data: Float32Array,
  width: number,
  channels: number,
  top: number,
  left: number,
  rows: number,
  columns: number,
): Float32Array {
  if (top === 0 && left === 0 && columns === width && data.length === rows * columns * channels)
    return data
  const part = new Float32Array(rows * columns * channels)
  for (let y = 0; y < rows; y++) {
    const from = ((top + y) * width + left) * channels
    part.set(data.subarray(from, from + columns * channels), y * columns * channels)
  }
  return part
}

/** Latents and masks, whose last two sides are rows and columns, in another size. */
export function scalePlanes(
  samples: Tensor,
  width: number,
  height: number,
  method: string,
  crop = 'disabled',
): Tensor {
  const { shape } = samples
  const [oldHeight = 0, oldWidth = 0] = shape.slice(-2)
  const { top, left } =
    crop === 'center' ? centre([oldHeight, oldWidth], [height, width]) : { top: 0, left: 0 }
  const [rows, columns] = [oldHeight - top * 2, oldWidth - left * 2]
  checkSize(method, [rows, columns], [height, width], 4)
  return new Tensor([...shape.slice(0, -2), height, width], (index, read) => {
    const whole = read(samples, index)
    const planes = oldHeight * oldWidth === 0 ? 0 : whole.length / (oldHeight * oldWidth)
    const part = new Float32Array(planes * rows * columns)
    for (let plane = 0; plane < planes; plane++) {
      const own = whole.subarray(plane * oldHeight * oldWidth, (plane + 1) * oldHeight * oldWidth)
      part.set(cut(own, oldWidth, 1, top, left, rows, columns), plane * rows * columns)
    }
    if (method === 'bislerp') return slerpFrames(part, shape, [rows, columns], [height, width])
    if (method === 'lanczos') return lanczosPlanes(part, [rows, columns], [height, width])
    const tall = resample(part, { outer: planes, side: rows, inner: columns }, height, method)
    return resample(tall, { outer: planes * height, side: columns, inner: 1 }, width, method)
  })
}

/** The frames of a video are scaled one by one: their channels lie apart. */
function slerpFrames(
  data: Float32Array,
  shape: readonly number[],
  from: Size,
  to: Size,
): Float32Array {
  const channels = shape[1] ?? 1
  if (shape.length < 5) return bislerp(data, channels, from, to)
  const frames = data.length / (channels * from[0] * from[1])
  const [plane, newPlane] = [from[0] * from[1], to[0] * to[1]]
  const all = new Float32Array(channels * frames * newPlane)
  for (let frame = 0; frame < frames; frame++) {
    const own = new Float32Array(channels * plane)
    for (let channel = 0; channel < channels; channel++) {
      const place = (channel * frames + frame) * plane
      own.set(data.subarray(place, place + plane), channel * plane)
    }
    const scaled = bislerp(own, channels, from, to)
    for (let channel = 0; channel < channels; channel++) {
      const part = scaled.subarray(channel * newPlane, (channel + 1) * newPlane)
      all.set(part, (channel * frames + frame) * newPlane)
    }
  }
  return all
}

function lanczosPlanes(data: Float32Array, from: Size, to: Size): Float32Array {
  const [plane, newPlane] = [from[0] * from[1], to[0] * to[1]]
  const planes = data.length / plane
  const all = new Float32Array(planes * newPlane)
  for (let at = 0; at < planes; at++)
    all.set(scaleLanczos(data.subarray(at * plane, (at + 1) * plane), 1, from, to), at * newPlane)
  return all
}
