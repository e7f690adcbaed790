// Two latents in one: sums and what lies between them.

import { type Family, type Inputs, memberTensor, withMember } from '../values/inputs.ts'
import { combine, toCount } from '../values/layout.ts'
import { scaleLatent } from '../arithmetic/latent-scaling.ts'
import { product, sameShape, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { type Value, type ValueMap } from '../values/values.ts'

const f = Math.fround

const samplesOf = (latent: ValueMap): Tensor => memberTensor(latent)

/** Two latents; the second one in the size and number of the first. */
function pair({ members }: Inputs): readonly [ValueMap, Tensor, Tensor] {
  const first = members('samples1', '.copy')
  const [one, other] = [samplesOf(first), samplesOf(members('samples2'))]
  return [first, one, fitting(other, one.shape)]
}

/** A latent in the size of another one. */
export function inSize(latent: Tensor, shape: readonly number[]): Tensor {
  const isSame = sameShape(latent.shape.slice(1), shape.slice(1))
  const [rows = 0, columns = 0] = shape.slice(-2)
  return isSame ? latent : scaleLatent(latent, columns, rows, 'bilinear', 'center')
}

const fitting = (latent: Tensor, shape: readonly number[]): Tensor =>
  toCount(inSize(latent, shape), shape[0] ?? 0)

/** The numbers of both, combined. */
const arithmetic =
  (change: (a: number, b: number) => number) =>
  (inputs: Inputs): readonly Value[] => {
    const [latent, one, other] = pair(inputs)
    return [withMember(latent, combine(one, other, change))]
  }

/** For each place, the length of the vector of its channels: without the side of the channels. */
function lengthsOf(tensor: Tensor): Tensor {
  const [count = 0, channels = 1, ...rest] = tensor.shape
  const size = product(rest)
  const lengths = (item: Float32Array): Float32Array =>
    Float32Array.from({ length: size }, (_, at) => {
      let sum = 0
      for (let channel = 0; channel < channels; channel++) sum += item[channel * size + at]! ** 2
      return Math.sqrt(sum)
    })
  if (rest.length > 0)
    return new Tensor([count, ...rest], (index, read) => lengths(read(tensor, index)))
  // Vectors of one side are made as a whole.
  return new Tensor([count], (_, read) =>
    Float32Array.from({ length: count }, (_none, index) => lengths(read(tensor, index))[0]!),
  )
}

/** Not a number and infinity become numbers, as torch replaces them. */
const finite = (value: number): number =>
  Number.isNaN(value) ? 0 : Math.max(-MOST_FLOAT, Math.min(value, MOST_FLOAT))
const MOST_FLOAT = (2 - 2 ** -23) * 2 ** 127

/**
 * Directions and lengths are interpolated apart. The real server divides by the lengths without regard to the batch:
 * that fits a batch of one, or one of as many as there are channels, whose lengths then stand for the channels.
 */
function interpolate(inputs: Inputs): readonly Value[] {
  const [latent, one, other] = pair(inputs)
  const ratio = inputs.number('ratio')
  const [share, rest] = [f(ratio), f(1 - ratio)]
  const [longA, longB] = [lengthsOf(one), lengthsOf(other)]
  const divide = (value: number, by: number): number => finite(value / by)
  const mix = (a: number, b: number): number => f(f(a * share) + f(b * rest))
  const sum = combine(combine(one, longA, divide), combine(other, longB, divide), mix)
  const direction = combine(sum, lengthsOf(sum), divide)
  const long = combine(longA, longB, mix)
  return [
    withMember(
      latent,
      combine(direction, long, (a, b) => a * b),
    ),
  ]
}

function blend({ members, number }: Inputs): readonly Value[] {
  const first = members('samples1', '.copy')
  const one = memberTensor(first)
  let other = samplesOf(members('samples2'))
  if (!sameShape(one.shape, other.shape)) {
    if (other.shape.length !== 4) permuted(other.shape.length)
    const [, , rows, columns] = one.shape
    if (rows === undefined || columns === undefined)
      return raise('IndexError', 'tuple index out of range')
    other = scaleLatent(other, columns, rows, 'bicubic', 'center')
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

export const latentSums: Family = {
  LatentAdd: arithmetic((a, b) => a + b),
  LatentBlend: blend,
  LatentInterpolate: interpolate,
  LatentSubtract: arithmetic((a, b) => a - b),
}
