// Pictures and latents in another size: what the nodes that scale have in common.

import { bislerp } from './bislerp.ts'
import { scaleLanczos } from './lanczos.ts'
import { isMethod, resample } from './resample.ts'
import { checkStack, product, type Read, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'

type Size = readonly [height: number, width: number]

/** Python's `round` to a whole number: halves go to the even neighbour. */
export function round(value: number): number {
  if (Number.isNaN(value)) raise('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(value)) raise('OverflowError', 'cannot convert float infinity to integer')
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** Python's `/` of two whole numbers. */
export const divide = (a: number, b: number): number =>
  b === 0 ? raise('ZeroDivisionError', 'division by zero') : a / b

/** Python's `/` where one of two numbers is a float. */
export const divideFloat = (a: number, b: number): number =>
  b === 0 ? raise('ZeroDivisionError', 'float division by zero') : a / b

type Cut = { readonly top: number; readonly left: number }

/** What is cut off on both sides to get the proportions of a new size. */
export function centre([height, width]: Size, [newHeight, newWidth]: Size): Cut {
  const [own, other] = [divide(width, height), divide(newWidth, newHeight)]
  if (own > other && own === 0) raise('ZeroDivisionError', 'float division by zero')
  const left = own > other ? round((width - width * (other / own)) / 2) : 0
  const top = own < other ? round((height - height * (own / other)) / 2) : 0
  if (top * 2 > height || left * 2 > width)
    raise('RuntimeError', 'narrow(): length must be non-negative.')
  return { top, left }
}

const uncut: Cut = { top: 0, left: 0 }

/** The exception for pictures (count, channels, rows, columns) that cannot get this size. */
function checkSize(method: string, shape: readonly number[], [newHeight, newWidth]: Size): void {
  const [count = 0, channels = 0, height = 0, width = 0] = shape
  if (method === 'bislerp' && (newWidth <= 0 || newHeight <= 0)) {
    const [from, to] = newWidth <= 0 ? [width, newWidth] : [height, newHeight]
    raise('RuntimeError', sizesText([1, from], [1, to]))
  }
  if (method === 'bislerp') return
  if (method === 'lanczos') {
    checkStack(count)
    if (channels > 4) raise('TypeError', `Cannot handle this data type: (1, 1, ${channels}), |u1`)
    // A picture that has the size already is copied.
    const isSame = newHeight === height && newWidth === width
    if (!isSame && (newHeight <= 0 || newWidth <= 0))
      raise('ValueError', 'height and width must be > 0')
    return
  }
  if (!isMethod(method)) {
    raise(
      'NotImplementedError',
      `Input Error: Only 3D, 4D and 5D input Tensors supported (got 4D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got ${method})`,
    )
  }
  if (method === 'area') return checkAverage(shape, [newHeight, newWidth])
  if (newHeight > 0 && newWidth > 0 && height > 0 && width > 0) return
  raise('RuntimeError', sizesText([height, width], [newHeight, newWidth]))
}

/** An average may have no pixels, but not of none. */
function checkAverage(shape: readonly number[], [newHeight, newWidth]: Size): void {
  if (newHeight < 0 || newWidth < 0)
    raise(
      'RuntimeError',
      `adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {${newHeight}, ${newWidth}}`,
    )
  const empty = shape.findIndex((side, at) => at > 0 && side === 0)
  if (empty < 0) return
  raise(
    'RuntimeError',
    `adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes [${shape.join(', ')}] with dimension ${empty} being empty`,
  )
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
  const { top, left } = crop === 'center' ? centre([oldHeight, oldWidth], [height, width]) : uncut
  const [rows, columns] = [oldHeight - top * 2, oldWidth - left * 2]
  checkSize(method, [count, channels, rows, columns], [height, width])
  return new Tensor([count, height, width, ...image.shape.slice(3)], (index, read) => {
    const whole = read(image, index)
    spendScaling(read, channels, [rows, columns], [height, width])
    const part = cut(whole, oldWidth, channels, top, left, rows, columns)
    if (method === 'lanczos') return scaleLanczos(part, channels, [rows, columns], [height, width])
    return resample(part, { planes: 1, rows, columns, inner: channels }, [height, width], method)
  })
}

/** Between its two steps a picture has the rows of one size and the columns of the other. */
function spendScaling(
  read: Read,
  planes: number,
  [rows, columns]: Size,
  [newRows, newColumns]: Size,
): void {
  const between = Math.max(rows * newColumns, columns * newRows)
  read.spend(planes * SCALED * (between + newRows * newColumns))
}

/** A number that is scaled counts as so many: it depends on several others. */
const SCALED = 2

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
  const { top, left } = crop === 'center' ? centre([oldHeight, oldWidth], [height, width]) : uncut
  const [rows, columns] = [oldHeight - top * 2, oldWidth - left * 2]
  const channels = shape.length > 3 ? product(shape.slice(1, -2)) : 1
  checkSize(method, [shape[0] ?? 0, channels, rows, columns], [height, width])
  return new Tensor([...shape.slice(0, -2), height, width], (index, read) => {
    const whole = read(samples, index)
    const planes = oldHeight * oldWidth === 0 ? 0 : whole.length / (oldHeight * oldWidth)
    spendScaling(read, planes, [rows, columns], [height, width])
    const part = new Float32Array(planes * rows * columns)
    for (let plane = 0; plane < planes; plane++) {
      const own = whole.subarray(plane * oldHeight * oldWidth, (plane + 1) * oldHeight * oldWidth)
      part.set(cut(own, oldWidth, 1, top, left, rows, columns), plane * rows * columns)
    }
    if (method === 'bislerp') return slerpFrames(part, shape, [rows, columns], [height, width])
    if (method === 'lanczos') return lanczosPlanes(part, [rows, columns], [height, width])
    return resample(part, { planes, rows, columns, inner: 1 }, [height, width], method)
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
