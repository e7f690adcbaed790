// One picture or latent put into another, with a mask or with soft edges.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { combine, expand, slice, toCount, within } from '../values/layout.ts'
import { checkTarget, faded, type Part, partOf, withPart } from '../values/paste.ts'
import { type EqualChannels, withEqualChannels } from './blends.ts'
import { spatialText } from '../arithmetic/latent-scaling.ts'
import { scalePlanes } from '../arithmetic/scaling.ts'
import { checkReshape, filled, product, reshape, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'

const LATENT_PIXEL = 8

const clampTo = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(value, most))

type Place = {
  readonly x: number
  readonly y: number
  readonly unit: number
  readonly resize: boolean
}

/** The source in the destination at a place; only where the mask is white. */
function composite(
  destination: Tensor,
  given: Tensor,
  mask: Tensor | undefined,
  { x: givenX, y: givenY, unit, resize }: Place,
): Tensor {
  const [count = 0] = destination.shape
  const [rows = 0, columns = 0] = destination.shape.slice(-2)
  let source = given
  if (resize) {
    if (source.shape.length !== 4 || destination.shape.length < 4)
      raise('ValueError', spatialText(source.shape.slice(2), [rows, columns]))
    source = scalePlanes(source, columns, rows, 'bilinear')
  }
  source = toCount(source, count)
  if (mask === undefined && source.shape.length < 4)
    raise('IndexError', `too many indices for tensor of dimension ${source.shape.length}`)
  const [height = 0, width = 0] = source.shape.slice(-2)
  const x = clampTo(givenX, -width * unit, columns * unit)
  const y = clampTo(givenY, -height * unit, rows * unit)
  const [left, top] = [Math.floor(x / unit), Math.floor(y / unit)]
  const part: Part = { top, bottom: top + height, left, right: left + width }
  const visible: Part = {
    top: 0,
    bottom: rows - top + Math.min(0, y),
    left: 0,
    right: columns - left + Math.min(0, x),
  }
  const whole = mask === undefined ? filled(source.shape, 1) : fittingMask(mask, source)
  const cut = sliced(whole, visible.bottom, visible.right)
  const shown = cut.shape.length < source.shape.length ? withSide(cut) : cut
  const above = combine(shown, partOf(source, visible), (share, value) => share * value)
  const inverse = combine(shown, shown, (share) => 1 - share)
  const below = combine(inverse, partOf(destination, part), (share, value) => share * value)
  return withPart(
    destination,
    part,
    combine(above, below, (a, b) => a + b),
  )
}

/** A mask for a video: the same for all channels. */
const withSide = (mask: Tensor): Tensor => {
  const [count = 0, ...item] = mask.shape
  return reshape(mask, [count, 1, ...item])
}

/** A mask in the size of a source, with one channel. */
function fittingMask(mask: Tensor, source: Tensor): Tensor {
  const [rows = 0, columns = 0] = mask.shape.slice(-2)
  checkReshape([1, rows, columns])
  const own = reshape(mask, [product(mask.shape.slice(0, -2)), 1, rows, columns])
  const [height = 0, width = 0] = source.shape.slice(-2)
  return toCount(scalePlanes(own, width, height, 'bilinear'), source.shape[0] ?? 1)
}

const placeOf = ({ number, flag }: Inputs, unit: number): Place => ({
  x: number('x'),
  y: number('y'),
  unit,
  resize: flag('resize_source'),
})

const maskOf = ({ tensor, has }: Inputs): Tensor | undefined =>
  has('mask') ? tensor('mask', '.to') : undefined

/** A picture with its channels in front, or behind again. */
const moved = (image: Tensor, isToFront: boolean): Tensor => {
  const [count = 0, a = 0, b = 0, c = 0] = image.shape
  const shape = isToFront ? [count, c, a, b] : [count, b, c, a]
  return new Tensor(shape, (index, read) => {
    const item = read(image, index)
    const values = new Float32Array(item.length)
    const [planes, places] = isToFront ? [c, a * b] : [b * c, a]
    for (let place = 0; place < places; place++)
      for (let plane = 0; plane < planes; plane++)
        values[plane * places + place] = item[place * planes + plane]!
    return values
  })
}

