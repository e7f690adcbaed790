// Two pictures as one: blended by mode, or one over the other by their masks.

import type { Family, Inputs } from '../values/inputs.ts'
import { broadcast, combine, concatenate, slice, toCount } from '../values/layout.ts'
import { channelOf } from './masks.ts'
import { scaleImage, scalePlanes } from '../arithmetic/scaling.ts'
import {
  clamp,
  checkLength,
  checkReshape,
  checkSides,
  checkStack,
  countOf,
  filled,
  map,
  pick,
  sameShape,
  Tensor,
} from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { isMap, misused, type Value } from '../values/values.ts'

type Mix = (below: number, above: number) => number

const f = Math.fround
const curve = (x: number): number =>
  f(x <= 0.25 ? f(f(f(f(f(16 * x) - 12) * x) + 4) * x) : Math.sqrt(x))

/** Blend modes: from the colour below and the one above. */
const modes: Readonly<Record<string, Mix>> = {
  normal: (_, above) => above,
  multiply: (below, above) => below * above,
  screen: (below, above) => 1 - Math.fround(Math.fround(1 - below) * Math.fround(1 - above)),
  overlay: (below, above) =>
    below <= 0.5
      ? Math.fround(2 * below) * above
      : 1 - Math.fround(Math.fround(2 * Math.fround(1 - below)) * Math.fround(1 - above)),
  soft_light: (below, above) =>
    above <= 0.5
      ? below - f(f(f(1 - f(2 * above)) * below) * f(1 - below))
      : below + f(f(f(2 * above) - 1) * f(curve(below) - below)),
  difference: (below, above) => below - above,
}

/** Returns two pictures with the same number of channels. */
export type EqualChannels = (below: Tensor, above: Tensor) => readonly [Tensor, Tensor]

/** Pictures with as many channels as the first: further ones are dropped, missing ones added as the real server does. */
export const withEqualChannels: EqualChannels = (below, above) => {
  const [own, other] = [below.shape.at(-1) as number, above.shape.at(-1) as number]
  if (own < other) return [below, slice(above, 3, 0, own)]
  if (own === other) return [below, above]
  return [concatenate([below, filled([...below.shape.slice(0, 3), 1], 1)], 3), above]
}

export const blend =
  (equal: EqualChannels) =>
  ({ tensor, number, text }: Inputs): readonly Tensor[] => {
    const given = [tensor('image1', '.shape'), tensor('image2', '.shape')] as const
    const [below, second] = equal(...given)
    let above = second
    if (!sameShape(below.shape, above.shape))
      above = scaleImage(
        above,
        below.shape[2] as number,
        below.shape[1] as number,
        'bicubic',
        'center',
      )
    const mode = text('blend_mode')
    const mix = Object.hasOwn(modes, mode) ? modes[mode] : undefined
    if (mix === undefined) raise('ValueError', `Unsupported blend mode: ${mode}`)
    // This mode begins with the picture above.
    if (mode === 'soft_light') broadcast(above.shape, below.shape)
    const share = number('blend_factor')
    const [own, other] = [Math.fround(1 - share), Math.fround(share)]
    return [combine(below, above, (a, b) => clamp(f(f(a * own) + f(f(mix(a, b)) * other))))]
  }

/** A colour and its alpha of both pictures, weighted by alpha; the result of each mode is a colour and an alpha. */
type Pair = {
  readonly above: number
  readonly below: number
  readonly alpha: number
  readonly under: number
}
type Compose = {
  readonly colour: (pair: Pair) => number
  readonly alpha: (above: number, below: number) => number
}

const united = (above: number, below: number): number => f(above + below) - f(above * below)

