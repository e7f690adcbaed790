// Node types that compute their outputs without a model [nodes/*]: what they are called with, and what becomes of it.

import {
  countOf,
  evaluate,
  Instance,
  isChecked,
  isComputed,
  isMap,
  LATENT_PIXEL,
  Tensor,
  type Value as Computed,
  valueOfOutput as computedOf,
} from '../../compute/index.ts'
import { raise, Raised } from '../../lib/raised.ts'
import { limits } from '../../../spec/limits.ts'
import { hash53 } from '../../lib/random.ts'
import { type Json, writeJson } from '../../lib/json.ts'
import type {
  FileSource,
  Output,
  Picture,
  PictureType,
  Recipe,
  Source,
} from '../../pictures/picture.ts'
import { batchPictures, type Call, failing } from './node.ts'
import { fileSource } from './named-sources.ts'
import type { Value, Work } from '../state/nodes.ts'

/** The work of a node that computes, or undefined: its type does not, or its inputs come from a model. */
export function computedWork(call: Call): Work | undefined {
  const { class_type } = call.type
  if (!isComputed(class_type)) return undefined
  const recipe = recipeOf(call)
  if (recipe === undefined) return undefined
  try {
    checkSides(call, recipe)
    const values = evaluate(recipe)
    const outputs = call.type.outputs.map((_, slot) => outputOf(call, recipe, slot, values))
    // The only type of these that also sends its result as a text frame while it runs.
    if (class_type !== 'GetImageSize') return { outputs, steps: 0 }
    const [width, height, count] = values as readonly number[]
    const text = `width: ${width}, height: ${height}\n batch size: ${count}`
    return { outputs, steps: 0, text }
  } catch (error) {
    return raised(error)
  }
}

/** The work of a node that ends with an exception. Passes other errors on. */
function raised(error: unknown): Work {
  if (error instanceof Raised) return failing(error.type, error.message)
  throw error
}

/** Inputs of saving nodes whose values are checked in any case. */
const settings = new Set(['fps', 'quality', 'compress_level', 'codec', 'format'])

/**
 * The failure of a saving node that cannot use its inputs, or undefined. Pictures that are not computed always fit: they
 * are not evaluated for this.
 */
export function failedCheck(call: Call): Work | undefined {
  if (!isChecked(call.type.class_type)) return undefined
  const isPlain = ({ kind, ...value }: Value): boolean => kind === 'picture' && !('of' in value)
  const needsCheck = [...call.inputs].some(
    ([name, value]) => settings.has(name) || (name !== 'filename_prefix' && !isPlain(value)),
  )
  const recipe = needsCheck ? recipeOf(call) : undefined
  if (recipe === undefined) return undefined
  try {
    checkSides(call, recipe)
    evaluate(recipe)
    return undefined
  } catch (error) {
    return raised(error)
  }
}

/** How many sides the tensors of a type can have. Links whose types nobody has checked may bring others. */
const sides: Readonly<Record<string, readonly [least: number, most: number]>> = {
  IMAGE: [4, 4],
  MASK: [2, 4],
  SIGMAS: [1, 1],
}

function checkSides({ type }: Call, { inputs }: Recipe): void {
  for (const { name, type: declared } of type.inputs) {
    const [least, most] = (typeof declared === 'string' ? sides[declared] : undefined) ?? []
    const source = inputs[name]
    const value = source?.kind === 'output' ? computedOf(source.of) : undefined
    if (least === undefined || most === undefined || !(value instanceof Tensor)) continue
    const count = value.shape.length
    if (count < least)
      raise('ValueError', `not enough values to unpack (expected ${least}, got ${count})`)
    if (count > most) raise('ValueError', `too many values to unpack (expected ${most})`)
  }
}

function recipeOf(call: Call): Recipe | undefined {
  const inputs: Record<string, Source> = {}
  let depth = 0
  let effort = 0
  for (const [name, value] of call.inputs) {
    const declared = call.type.inputs.find((input) => input.name === name)?.type
    const source = fileSource(call, name) ?? sourceOf(value, declared)
    if (source === undefined) return undefined
    inputs[name] = source
    if (source.kind === 'pictures') depth = Math.max(depth, depthOf(source.pictures[0]))
    if (source.kind === 'file') depth = Math.max(depth, depthOfFile(source))
    if (value.kind === 'picture') effort += effortOf(value.picture)
    if (source.kind !== 'output') continue
    depth = Math.max(depth, source.of.recipe.depth)
  }
  if (depth >= limits.computedChain.value) return undefined
  const id = hash53(`${call.world.setup.pictureSeed}:${call.hash}`)
  const { class_type } = call.type
  const recipe = { class_type, id, inputs, depth: depth + 1, effort: Math.min(effort, MOST_EFFORT) }
  return call.world.setup.traits.nodesOf2026 ? { ...recipe, later: true } : recipe
}