/** A latent in another one, whose edges fade. */
function latentComposite(inputs: Inputs): readonly Map<string, Tensor>[] {
  const { members, number } = inputs
  const [to, from] = [members('samples_to', '.copy'), members('samples_from')]
  const [below, above] = [memberTensor(to, 'samples', '.clone'), memberTensor(from)]
  const [x, y, feather] = (['x', 'y', 'feather'] as const).map((name) =>
    Math.floor(number(name) / LATENT_PIXEL),
  ) as [number, number, number]
  if (below.shape.length < 4) raise('IndexError', 'tuple index out of range')
  if (above.shape.length < 4)
    raise('IndexError', `too many indices for tensor of dimension ${above.shape.length}`)
  const [, , rows = 0, columns = 0] = below.shape
  const [, , height = 0, width = 0] = above.shape
  const visible = sliced(above, rows - y, columns - x)
  const [, , shownRows = 0, shownColumns = 0] = visible.shape
  const [bottom, right] = feather === 0 ? [height, width] : [shownRows, shownColumns]
  const part: Part = { top: y, bottom: y + bottom, left: x, right: x + right }
  if (feather === 0) return [withMember(to, spread(below, part, visible)) as Map<string, Tensor>]
  const mask = softMask(visible, feather, [rows, columns], [y, x])
  const inverse = combine(mask, mask, (share) => 1 - share)
  const front = combine(
    sliced(visible, rows - y, columns - x),
    mask,
    (value, share) => value * share,
  )
  const back = combine(sidesOf(below, part), inverse, (value, share) => value * share)
  const blended = combine(front, back, (a, b) => a + b)
  return [withMember(to, spread(below, part, blended)) as Map<string, Tensor>]
}

// Rows and columns are the third and the fourth side here, also of a video.

const sliced = (tensor: Tensor, rows: number, columns: number): Tensor =>
  slice(slice(tensor, 2, 0, rows), 3, 0, columns)

const sidesOf = (tensor: Tensor, { top, bottom, left, right }: Part): Tensor =>
  slice(slice(tensor, 2, top, bottom), 3, left, right)

/** The tensor with a part of its third and fourth side replaced. */
function spread(tensor: Tensor, part: Part, source: Tensor): Tensor {
  if (tensor.shape.length === 4) return withPart(tensor, part, source)
  const [count = 0, channels = 0, rows = 0, columns = 0, ...rest] = tensor.shape
  const inner = product(rest)
  const [top, left] = [within(part.top, rows), within(part.left, columns)]
  const height = Math.max(0, within(part.bottom, rows) - top)
  const width = Math.max(0, within(part.right, columns) - left)
  const target = [count, channels, height, width, ...rest]
  checkTarget(target, source.shape)
  const whole = expand(source, target)
  return new Tensor(tensor.shape, (index, read) => {
    const values = read(tensor, index).slice()
    const item = read(whole, index)
    for (let channel = 0; channel < channels; channel++)
      for (let y = 0; y < height; y++) {
        const from = (channel * height + y) * width * inner
        const to = ((channel * rows + top + y) * columns + left) * inner
        values.set(item.subarray(from, from + width * inner), to)
      }
    return values
  })
}

/** White, and less along the edges that lie inside the destination. */
function softMask(
  { shape }: Tensor,
  feather: number,
  [rows, columns]: readonly [number, number],
  [y, x]: readonly [number, number],
): Tensor {
  const [height, width] = [shape[2] as number, shape[3] as number]
  let mask = filled(shape, 1)
  const rate = (step: number): number => (1 / feather) * (step + 1)
  const stepsUpTo = (most: number): readonly number[] =>
    Array.from({ length: Math.min(feather, most) }, (_, step) => step)
  const start = (side: number): (readonly [number, number])[] =>
    stepsUpTo(side).map((step) => [step, rate(step)])
  // Steps beyond the start count from the end again, as Python's slices do.
  const end = (side: number): (readonly [number, number])[] =>
    stepsUpTo(2 * side)
      .filter((step) => step !== side)
      .map((step) => [step < side ? side - 1 - step : 2 * side - 1 - step, rate(step)])
  if (y !== 0) mask = faded(mask, 2, start(height))
  if (y + height < rows) mask = faded(mask, 2, end(height))
  if (x !== 0) mask = faded(mask, 3, start(width))
  if (x + width < columns) mask = faded(mask, 3, end(width))
  return mask
}

export const compositeMasked =
  (equal: EqualChannels) =>
  (inputs: Inputs): readonly Tensor[] => {
    const { tensor } = inputs
    const given = [tensor('destination', '.shape'), tensor('source', '.shape')] as const
    const [destination, source] = equal(...given)
    const image = composite(
      moved(destination, true),
      moved(source, true),
      maskOf(inputs),
      placeOf(inputs, 1),
    )
    return [moved(image, false)]
  }

export const composites: Family = {
  ImageCompositeMasked: compositeMasked(withEqualChannels),
  LatentComposite: latentComposite,
  LatentCompositeMasked: (inputs) => {
    const output = inputs.members('destination', '.copy')
    const destination = memberTensor(output, 'samples', '.clone')
    const source = memberTensor(inputs.members('source'))
    return [
      withMember(
        output,
        composite(destination, source, maskOf(inputs), placeOf(inputs, LATENT_PIXEL)),
      ),
    ]
  },
}
