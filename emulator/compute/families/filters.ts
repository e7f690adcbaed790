// Node types that blur and sharpen pictures and latents.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { bell, filter, type Kernel, sharpening } from '../arithmetic/bell.ts'
import { checkMirror } from '../arithmetic/mirror.ts'
import { clamp, numbers, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { Instance, isMap, misused, type Value } from '../values/values.ts'

/** A picture filtered; its channels lie side by side. */
function filterImage(
  image: Tensor,
  kernelOf: () => Kernel,
  radius: number,
  isClamped: boolean,
): Tensor {
  const [count = 0, rows = 0, columns = 0, channels = 1] = image.shape
  if (radius < 0) raise('RuntimeError', 'number of steps must be non-negative')
  checkMirror([count, channels, rows, columns], radius)
  const kernel = kernelOf()
  const sides = { rows, columns, inner: channels, planes: 1 }
  return new Tensor(image.shape, (index, read) => {
    const filtered = filter(read(image, index), kernel, sides, read)
    return isClamped ? filtered.map(clamp) : filtered
  })
}

function sharpenImage({ tensor, number, value }: Inputs): readonly Value[] {
  const radius = number('sharpen_radius')
  if (radius === 0) return [value('image')]
  const image = tensor('image', '.shape')
  const kernelOf = (): Kernel => sharpening(radius * 2 + 1, number('sigma'), number('alpha') * 10)
  return [filterImage(image, kernelOf, radius, true)]
}

/** Lengths of the vectors of channels. */
function lengths(item: Float32Array, channels: number, more: number): Float32Array {
  const size = item.length / channels
  return numbers(size, (at) => {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += item[channel * size + at]! ** 2
    return Math.sqrt(sum) + more
  })
}

/** The directions of the vectors of channels are sharpened, not their lengths. */
function sharpenLatent(samples: Tensor, radius: number, sigma: number, alpha: number): Tensor {
  const [, channels = 1] = samples.shape
  const [rows = 0, columns = 0] = samples.shape.slice(-2)
  checkMirror(samples.shape, radius)
  const kernel = sharpening(radius * 2 + 1, sigma, alpha * 10)
  return new Tensor(samples.shape, (index, read) => {
    const item = read(samples, index)
    const long = lengths(item, channels, 1e-6)
    const directions = item.map((value, at) => value / long[at % long.length]!)
    const sides = { rows, columns, inner: 1, planes: item.length / (rows * columns) }
    const sharp = filter(directions, kernel, sides, read)
    return sharp.map((value, at) => value * long[at % long.length]!)
  })
}

/** Long vectors of channels are shortened, by the mean length and how far the lengths vary. */
function tonemap(samples: Tensor, multiplier: number): Tensor {
  const [, channels = 1] = samples.shape
  return new Tensor(samples.shape, (index, read) => {
    const item = read(samples, index)
    const long = lengths(item, channels, 1e-10)
    // Of a video, each column has its own mean.
    const columns = samples.shape.length > 4 ? (samples.shape.at(-1) as number) : 1
    const tops = Array.from({ length: columns }, (_, column) =>
      topOf(
        long.filter((_, at) => at % columns === column),
        multiplier,
      ),
    )
    return item.map((value, at) => {
      const length = long[at % long.length]!
      const top = tops[at % columns]!
      const share = length * (1 / top)
      return (value / length) * (share / (share + 1)) * top
    })
  })
}

/** Where the lengths are to end. */
function topOf(long: Float32Array, multiplier: number): number {
  const mean = long.reduce((sum, one) => sum + one, 0) / long.length
  const variance = long.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (long.length - 1)
  return (Math.sqrt(variance) * 5 + mean) * multiplier
}

const operations: Readonly<Record<string, (samples: Tensor, operation: Instance) => Tensor>> = {
  sharpen: (samples, { fields }) => {
    const [radius, sigma, alpha] = ['radius', 'sigma', 'alpha'].map((name) =>
      Number(fields.get(name)),
    )
    return sharpenLatent(samples, radius as number, sigma as number, alpha as number)
  },
  tonemap_reinhard: (samples, { fields }) => tonemap(samples, Number(fields.get('multiplier'))),
}

/** A function that changes a latent, as Python prints it. */
const operation = (
  class_type: string,
  name: string,
  values: Readonly<Record<string, number>>,
): Instance =>
  new Instance(
    'function',
    { name, ...values },
    `<function ${class_type}.execute.<locals>.${name} at 0x7f0000000000>`,
  )

function apply({ members, value }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = memberTensor(latent)
  const given = value('operation')
  if (!(given instanceof Instance)) {
    if (isMap(given) || given !== undefined) raise('TypeError', notCallable(given))
    return misused(given, 'key')
  }
  const change =
    operations[given.fields.get('name') as string] ?? raise('TypeError', notCallable(given))
  return [withMember(latent, change(samples, given))]
}

function notCallable(value: Value): string {
  const type =
    value === null
      ? 'NoneType'
      : typeof value === 'string'
        ? 'str'
        : typeof value === 'number'
          ? 'int'
          : typeof value === 'boolean'
            ? 'bool'
            : 'dict'
  return `'${type}' object is not callable`
}

export const filters: Family = {
  ImageBlur: ({ tensor, number, value }) => {
    const radius = number('blur_radius')
    if (radius === 0) return [value('image')]
    const image = tensor('image', '.to')
    const kernelOf = (): Kernel => bell(radius * 2 + 1, number('sigma'))
    return [filterImage(image, kernelOf, radius, false)]
  },
  ImageSharpen: sharpenImage,
  LatentApplyOperation: apply,
  LatentOperationSharpen: ({ number }) => [
    operation('LatentOperationSharpen', 'sharpen', {
      radius: number('sharpen_radius'),
      sigma: number('sigma'),
      alpha: number('alpha'),
    }),
  ],
  LatentOperationTonemapReinhard: ({ number }) => [
    operation('LatentOperationTonemapReinhard', 'tonemap_reinhard', {
      multiplier: number('multiplier'),
    }),
  ],
}
