// Latents combined, cut, turned and counted.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { wrongIndex } from '../../lib/python.ts'
import { concatenate, flip, rotate, slice, toCount } from '../values/layout.ts'
import { turnsOf } from './crops.ts'
import { inSize } from './latent-sums.ts'
import {
  checkLength,
  checkReshape,
  countOf,
  map,
  pick,
  product,
  reshape,
  Tensor,
} from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { type Value, type ValueMap } from '../values/values.ts'

const LATENT_PIXEL = 8
const f = Math.fround

const samplesOf = (latent: ValueMap): Tensor => memberTensor(latent)

/** A side that the samples must have. */
function withSide({ shape: { length } }: Tensor, side: number): number {
  return side < length
    ? side
    : raise(
        'IndexError',
        `Dimension out of range (expected to be in range of [${-length}, ${length - 1}], but got ${side})`,
      )
}

const sides: Readonly<Record<string, number>> = { x: -1, y: -2, t: -3 }

/** The dimension that a choice like `-x` names: that of the first of x, y and t in it. */
const sideOf = (choice: string, { shape }: Tensor, ofNone: () => never): number => {
  const name = Object.keys(sides).find((side) => choice.includes(side))
  return name === undefined ? ofNone() : shape.length + (sides[name] as number)
}

const notDimension = (): never => raise('TypeError', "cat(): argument 'dim' must be int, not str")
const notIndex = (): never => raise('TypeError', wrongIndex('tuple', 'str'))

function concat({ members, text }: Inputs): readonly Value[] {
  const first = members('samples1', '.copy')
  const one = samplesOf(first)
  const other = toCount(samplesOf(members('samples2')), countOf(one))
  const parts = text('dim').includes('-') ? [other, one] : [one, other]
  return [withMember(first, concatenate(parts, sideOf(text('dim'), one, notDimension)))]
}

function cut({ members, number, text }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const dimension = sideOf(text('dim'), samples, notIndex)
  const side = samples.shape[dimension] ?? 0
  const [given, amount] = [number('index'), number('amount')]
  const start = given >= 0 ? Math.min(given, side - 1) : Math.max(given, -side) + side
  const length = Math.min(side - start, amount)
  if (length < 0) raise('RuntimeError', 'narrow(): length must be non-negative.')
  return [withMember(latent, slice(samples, dimension, start, start + length))]
}

/** A part in pixels; it stays inside where the latent is large enough. */
function crop({ members, number }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  if (samples.shape.length < 4) raise('IndexError', 'tuple index out of range')
  const [, , rows = 0, columns = 0] = samples.shape
  const unit = (name: string): number => Math.floor(number(name) / LATENT_PIXEL)
  const x = unit('x') > columns - LATENT_PIXEL ? columns - LATENT_PIXEL : unit('x')
  const y = unit('y') > rows - LATENT_PIXEL ? rows - LATENT_PIXEL : unit('y')
  const part = slice(slice(samples, 2, y, y + unit('height')), 3, x, x + unit('width'))
  return [withMember(latent, part)]
}

const indicesOf = (latent: ValueMap, from: number, count: number): Value[] => {
  const given = latent.get('batch_index')
  return Array.isArray(given) ? given : Array.from({ length: count }, (_, at) => from + at)
}

function joinBatches({ members }: Inputs): readonly Value[] {
  const [first, second] = [members('samples1', '.copy'), members('samples2')]
  const one = samplesOf(first)
  const other = inSize(samplesOf(second), one.shape)
  const indices = [...indicesOf(first, 0, countOf(one)), ...indicesOf(second, 0, countOf(other))]
  return [withMember(withMember(first, concatenate([one, other], 0)), indices, 'batch_index')]
}