const compositions: Readonly<Record<string, Compose>> = {
  ADD: { colour: ({ above, below }) => clamp(above + below), alpha: (a, b) => clamp(a + b) },
  CLEAR: { colour: () => 0, alpha: () => 0 },
  DARKEN: {
    colour: ({ above, below, alpha, under }) =>
      f(f(f(1 - under) * above) + f(f(1 - alpha) * below)) + Math.min(above, below),
    alpha: united,
  },
  DST: { colour: ({ below }) => below, alpha: (_, b) => b },
  DST_ATOP: {
    colour: ({ above, below, alpha, under }) => f(alpha * below) + f(f(1 - under) * above),
    alpha: (a) => a,
  },
  DST_IN: { colour: ({ below, alpha }) => below * alpha, alpha: (a, b) => a * b },
  DST_OUT: { colour: ({ below, alpha }) => f(1 - alpha) * below, alpha: (a, b) => f(1 - a) * b },
  DST_OVER: {
    colour: ({ above, below, under }) => below + f(f(1 - under) * above),
    alpha: (a, b) => b + f(f(1 - b) * a),
  },
  LIGHTEN: {
    colour: ({ above, below, alpha, under }) =>
      f(f(f(1 - under) * above) + f(f(1 - alpha) * below)) + Math.max(above, below),
    alpha: united,
  },
  MULTIPLY: { colour: ({ above, below }) => above * below, alpha: (a, b) => a * b },
  OVERLAY: {
    colour: ({ above, below, alpha, under }) =>
      2 * below < under
        ? f(2 * above) * below
        : f(alpha * under) - f(f(2 * f(under - above)) * f(alpha - below)),
    alpha: united,
  },
  SCREEN: { colour: ({ above, below }) => f(above + below) - f(above * below), alpha: united },
  SRC: { colour: ({ above }) => above, alpha: (a) => a },
  SRC_ATOP: {
    colour: ({ above, below, alpha, under }) => f(under * above) + f(f(1 - alpha) * below),
    alpha: (_, b) => b,
  },
  SRC_IN: { colour: ({ above, under }) => above * under, alpha: (a, b) => a * b },
  SRC_OUT: { colour: ({ above, under }) => f(1 - under) * above, alpha: (a, b) => f(1 - b) * a },
  SRC_OVER: {
    colour: ({ above, below, alpha }) => above + f(f(1 - alpha) * below),
    alpha: (a, b) => a + f(f(1 - a) * b),
  },
  XOR: {
    colour: ({ above, below, alpha, under }) => f(f(1 - under) * above) + f(f(1 - alpha) * below),
    alpha: (a, b) => f(f(1 - b) * a) + f(f(1 - a) * b),
  },
}

const names = ['source', 'source_alpha', 'destination', 'destination_alpha'] as const
/** What Python does with the first item of each, in this order. */
const uses = [
  ['source', 'item.shape'],
  ['destination', 'item.shape'],
  ['source_alpha', 'item.unsqueeze'],
  ['destination_alpha', 'item.unsqueeze'],
] as const

/** Less alpha leaves no colour. */
const LEAST_ALPHA = 1e-5

const isSized = (value: Value): boolean =>
  value instanceof Tensor || typeof value === 'string' || Array.isArray(value) || isMap(value)

/** Python's `len`. */
function lengthOf(value: Value): number {
  if (value instanceof Tensor) return countOf(value)
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isMap(value) ? value.size : misused(value, 'len')
}

function composite({ tensor, text, value }: Inputs): readonly Tensor[] {
  const count = Math.min(...names.map((name) => lengthOf(value(name))))
  checkStack(count)
  const given = uses.map(([name, use]) => tensor(name, use)) as [Tensor, Tensor, Tensor, Tensor]
  const cut = given.map((one) => slice(one, 0, 0, count)) as typeof given
  const below = cut[1]
  let [above, , aboveMask, belowMask] = cut
  if (above.shape[3] !== below.shape[3]) raise('AssertionError', '')
  const [, rows = 0, columns = 0, channels = 0] = below.shape
  const fitMask = (mask: Tensor): Tensor =>
    mask.shape[1] === rows && mask.shape[2] === columns
      ? mask
      : scalePlanes(mask, columns, rows, 'bicubic', 'center')
  belowMask = fitMask(belowMask)
  if (!sameShape(above.shape, below.shape))
    above = scaleImage(above, columns, rows, 'bicubic', 'center')
  aboveMask = fitMask(aboveMask)
  const mode = text('mode')
  const compose = Object.hasOwn(compositions, mode) ? compositions[mode] : undefined
  if (compose === undefined) raise('KeyError', `'${mode}'`)
  const alphaOf = (a: number, b: number): number => f(compose.alpha(f(1 - a), f(1 - b)))
  const image = new Tensor(below.shape, (index, read) => {
    const items = [above, aboveMask, below, belowMask].map((one) => read(one, index))
    return (items[2] as Float32Array).map((own, at) => {
      const place = Math.floor(at / channels)
      const [alpha, under] = [f(1 - items[1]![place]!), f(1 - items[3]![place]!)]
      const colour = f(
        compose.colour({ above: f(items[0]![at]! * alpha), below: f(own * under), alpha, under }),
      )
      const left = f(compose.alpha(alpha, under))
      return left > LEAST_ALPHA ? clamp(colour / left) : 0
    })
  })
  const alpha = combine(aboveMask, belowMask, (a, b) => 1 - alphaOf(a, b))
  return [image, alpha]
}

