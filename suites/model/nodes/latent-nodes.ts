// The model of empty latents: shapes alone.

import { fails, type Latent, type Op, type Ops, roundEven, sliced } from './values.ts'

const latent = (...shape: readonly number[]): readonly [Latent] =>
  shape.some((side) => side < 0) ? fails('RuntimeError') : [{ kind: 'latent', shape }]

/** A scaled latent: it had pixels, and has some. */
const resized = (
  [count = 0, channels = 0, ...old]: readonly number[],
  sides: readonly number[],
): readonly [Latent] =>
  [count, channels, ...old, ...sides].some((side) => side <= 0)
    ? fails('RuntimeError')
    : latent(count, channels, ...sides)

const empty =
  (channels: number): Op =>
  ({ number }) =>
    latent(
      number('batch_size'),
      channels,
      Math.floor(number('height') / 8),
      Math.floor(number('width') / 8),
    )

/** A latent in which one side has another length. */
const withSide = ({ shape }: Latent, at: number, side: number): readonly [Latent] =>
  latent(...shape.map((own, place) => (place === at ? side : own)))

const sideOf: Readonly<Record<string, number>> = { x: 3, y: 2, t: 1 }

export const latentNodes: Ops = {
  EmptyLatentImage: empty(4),
  EmptySD3LatentImage: empty(16),
  LatentUpscale: (inputs) => {
    const given = inputs.latent('samples')
    const [, , rows = 0, columns = 0] = given.shape
    let [width, height] = [inputs.number('width'), inputs.number('height')]
    if (width === 0 && height === 0) return [given]
    if (width === 0) {
      height = Math.max(64, height)
      width = Math.max(64, roundEven((columns * height) / rows))
    } else if (height === 0) {
      width = Math.max(64, width)
      height = Math.max(64, roundEven((rows * width) / columns))
    }
    const units = (side: number): number => Math.floor(Math.max(64, side) / 8)
    return resized(given.shape, [units(height), units(width)])
  },
  LatentUpscaleBy: (inputs) => {
    const { shape } = inputs.latent('samples')
    const by = inputs.number('scale_by')
    return resized(
      shape,
      shape.slice(2).map((side) => roundEven(side * by)),
    )
  },
  LatentFlip: (inputs) => [inputs.latent('samples')],
  LatentRotate: (inputs) => {
    const { shape } = inputs.latent('samples')
    const [count = 0, channels = 0, rows = 0, columns = 0] = shape
    const isTurned = /^(90|270)/.test(inputs.text('rotation'))
    return isTurned ? latent(count, channels, columns, rows) : latent(...shape)
  },
  LatentFromBatch: (inputs) => {
    const given = inputs.latent('samples')
    const count = given.shape[0] ?? 0
    const first = Math.min(count - 1, inputs.number('batch_index'))
    const [from, to] = sliced(
      first,
      first + Math.min(count - first, inputs.number('length')),
      count,
    )
    return withSide(given, 0, to - from)
  },
  RepeatLatentBatch: (inputs) => {
    const given = inputs.latent('samples')
    return withSide(given, 0, (given.shape[0] ?? 0) * inputs.number('amount'))
  },
  LatentConcat: (inputs) => {
    const [one, other] = [inputs.latent('samples1'), inputs.latent('samples2')]
    const at = sideOf[inputs.text('dim').replace('-', '')] ?? 3
    // The second one is repeated to the number of the first.
    const fits = one.shape.every(
      (side, place) => place === 0 || place === at || side === other.shape[place],
    )
    if (!fits) fails('RuntimeError')
    return withSide(one, at, (one.shape[at] ?? 0) + (other.shape[at] ?? 0))
  },
  LatentCut: (inputs) => {
    const given = inputs.latent('samples')
    const at = sideOf[inputs.text('dim')] ?? 3
    const side = given.shape[at] ?? 0
    const index = inputs.number('index')
    const start = index >= 0 ? Math.min(index, side - 1) : Math.max(index, -side) + side
    return withSide(given, at, Math.min(side - start, inputs.number('amount')))
  },
}
