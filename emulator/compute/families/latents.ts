// Latents combined, cut, turned and counted.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { combine, concatenate, flip, rotate, slice, toCount } from '../values/layout.ts'
import { turnsOf } from './crops.ts'
import { scalePlanes } from '../arithmetic/scaling.ts'
import {
  checkLength,
  countOf,
  map,
  pick,
  product,
  reshape,
  sameShape,
  Tensor,
} from '../values/tensor.ts'
import { raise, type Value, type ValueMap } from '../values/values.ts'

const LATENT_PIXEL = 8
const f = Math.fround

const samplesOf = (latent: ValueMap): Tensor => memberTensor(latent)

/** Two latents; the second one in the size and number of the first. */
function pair({ members }: Inputs): readonly [ValueMap, Tensor, Tensor] {
  const first = members('samples1', '.copy')
  const [one, other] = [samplesOf(first), samplesOf(members('samples2'))]
  return [first, one, fitting(other, one.shape)]
}

function fitting(latent: Tensor, shape: readonly number[]): Tensor {
  const isSame = sameShape(latent.shape.slice(1), shape.slice(1))
  const [rows = 0, columns = 0] = shape.slice(-2)
  const scaled = isSame ? latent : scalePlanes(latent, columns, rows, 'bilinear', 'center')
  return toCount(scaled, shape[0] ?? 0)
}

/** The numbers of both, combined. */
const arithmetic =
  (change: (a: number, b: number) => number) =>
  (inputs: Inputs): readonly Value[] => {
    const [latent, one, other] = pair(inputs)
    return [withMember(latent, combine(one, other, change))]
  }

/** For each place, the length of the vector of its channels. */
function lengths(item: Float32Array, channels: number): Float32Array {
  const size = item.length / channels
  return Float32Array.from({ length: size }, (_, at) => {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += item[channel * size + at]! ** 2
    return Math.sqrt(sum)
  })
}

/**
 * Directions and lengths are interpolated apart. The real server divides by the lengths without regard to the batch:
 * that fits a batch of one, or one of as many as there are channels, whose lengths then stand for the channels.
 */
function interpolate(inputs: Inputs): readonly Value[] {
  const [latent, one, other] = pair(inputs)
  const [count = 0, channels = 1] = one.shape
  if (count !== 1 && count !== channels)
    raise(
      'RuntimeError',
      `The size of tensor a (${channels}) must match the size of tensor b (${count}) at non-singleton dimension 1`,
    )
  const ratio = inputs.number('ratio')
  const [share, rest] = [f(ratio), f(1 - ratio)]
  /** The lengths that belong to the channels of every item. */
  const lengthsOf = (tensor: Tensor): Tensor =>
    new Tensor(tensor.shape, (_, read) => {
      const size = product(tensor.shape.slice(2))
      const values = new Float32Array(channels * size)
      for (let channel = 0; channel < channels; channel++)
        values.set(lengths(read(tensor, count === 1 ? 0 : channel), channels), channel * size)
      return values
    })
  const [longA, longB] = [lengthsOf(one), lengthsOf(other)]
  const divide = (value: number, by: number): number => (by === 0 ? 0 : value / by)
  const sum = combine(combine(one, longA, divide), combine(other, longB, divide), (a, b) =>
    f(f(a * share) + f(b * rest)),
  )
  const long = combine(longA, longB, (a, b) => f(f(a * share) + f(b * rest)))
  return [
    withMember(
      latent,
      combine(combine(sum, lengthsOf(sum), divide), long, (a, b) => a * b),
    ),
  ]
}

function blend({ members, number }: Inputs): readonly Value[] {
  const first = members('samples1', '.copy')
  const one = memberTensor(first)
  let other = samplesOf(members('samples2'))
  if (!sameShape(one.shape, other.shape)) {
    if (other.shape.length !== 4) permuted(other.shape.length)
    other = scalePlanes(other, one.shape[3] as number, one.shape[2] as number, 'bicubic', 'center')
  }
  const share = number('blend_factor')
  return [
    withMember(
      first,
      combine(one, other, (a, b) => f(a * f(share)) + f(b * f(1 - share))),
    ),
  ]
}