/** The colours, and the alpha as a mask: white is what is transparent. */
function split({ tensor, value }: Inputs): readonly Tensor[] {
  const given = value('image')
  if (isSized(given)) checkStack(lengthOf(given))
  const image = tensor('image', 'items')
  const alpha = (image.shape[3] ?? 0) > 3 ? channelOf(image, 3) : filled(image.shape.slice(0, 3), 1)
  return [slice(image, 3, 0, 3), map(alpha, (value) => 1 - value)]
}

/** @param countFor how many pictures there are, of the numbers of pictures and of masks. */
export const joinAlpha =
  (countFor: (images: number, masks: number) => number) =>
  ({ tensor }: Inputs): readonly Tensor[] => {
    const [image, mask] = [tensor('image', 'len.shape'), tensor('alpha', 'len.reshape')]
    const count = countFor(countOf(image), countOf(mask))
    const [, rows = 0, columns = 0] = image.shape
    checkReshape([1, ...mask.shape.slice(-2)])
    const alpha = map(scalePlanes(mask, columns, rows, 'bilinear'), (value) => 1 - value)
    checkStack(count)
    const planes = alpha.shape.length === 3 ? toCount(alpha, count) : alpha
    const plane = new Tensor([count, rows, columns, 1], (index, read) => read(planes, index))
    return [concatenate([slice(toCount(slice(image, 0, 0, count), count), 3, 0, 3), plane], 3)]
  }

/** The pictures of both, the second ones in the size of the first. */
export function joinTwo(equal: EqualChannels, one: Tensor, other: Tensor): Tensor {
  const [first, given] = equal(one, other)
  const [, height = 0, width = 0] = first.shape
  const fits = sameShape(first.shape.slice(1), given.shape.slice(1))
  const second = fits ? given : scaleImage(given, width, height, 'bilinear', 'center')
  return concatenate([first, second], 0)
}

export const joinBatches =
  (equal: EqualChannels) =>
  ({ tensor }: Inputs): readonly Tensor[] => [
    joinTwo(equal, tensor('image1', '.shape'), tensor('image2', '.shape')),
  ]

const clampedIndex = (index: number, count: number): number => Math.min(count - 1, index)

export const blends: Family = {
  ImageBatch: joinBatches((first, second) => [first, second]),
  ImageBlend: blend(withEqualChannels),
  ImageFromBatch: ({ tensor, number }) => {
    const image = tensor('image', '.shape')
    const first = clampedIndex(number('batch_index'), countOf(image))
    const length = Math.min(countOf(image) - first, number('length', 1))
    return [slice(image, 0, first, first + length)]
  },
  JoinImageWithAlpha: joinAlpha(Math.min),
  PorterDuffImageComposite: composite,
  RepeatImageBatch: ({ tensor, number }) => {
    const image = tensor('image', '.repeat')
    const [count, amount] = [countOf(image), number('amount', 1)]
    checkLength(count * amount)
    checkSides([count * amount, ...image.shape.slice(1)])
    return [
      pick(
        image,
        Array.from({ length: count * amount }, (_, at) => at % count),
      ),
    ]
  },
  SplitImageWithAlpha: split,
}
