// Predicts a run: what each output node shows or saves, or which node ends the run with which type of exception.

import type { Graph } from '../../generate/graphs.ts'
import { blendNodes } from './blend-nodes.ts'
import { latentNodes } from './latent-nodes.ts'
import { greyOf, maskNodes } from './mask-nodes.ts'
import { joined, pictureNodes } from './picture-nodes.ts'
import { scalingNodes } from './scaling.ts'
import { textNodes } from './text-nodes.ts'
import {
  f32,
  Fails,
  fails,
  type Image,
  type Inputs,
  inputsOf,
  type Latent,
  type Ops,
  unpredicted,
  Unpredicted,
  type Value,
} from './values.ts'

/** What every node type of the model does. */
export const rightOps: Ops = {
  ...textNodes,
  ...pictureNodes,
  ...maskNodes,
  ...latentNodes,
  ...blendNodes(),
  ...scalingNodes(),
}

/** A saved picture; its bytes are null where only the size is predicted. */
export type PredictedFile = {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly bytes: readonly number[] | null
  /** The file name behind the folder; none for files with a random name. */
  readonly name?: string
}
/** What an output node leaves in the history. */
export type Shown = {
  readonly texts?: readonly string[]
  readonly files?: readonly PredictedFile[]
  readonly shape?: readonly number[]
}
export type Prediction = {
  /** The nodes that fail, with the types of their exceptions: the run ends with one of these if there are any. */
  readonly failures: ReadonlyMap<string, string>
  /** Nodes that the model says nothing about: they may fail or not. */
  readonly open: ReadonlySet<string>
  readonly outputs: ReadonlyMap<string, Shown>
}

/** How Python prints what PreviewAny shows. */
export function printed(value: Value): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return String(value)
  if (value.kind !== 'float') return unpredicted()
  return Number.isInteger(value.value) ? `${value.value}.0` : String(value.value)
}

/** A colour as it is saved: cut, not rounded. */
const cutByte = (value: number): number => Math.floor(Math.min(255, Math.max(0, f32(255 * value))))

const filesOf = (image: Image, byte: (value: number) => number): readonly PredictedFile[] => {
  const { width, height, channels, count, items } = image
  if (count === 0) return fails('IndexError')
  if (width === 0 || height === 0) return fails('ValueError')
  return Array.from({ length: count }, (_, at) => ({
    width,
    height,
    channels,
    bytes: items && (items[at] ?? []).map(byte),
  }))
}

/**
 * Names of saved files: the size of the first picture, the number in the batch, and a counter for each name. The counter
 * looks for files of the prefix as it is, so that it finds none where the prefix has a number in the batch.
 */
function named(prefix: string, files: readonly PredictedFile[], counters: Map<string, number>) {
  const { width, height } = files[0] ?? { width: 0, height: 0 }
  const own = prefix.replaceAll('%width%', `${width}`).replaceAll('%height%', `${height}`)
  let counter = counters.get(own) ?? 1
  const all = files.map((file, at) => {
    const base = own.split('/').at(-1)?.replaceAll('%batch_num%', `${at}`)
    return { ...file, name: `${base}_${String(counter++).padStart(5, '0')}_.png` }
  })
  if (!own.includes('%batch_num%')) counters.set(own, counter)
  return all
}

/** Files as they are in the end: each name has the content of the last. */
const overwritten = (files: readonly PredictedFile[]): readonly PredictedFile[] =>
  files.map((file) => files.findLast(({ name }) => name === file.name) ?? file)

/** How the model can be wrong, for servers that are. */
export type Twist = { readonly ops?: Ops; readonly byte?: (value: number) => number }

/** The lists that each slot of a node carries. Most nodes run once for each item; the last of a shorter list repeats. */
type Slots = readonly (readonly Value[])[]

