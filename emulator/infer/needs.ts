// What the nodes of workflows need of a world: models, input files, values; and what a person should know about them.

import type { GivenScenario } from '../options/scenario.ts'
import { isFloat, isObject, type Json, type JsonObject, numberOf } from '../lib/json.ts'
import { isWebAddress } from '../server/world/named-files.ts'
import { splitAnnotation } from '../server/world/paths.ts'
import type { WorkflowNode } from './nodes.ts'

/**
 * What a reader of the world should know: what was guessed or taken from a server, what to look at, and what cannot run as
 * it is.
 */
export type Finding = {
  readonly kind: 'guessed' | 'taken' | 'look' | 'impossible'
  readonly file: string
  /** The node; null for a type of several nodes. */
  readonly node: string | null
  readonly says: string
}

/** A value of a combo. */
export type Value = string | number | boolean

export type Needs = {
  readonly models: Map<string, Set<string>>
  readonly files: Map<string, string>
  /** Further values of combos, by type and input. */
  readonly values: Map<string, Map<string, Set<Value>>>
  readonly findings: Finding[]
}

export const noNeeds = (): Needs => ({
  models: new Map(),
  files: new Map(),
  values: new Map(),
  findings: [],
})

type Start = NonNullable<GivenScenario['start']>

/** What a world starts with, so that it has what is needed. */
export const startOf = ({ models, files, values }: Needs): Start => ({
  models: Object.fromEntries(Array.from(models, ([folder, names]) => [folder, [...names].sort()])),
  ...(values.size > 0 && {
    values: Object.fromEntries(
      Array.from(values, ([class_type, inputs]) => [
        class_type,
        Object.fromEntries(Array.from(inputs, ([input, more]) => [input, [...more]])),
      ]),
    ),
  }),
  files: Array.from(files, ([path, placeholder]) => ({ path, placeholder })),
})

/** A literal that can be an option of a combo; undefined for any other value. */
export const valueOf = (value: Json | undefined): Value | undefined =>
  typeof value === 'string' || typeof value === 'boolean' ? value : numberOf(value)

export function addModel({ models }: Needs, folder: string, name: string): void {
  models.set(folder, (models.get(folder) ?? new Set()).add(name))
}

export function addValue({ values }: Needs, class_type: string, input: string, value: Value): void {
  const inputs = values.get(class_type) ?? new Map<string, Set<Value>>()
  values.set(class_type, inputs.set(input, (inputs.get(input) ?? new Set()).add(value)))
}

export function addFile(needs: Needs, node: WorkflowNode, value: string): void {
  if (isWebAddress(value)) return note(needs, 'impossible', node, webAddress(value))
  const { name, type } = splitAnnotation(value)
  if (name === '' || name.startsWith('/') || name.split('/').includes('..')) return
  needs.files.set(`${type ?? 'input'}/${name}`, sizeIn(node.graph))
}

export const webAddress = (value: string): string =>
  `${value} is a web address: your program replaces it`

/** The size of the pictures that a workflow makes, for those that it reads. */
function sizeIn(graph: JsonObject): string {
  for (const node of graph.values()) {
    const inputs = isObject(node) ? node.get('inputs') : undefined
    if (!isObject(inputs)) continue
    const [width, height] = [inputs.get('width'), inputs.get('height')].map(sideOf)
    if (width !== undefined && height !== undefined) return `${width}x${height}`
  }
  return '512x512'
}

const sideOf = (value: Json | undefined): number | undefined => {
  const number = isFloat(value) ? undefined : numberOf(value)
  return number !== undefined && Number.isInteger(number) && number >= 16 && number <= 8192
    ? number
    : undefined
}

export const note = (
  { findings }: Needs,
  kind: Finding['kind'],
  { file, id }: Pick<WorkflowNode, 'file'> & { readonly id: string | null },
  says: string,
): void => void findings.push({ kind, file, node: id, says })