/** Some of a batch, with the part of its mask and its numbers. */
function fromBatch({ members, number }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const count = countOf(samples)
  const first = Math.min(count - 1, number('batch_index'))
  const length = Math.min(count - first, number('length', 1))
  let part = withMember(latent, slice(samples, 0, first, first + length))
  const mask = latent.get('noise_mask')
  if (mask instanceof Tensor && countOf(mask) > 1) {
    const repeated =
      countOf(mask) < count ? repeatedTimes(mask, Math.ceil(count / countOf(mask))) : mask
    part = withMember(part, slice(repeated, 0, first, first + length), 'noise_mask')
  }
  const given = latent.get('batch_index')
  const indices = Array.isArray(given)
    ? given.slice(first, first + length)
    : indicesOf(latent, first, length)
  return [withMember(part, indices, 'batch_index')]
}

const repeatedTimes = (tensor: Tensor, times: number): Tensor => {
  const count = countOf(tensor)
  return pick(
    tensor,
    Array.from({ length: count * times }, (_, at) => at % count),
  )
}

function repeat({ members, number }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const amount = number('amount', 1)
  if (amount < 0) {
    const shape = [countOf(samples) * amount, ...samples.shape.slice(1)]
    const text = `Trying to create tensor with negative dimension ${shape[0]}: [${shape.join(', ')}]`
    raise('RuntimeError', text)
  }
  checkLength(countOf(samples) * amount)
  let all = withMember(latent, repeatedTimes(samples, amount))
  const mask = latent.get('noise_mask')
  // Masks are repeated as they are, also where they are fewer than the samples.
  if (mask instanceof Tensor && countOf(mask) > 1)
    all = withMember(all, repeatedTimes(mask, amount), 'noise_mask')
  const given = latent.get('batch_index')
  if (!Array.isArray(given)) return [all]
  const numbers = given as number[]
  const offset = Math.max(...numbers) - Math.min(...numbers) + 1
  const indices = Array.from({ length: Math.max(1, amount) }, (_, at) =>
    numbers.map((index) => index + at * offset),
  ).flat()
  return [withMember(all, indices, 'batch_index')]
}

function seedBehaviour({ members, text }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const others = new Map(latent)
  if (text('seed_behavior') === 'random') others.delete('batch_index')
  if (text('seed_behavior') === 'fixed') {
    const given = latent.get('batch_index')
    const [first = 0] = Array.isArray(given) ? given : [0]
    others.set('batch_index', Array<Value>(countOf(samples)).fill(first))
  }
  return [others]
}

/** A change of the samples of one latent. */
const changed =
  (change: (samples: Tensor, inputs: Inputs) => Tensor) =>
  (inputs: Inputs): readonly Value[] => {
    const latent = inputs.members('samples', '.copy')
    return [withMember(latent, change(samplesOf(latent), inputs))]
  }

export const latents: Family = {
  LatentBatch: joinBatches,
  LatentBatchSeedBehavior: seedBehaviour,
  LatentConcat: concat,
  LatentCrop: crop,
  LatentCut: cut,
  LatentFlip: changed((samples, { text }) => {
    const method = text('flip_method')
    const side = method.startsWith('x') ? 2 : method.startsWith('y') ? 3 : undefined
    return side === undefined ? samples : flip(samples, withSide(samples, side))
  }),
  LatentFromBatch: fromBatch,
  LatentMultiply: changed((samples, { number }) =>
    map(samples, (value) => value * f(number('multiplier'))),
  ),
  LatentRotate: changed((samples, { text }) =>
    rotate(samples, turnsOf(text('rotation')), withSide(samples, 3), 2),
  ),
  RepeatLatentBatch: repeat,
  SetLatentNoiseMask: ({ members, tensor }) => {
    const latent = members('samples', '.copy')
    const mask = tensor('mask', '.reshape')
    const [rows = 0, columns = 0] = mask.shape.slice(-2)
    checkReshape([1, rows, columns])
    const shape = [product(mask.shape.slice(0, -2)), 1, rows, columns]
    return [withMember(latent, reshape(mask, shape), 'noise_mask')]
  },
  TrimVideoLatent: changed((samples, { number }) => {
    const { length } = samples.shape
    if (length < 3) raise('IndexError', `too many indices for tensor of dimension ${length}`)
    return slice(samples, 2, number('trim_amount'), samples.shape[2] ?? 0)
  }),
}