/** The picture that a node of this type returns for a picture as `image` and for literals. */
export function computedFrom(
  of: Picture,
  class_type: string,
  literals: Readonly<Record<string, Json>>,
): Picture {
  const inputs: Record<string, Source> = {
    image: { kind: 'pictures', as: 'IMAGE', pictures: [of] },
  }
  for (const [name, value] of Object.entries(literals)) inputs[name] = { kind: 'literal', value }
  const id = hash53(
    `${class_type} ${writeJson(new Map(Object.entries(literals)))} of ${of.kind} ${of.id}`,
  )
  const recipe = { class_type, id, inputs, depth: depthOf(of) + 1, effort: effortOf(of) }
  const [tensor] = evaluate(recipe) as readonly [Tensor]
  return pictureOf(id, { recipe, slot: 0, item: null }, tensor)
}

/** About how many numbers it takes to make a picture. */
const effortOf = (picture: Picture): number =>
  picture.kind === 'computed' ? picture.effort : picture.width * picture.height * 4

/** How many nodes a picture that is not computed itself is behind: it may have been saved and loaded again. */
function depthOf(picture: Picture | undefined): number {
  let depth = 0
  for (let next = picture; next !== undefined; depth++) {
    if (next.kind === 'computed') return depth + next.of.recipe.depth
    next = 'of' in next ? next.of : undefined
  }
  return depth
}

/** The same of a file that is made of pictures or of a sound. */
const depthOfFile = ({ made }: FileSource): number =>
  Math.max(depthOf(made?.pictures[0]), made?.sound?.of?.recipe.depth ?? 0)

/** Effort is not counted beyond this: it only says that something takes long. */
const MOST_EFFORT = 1e12

/** Where an input is found; undefined if it comes from a model. */
export function sourceOf(value: Value, declared: string | Json[] | undefined): Source | undefined {
  if (value.kind === 'literal') return { kind: 'literal', value: value.value }
  if (value.kind === 'blocked') return undefined
  if (value.kind === 'picture' && value.items !== undefined) {
    const items = value.items.map((item) => sourceOf(item, declared))
    return items.includes(undefined) ? undefined : { kind: 'list', items: items as Source[] }
  }
  if (value.of !== undefined) return { kind: 'output', of: value.of }
  if (value.kind !== 'picture') return undefined
  const as = pictureTypes.find((type) => type === declared) ?? value.as
  return as === undefined ? undefined : { kind: 'pictures', as, pictures: batchPictures(value) }
}

export const pictureTypes: readonly PictureType[] = ['IMAGE', 'MASK', 'LATENT']

function outputOf(
  call: Call,
  recipe: Recipe,
  slot: number,
  values: readonly Computed[],
): Value | readonly Value[] {
  const value = values[slot] ?? null
  const isList = call.type.outputIsList[slot] === true
  if (!isList || !Array.isArray(value))
    return linkValue(call.type.outputs[slot], { recipe, slot, item: null }, value)
  return value.map((one, item) => linkValue(call.type.outputs[slot], { recipe, slot, item }, one))
}

/** A computed value on a link. */
export function linkValue(type: string | Json[] | undefined, of: Output, value: Computed): Value {
  const id = hash53(`${of.recipe.id} ${of.slot} ${of.item}`)
  if (value instanceof Tensor && (type === 'IMAGE' || type === 'MASK'))
    return { kind: 'picture', picture: pictureOf(id, of, value), count: countOf(value), of }
  const samples = isMap(value) ? value.get('samples') : undefined
  if (type === 'LATENT' && samples instanceof Tensor)
    return { kind: 'picture', picture: latentPicture(id, of, samples), count: countOf(samples), of }
  if (value instanceof Tensor || value instanceof Instance || isMap(value) || Array.isArray(value))
    return { kind: 'opaque', id, count: type === 'SIGMAS' ? stepsOf(value) : 0, of }
  return { kind: 'literal', value: value as Json }
}

const stepsOf = (value: Computed): number =>
  value instanceof Tensor ? Math.max(0, (value.shape[0] ?? 1) - 1) : 0

function pictureOf(id: number, of: Output, { shape }: Tensor): Picture {
  const [, height = 0, width = 0, channels = 1] = shape
  const effort = of.recipe.effort + height * width * channels
  return { kind: 'computed', id, width, height, of, index: 0, effort }
}

/** How many pixels a side of a latent pixel has, by the number of channels, where it is not the usual number. */
const latentPixels: Readonly<Record<number, number>> = { 3: 1, 64: 32, 128: 32 }

/** Empty latents are black, until a sampler paints on them. */
function latentPicture(id: number, of: Output, { shape }: Tensor): Picture {
  const [rows = 1, columns = 1] = shape.slice(-2)
  const unit = shape.length < 4 ? 1 : (latentPixels[shape[1] ?? 0] ?? LATENT_PIXEL)
  const [width, height] = [columns * unit, rows * unit]
  if (of.recipe.class_type.startsWith('Empty'))
    return { kind: 'solid', id, width, height, color: 0 }
  return {
    kind: 'computed',
    id,
    width,
    height,
    of,
    index: 0,
    effort: of.recipe.effort + width * height,
  }
}
