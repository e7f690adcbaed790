// Batches put together and divided anew.

import { type Family, type Inputs, memberTensor } from '../values/inputs.ts'
import { concatenate, slice, toCount } from '../values/layout.ts'
import { countOf, filled, join, sameShape, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { isMap, misused, type Value, type ValueMap } from '../values/values.ts'

/** The items of an input that takes whole lists. */
const listOf = (value: Value): readonly Value[] => (Array.isArray(value) ? value : [value])

function rebatchImages({ value, number }: Inputs): readonly Value[] {
  const images = listOf(value('images')).flatMap((image) => {
    if (!(image instanceof Tensor)) return misused(image, '.shape')
    return Array.from({ length: countOf(image) }, (_, at) => slice(image, 0, at, at + 1))
  })
  const size = number('batch_size', 1)
  if (size === 0) raise('ValueError', 'range() arg 3 must not be zero')
  return [groups(images, size).map((group) => concatenate(group, 0))]
}

/** Python's range has nothing in it for a step below 0. */
function groups<Item>(items: readonly Item[], size: number): Item[][] {
  const grouped: Item[][] = []
  if (size < 0) return grouped
  for (let at = 0; at < items.length; at += size) grouped.push(items.slice(at, at + size))
  return grouped
}

/** A latent with a mask for each of its items, and their numbers. */
type Batch = { readonly samples: Tensor; readonly mask: Tensor; readonly indices: readonly Value[] }

const LATENT_PIXEL = 8

function batchOf(latent: ValueMap, offset: number): Batch {
  const samples = memberTensor(latent)
  const count = countOf(samples)
  const [rows = 0, columns = 0] = samples.shape.slice(-2)
  const given = latent.get('noise_mask')
  const whole = [count, 1, rows * LATENT_PIXEL, columns * LATENT_PIXEL]
  const mask = given instanceof Tensor ? toCount(given, count) : filled(whole, 1)
  const own = latent.get('batch_index')
  const indices = Array.isArray(own) ? own : Array.from({ length: count }, (_, at) => at + offset)
  return { samples, mask, indices }
}

const cut = ({ samples, mask, indices }: Batch, start: number, end: number): Batch => ({
  samples: slice(samples, 0, start, end),
  mask: slice(mask, 0, start, end),
  indices: indices.slice(start, end),
})

const joined = (a: Batch, b: Batch): Batch => ({
  samples: join([a.samples, b.samples]),
  mask: join([a.mask, b.mask]),
  indices: [...a.indices, ...b.indices],
})

/** Latents of one size in batches of this number; another size begins a new one. */
function rebatchLatents({ value, number }: Inputs): readonly Value[] {
  const size = number('batch_size', 1)
  const done: Batch[] = []
  let open: Batch | undefined
  let processed = 0
  const flush = (all: Batch): Batch | undefined => {
    if (size === 0) raise('ZeroDivisionError', 'integer division or modulo by zero')
    // With a negative size nothing is cut, and nothing is left.
    if (size < 0) return undefined
    const whole = Math.floor(countOf(all.samples) / size) * size
    for (let at = 0; at < whole; at += size) done.push(cut(all, at, at + size))
    return whole < countOf(all.samples) ? cut(all, whole, countOf(all.samples)) : undefined
  }
  for (const latent of listOf(value('latents'))) {
    if (!isMap(latent)) misused(latent, 'key')
    const next = batchOf(latent, processed)
    processed += countOf(next.samples)
    const fits =
      open !== undefined &&
      sameShape(open.samples.shape.slice(1), next.samples.shape.slice(1)) &&
      sameShape(open.mask.shape.slice(1), next.mask.shape.slice(1))
    if (open !== undefined && !fits) done.push(open)
    open = flush(fits && open !== undefined ? joined(open, next) : next)
  }
  if (open !== undefined) done.push(open)
  return [done.map(latentOf)]
}

/** The latent of a batch: a mask that is white everywhere is left out. */
function latentOf({ samples, mask, indices }: Batch): ValueMap {
  const latent: ValueMap = new Map<string, Value>([['samples', samples]])
  if (mask.fill !== 1) latent.set('noise_mask', mask)
  return latent.set('batch_index', [...indices])
}

export const batches: Family = {
  RebatchImages: rebatchImages,
  RebatchLatents: rebatchLatents,
}
