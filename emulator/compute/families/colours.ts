// Colours in another space, noise, and shapes that grow and shrink.

import { edges } from '../arithmetic/edges.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { concatenate } from '../values/layout.ts'
import { quantise } from '../arithmetic/quantise.ts'
import { spread } from '../arithmetic/morphology.ts'
import { combine } from '../values/layout.ts'
import { checkSides, clamp, numbers, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { miscalled, type Value } from '../values/values.ts'
import type { Json } from '../../lib/json.ts'
import { pythonRepr } from '../../lib/python.ts'
import { hash53 } from '../../lib/random.ts'

const f = Math.fround

/** Brightness and two differences of colour, each as a grey picture. */
function toYuv({ tensor }: Inputs): readonly Tensor[] {
  const image = tensor('image', '.movedim')
  const [count = 0, rows = 0, columns = 0, channels = 0] = image.shape
  if (channels !== 3)
    raise(
      'ValueError',
      `Input size must have a shape of (*, 3, H, W). Got torch.Size([${count}, ${channels}, ${rows}, ${columns}])`,
    )
  const part = (of: (r: number, g: number, b: number, y: number) => number): Tensor =>
    new Tensor(image.shape, (index, read) => {
      const item = read(image, index)
      const values = new Float32Array(item.length)
      for (let at = 0; at < item.length; at += 3) {
        const [r, g, b] = [item[at]!, item[at + 1]!, item[at + 2]!]
        const y = f(f(f(f(0.299) * r) + f(f(0.587) * g)) + f(f(0.114) * b))
        values.fill(of(r, g, b, y), at, at + 3)
      }
      return values
    })
  return [
    part((_r, _g, _b, y) => y),
    part((_r, _g, b, y) => f(f(f(b - y) * f(0.564)) + 0.5)),
    part((r, _g, _b, y) => f(f(f(r - y) * f(0.713)) + 0.5)),
  ]
}

/** The mean of the channels of each pixel. */
const means = (image: Tensor): Tensor => {
  const channels = image.shape[3] ?? 1
  return new Tensor([...image.shape.slice(0, 3), 1], (index, read) => {
    const item = read(image, index)
    return numbers(item.length / channels, (at) => {
      let sum = 0
      for (let channel = 0; channel < channels; channel++)
        sum = f(sum + item[at * channels + channel]!)
      return sum / channels
    })
  })
}

const meanSignatures = [
  '*, torch.dtype dtype = None, Tensor out = None',
  'tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None',
]

function toRgb({ value }: Inputs): readonly Tensor[] {
  const parts = (['Y', 'U', 'V'] as const).map((name) => {
    const given = value(name)
    if (given instanceof Tensor) return means(given)
    return miscalled(given, 'mean', 'keepdim=bool, dim=int', meanSignatures)
  })
  const yuv = concatenate(parts, 3)
  return [
    new Tensor(yuv.shape, (index, read) => {
      const item = read(yuv, index)
      const values = new Float32Array(item.length)
      for (let at = 0; at < item.length; at += 3) {
        const [y, cb, cr] = [item[at]!, f(item[at + 1]! - 0.5), f(item[at + 2]! - 0.5)]
        values[at] = clamp(y + f(f(1.4025245442) * cr))
        values[at + 1] = clamp(f(y - f(f(0.7144034731) * cr)) - f(f(0.3443401356) * cb))
        values[at + 2] = clamp(y + f(f(1.7730496454) * cb))
      }
      return values
    }),
  ]
}

type Change = (image: Tensor, side: number) => Tensor

const morphed =
  (sign: 1 | -1): Change =>
  (image, side) => {
    const [, rows = 0, columns = 0, channels = 1] = image.shape
    const before = Math.floor(side / 2)
    const after = side - before - 1
    return new Tensor(image.shape, (index, read) => {
      read.spend(rows * columns * channels * 8)
      const reach = sign > 0 ? ([after, before] as const) : ([before, after] as const)
      return spread(read(image, index), { rows, columns, inner: channels }, reach, sign)
    })
  }

const [erode, dilate] = [morphed(-1), morphed(1)]
const open: Change = (image, side) => dilate(erode(image, side), side)
const close: Change = (image, side) => erode(dilate(image, side), side)
const minus = (a: Tensor, b: Tensor): Tensor => combine(a, b, (one, other) => one - other)

const shapes: Readonly<Record<string, Change>> = {
  erode,
  dilate,
  open,
  close,
  gradient: (image, side) => minus(dilate(image, side), erode(image, side)),
  top_hat: (image, side) => minus(image, open(image, side)),
  bottom_hat: (image, side) => minus(close(image, side), image),
}

function morphology({ tensor, text, number }: Inputs): readonly Value[] {
  const side = number('kernel_size', 3)
  checkSides([side, side])
  const image = tensor('image', '.to')
  const name = text('operation')
  const change = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  if (change === undefined)
    raise(
      'ValueError',
      `Invalid operation ${name} for morphology. Must be one of 'erode', 'dilate', 'open', 'close', 'gradient', 'tophat', 'bottomhat'`,
    )
  if (side === 0) raise('IndexError', 'index 0 is out of bounds for dimension 0 with size 0')
  return [change(image, side)]
}

/** A synthetic number from -1 to 1 for each place, by a seed. */
function noisy({ tensor, number, value }: Inputs): readonly Value[] {
  const image = tensor('image', 'argument:randn')
  const seed = pythonRepr(value('seed') as Json)
  const strength = number('strength')
  return [
    new Tensor(image.shape, (index, read) => {
      let state = hash53(`${seed} ${index}`) >>> 0
      return read(image, index).map((one) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return clamp(one + strength * (state / 2 ** 31 - 1))
      })
    }),
  ]
}

export const colours: Family = {
  Canny: ({ tensor, number }) => [
    edges(tensor('image', '.to'), number('low_threshold'), number('high_threshold')),
  ],
  ImageAddNoise: noisy,
  ImageQuantize: quantise,
  ImageRGBToYUV: toYuv,
  ImageYUVToRGB: toRgb,
  Morphology: morphology,
}