const permuted = (sides: number): never =>
  raise(
    'RuntimeError',
    `permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = ${sides} is not equal to len(dims) = 4`,
  )

const sides: Readonly<Record<string, number>> = { x: -1, y: -2, t: -3 }

/** The dimension that a choice like `-x` names. */
const sideOf = (choice: string, { shape }: Tensor): number =>
  shape.length + (sides[choice.replace('-', '')] ?? -1)

function concat({ members, text }: Inputs): readonly Value[] {
  const first = members('samples1', '.copy')
  const one = samplesOf(first)
  const other = toCount(samplesOf(members('samples2')), countOf(one))
  const parts = text('dim').includes('-') ? [other, one] : [one, other]
  return [withMember(first, concatenate(parts, sideOf(text('dim'), parts[0] as Tensor)))]
}

function cut({ members, number, text }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const dimension = sideOf(text('dim'), samples)
  const side = samples.shape[dimension] ?? 0
  const [given, amount] = [number('index'), number('amount')]
  const start = given >= 0 ? Math.min(given, side - 1) : Math.max(given, -side) + side
  const length = Math.min(side - start, amount)
  return [withMember(latent, slice(samples, dimension, start, start + length))]
}

/** A part in pixels; it stays inside where the latent is large enough. */
function crop({ members, number }: Inputs): readonly Value[] {
  const latent = members('samples', '.copy')
  const samples = samplesOf(latent)
  const [rows = 0, columns = 0] = samples.shape.slice(-2)
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
  let other = samplesOf(second)
  const [rows = 0, columns = 0] = [one.shape[2], one.shape[3]]
  if (!sameShape(one.shape.slice(1), other.shape.slice(1)))
    other = scalePlanes(other, columns, rows, 'bilinear', 'center')
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
  if (mask instanceof Tensor && countOf(mask) > 1) {
    const whole =
      countOf(mask) < countOf(samples)
        ? toCount(
            repeatedTimes(mask, Math.ceil(countOf(samples) / countOf(mask))),
            countOf(samples),
          )
        : mask
    all = withMember(all, repeatedTimes(whole, amount), 'noise_mask')
  }
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
  LatentAdd: arithmetic((a, b) => a + b),
  LatentBatch: joinBatches,
  LatentBatchSeedBehavior: seedBehaviour,
  LatentBlend: blend,
  LatentConcat: concat,
  LatentCrop: crop,
  LatentCut: cut,
  LatentFlip: changed((samples, { text }) => {
    const method = text('flip_method')
    return method.startsWith('x')
      ? flip(samples, 2)
      : method.startsWith('y')
        ? flip(samples, 3)
        : samples
  }),
  LatentFromBatch: fromBatch,
  LatentInterpolate: interpolate,
  LatentMultiply: changed((samples, { number }) =>
    map(samples, (value) => value * f(number('multiplier'))),
  ),
  LatentRotate: changed((samples, { text }) => rotate(samples, turnsOf(text('rotation')), 3, 2)),
  LatentSubtract: arithmetic((a, b) => a - b),
  RepeatLatentBatch: repeat,
  SetLatentNoiseMask: ({ members, tensor }) => {
    const latent = members('samples', '.copy')
    const mask = tensor('mask', '.reshape')
    const [rows = 0, columns = 0] = mask.shape.slice(-2)
    const shape = [product(mask.shape.slice(0, -2)), 1, rows, columns]
    return [withMember(latent, reshape(mask, shape), 'noise_mask')]
  },
  TrimVideoLatent: changed((samples, { number }) =>
    slice(samples, 2, number('trim_amount'), samples.shape[2] ?? 0),
  ),
}