export function predict(graph: Graph, twist: Twist = {}): Prediction {
  const ops = { ...rightOps, ...twist.ops }
  const byte = twist.byte ?? cutByte
  const failures = new Map<string, string>()
  const open = new Set<string>()
  const known = new Map<string, Slots | null>()
  const outputs = new Map<string, Shown>()
  const counters = new Map<string, number>()

  const listsOf = (id: string): Readonly<Record<string, readonly Value[]>> | null => {
    const lists: Record<string, readonly Value[]> = {}
    for (const [name, given] of Object.entries(graph[id]?.inputs ?? {})) {
      if (!Array.isArray(given)) {
        const isFloat = typeof given === 'number' && isFloatInput(graph[id]?.class_type ?? '', name)
        lists[name] = [isFloat ? { kind: 'float', value: given } : (given as Value)]
        continue
      }
      const [source, slot] = given as [string, number]
      const list = slotsOf(source)?.[slot]
      if (list === undefined && open.has(source)) unpredicted()
      if (list === undefined) return null
      lists[name] = list
    }
    return lists
  }
  /** The calls of a node: one for each item of the longest list. */
  const callsOf = (lists: Readonly<Record<string, readonly Value[]>>) => {
    const most = Math.max(1, ...Object.values(lists).map(({ length }) => length))
    return Array.from({ length: most }, (_, at) =>
      Object.fromEntries(
        Object.entries(lists).map(([name, list]) => [name, (list[at] ?? list.at(-1)) as Value]),
      ),
    )
  }
  const slotsOf = (id: string): Slots | null => {
    const found = known.get(id)
    if (found !== undefined) return found
    const slots = attempt(id, () => computed(id))
    known.set(id, slots)
    return slots
  }
  /** Notes the exception of a node; null for that, and for what the model says nothing about. */
  const attempt = <T>(id: string, make: () => T): T | null => {
    try {
      return make()
    } catch (error) {
      if (error instanceof Fails) failures.set(id, error.type)
      else if (error instanceof Unpredicted) open.add(id)
      else throw error
      return null
    }
  }
  const computed = (id: string): Slots | null => {
    const own = graph[id]
    if (own === undefined) return unpredicted()
    const lists = listsOf(id)
    if (lists === null) return null
    const { class_type } = own
    if (class_type === 'RebatchImages') return [rebatched(lists)]
    const op = ops[class_type] ?? unpredicted()
    const results = callsOf(lists).map((given) => op(inputsOf(class_type, given)))
    const slots = Math.max(...results.map(({ length }) => length))
    return Array.from({ length: slots }, (_, slot) => results.map((one) => one[slot] as Value))
  }
  const shown = (id: string): Shown | null => {
    const lists = listsOf(id)
    const { class_type } = graph[id] as Graph[string]
    if (lists === null) return null
    const calls = callsOf(lists)
    const inputs = calls.map((given) => inputsOf(class_type, given))
    switch (class_type) {
      case 'PreviewAny':
        return { texts: calls.map(({ source }) => printed(source as Value)) }
      case 'PreviewImage':
        return { files: inputs.flatMap(({ image }) => filesOf(image('images'), byte)) }
      case 'MaskPreview':
        return { files: inputs.flatMap(({ mask }) => filesOf(greyOf(mask('mask')), byte)) }
      case 'SaveImage':
        return {
          files: overwritten(
            inputs.flatMap(({ image, text }) =>
              named(text('filename_prefix'), filesOf(image('images'), byte), counters),
            ),
          ),
        }
      case 'SaveLatent':
        return { shape: latentOf(inputs[0]).shape }
      default:
        return null
    }
  }
  for (const [id, { class_type }] of Object.entries(graph)) {
    if (!outputTypes.has(class_type)) continue
    const result = attempt(id, () => shown(id))
    if (result !== null) outputs.set(id, result)
  }
  return { failures, open, outputs }
}

const latentOf = (inputs: Inputs | undefined): Latent =>
  inputs === undefined ? unpredicted() : inputs.latent('samples')

const outputTypes = new Set([
  'PreviewAny',
  'PreviewImage',
  'MaskPreview',
  'SaveImage',
  'SaveLatent',
])

/** Inputs that the server makes floats of. */
const isFloatInput = (class_type: string, name: string): boolean =>
  (class_type === 'PrimitiveFloat' && name === 'value') ||
  (class_type === 'SolidMask' && name === 'value')

/** Pictures of lists in batches of another length: it takes whole lists. */
function rebatched(lists: Readonly<Record<string, readonly Value[]>>): readonly Value[] {
  const calls = (lists['images'] ?? []).map((images) => inputsOf('RebatchImages', { images }))
  const singles = calls.flatMap(({ image }) => {
    const given = image('images')
    return Array.from({ length: given.count }, (_, at): Image => {
      const items = given.items && [given.items[at] ?? []]
      return { ...given, count: 1, items }
    })
  })
  const [given = 1] = lists['batch_size'] ?? []
  const size = typeof given === 'number' ? given : unpredicted()
  if (size === 0) fails('ValueError')
  if (size < 0 || singles.length === 0) return unpredicted()
  const groups: Image[] = []
  for (let at = 0; at < singles.length; at += size)
    groups.push(joined(singles.slice(at, at + size)))
  return groups
}
