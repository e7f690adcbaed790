// A world for workflows: the node types, the models and the input files that they need, inferred from the workflows
// themselves. Types that the catalogue has stay as they are.

import type { GivenScenario } from '../options/scenario.ts'
import { isFloat, isObject, type Json, type JsonObject, numberOf } from '../lib/json.ts'
import { didYouMean } from '../lib/nearest.ts'
import { pythonEquals } from '../lib/python.ts'
import { linkOf } from '../server/graph/graph.ts'
import { isCombo, isModelFile, modelFolders, optionsOf } from '../server/nodes/catalog.ts'
import type { DeclaredInput, NodeType } from '../server/state/nodes.ts'
import { fileInputOf, isWebAddress } from '../server/world/named-files.ts'
import { splitAnnotation } from '../server/world/paths.ts'
import { folderByInput, isMediaName, isModelName, isTemplate } from './names.ts'
import { outputNodeOf } from './output-nodes.ts'
import { type Catalogue, type NamedWorkflow, nodesOf, type WorkflowNode } from './nodes.ts'
import { inferTypes, type UnknownType } from './types.ts'

/** What a reader of the world should know: what was guessed, what to look at, and what cannot run as it is. */
export type Finding = {
  readonly kind: 'guessed' | 'look' | 'impossible'
  readonly file: string
  /** The node; null for a type of several nodes. */
  readonly node: string | null
  readonly says: string
}

export type InferredWorld = {
  readonly scenario: GivenScenario
  readonly findings: readonly Finding[]
}

/** How much a server for workflows accepts. */
export type InferOptions = {
  /** Whether it accepts unlisted values of known combos. */
  readonly values: boolean
  /** Whether it checks combos that are declared as COMBO. */
  readonly checksNewCombos: boolean
}

type Start = NonNullable<GivenScenario['start']>

/** What the nodes of the catalogue add to a world. */
type Needs = InferOptions & {
  readonly models: Map<string, Set<string>>
  readonly files: Map<string, string>
  /** Further values of combos, by type and input. */
  readonly more: Map<string, Map<string, Set<Value>>>
  readonly findings: Finding[]
}

/** A value of a combo. */
type Value = string | number | boolean

/** The world in which these workflows run. */
export function inferWorld(
  workflows: readonly NamedWorkflow[],
  typeOf: Catalogue,
  options: InferOptions,
): InferredWorld {
  const nodes = workflows.flatMap(nodesOf)
  const needs: Needs = {
    ...options,
    models: new Map(),
    files: new Map(),
    more: new Map(),
    findings: [],
  }
  for (const node of nodes) {
    const type = typeOf(node.class_type)
    if (type === undefined) lookAtUnknown(needs, node)
    else lookAtKnown(needs, node, type)
    for (const [input, value] of node.inputs) lookAtValue(needs, node, input, value)
  }
  const unknown = inferTypes(nodes, typeOf)
  const types = Object.fromEntries(unknown.map((type) => [type.class_type, entryOf(type)]))
  const rules = unknown.flatMap(({ class_type }) => {
    const known = outputNodeOf(class_type)
    return known?.outputs === undefined ? [] : [{ class_type, outputs: known.outputs }]
  })
  const start: Start = {
    models: Object.fromEntries(
      [...needs.models].map(([folder, names]) => [folder, [...names].sort()]),
    ),
    ...(needs.more.size > 0 && { values: plainValues(needs.more) }),
    files: Array.from(needs.files, ([path, placeholder]) => ({ path, placeholder })),
  }
  const findings = [...unknown.map(findingOf), ...needs.findings]
  return { scenario: { version: 1, start, types, nodes: rules }, findings }
}

const plainValues = (more: Needs['more']): NonNullable<Start['values']> =>
  Object.fromEntries(
    Array.from(more, ([class_type, inputs]) => [
      class_type,
      Object.fromEntries(Array.from(inputs, ([input, values]) => [input, [...values]])),
    ]),
  )

/** The entry of a type in the form of GET /object_info. */
function entryOf({ class_type, inputs, outputs, isOutput }: UnknownType): object {
  const known = outputNodeOf(class_type)
  const group = (isRequired: boolean): object =>
    Object.fromEntries(
      inputs.filter((one) => one.isRequired === isRequired).map(({ name, type }) => [name, [type]]),
    )
  const output =
    known === undefined ? outputs : [...known.output, ...outputs.slice(known.output.length)]
  return {
    input: { required: group(true), optional: group(false) },
    output,
    output_node: isOutput || known !== undefined,
  }
}

const findingOf = ({ class_type, inputs, outputs, isOutput, files }: UnknownType): Finding => {
  const returned = outputs.length === 0 ? '' : ` (${outputs.join(', ')})`
  const role = isOutput ? ', an output node' : ''
  return {
    kind: 'guessed',
    file: files.join(', '),
    node: null,
    says: `${class_type}: ${inputs.length} inputs, ${outputs.length} outputs${returned}${role}`,
  }
}

/** What a node of the catalogue names: models of its loader, and input files. */
function lookAtKnown(needs: Needs, node: WorkflowNode, type: NodeType): void {
  if (type.apiNode)
    note(needs, 'look', node, `${node.class_type} needs a partner key in extra_data of the submit`)
  const file = fileInputOf(node.class_type)
  for (const input of type.inputs) {
    const value = valueOf(node.inputs.get(input.name))
    if (value === undefined || (typeof value === 'string' && isTemplate(value))) continue
    if (file?.name === input.name) addFile(needs, node, `${value}`)
    else if (isChecked(needs, input) && !optionsOf(input).some((one) => pythonEquals(one, value)))
      lookAtOption(needs, node, input, value)
  }
}

/** A literal that can be an option of a combo; undefined for any other value. */
const valueOf = (value: Json | undefined): Value | undefined =>
  typeof value === 'string' || typeof value === 'boolean' ? value : numberOf(value)

/** Whether a server compares the values of an input with its options. */
const isChecked = ({ checksNewCombos }: Needs, input: DeclaredInput): boolean =>
  Array.isArray(input.type) || (checksNewCombos && isCombo(input))

/** A value that a combo does not list: a model file for its folder, a value of another version, or a mistake. */
function lookAtOption(needs: Needs, node: WorkflowNode, input: DeclaredInput, value: Value): void {
  const { class_type } = node
  const { name } = input
  const folder = folderOf(class_type, input)
  const isText = typeof value === 'string'
  if (value === '')
    return note(needs, 'impossible', node, `${name} is empty: your program fills it in`)
  if (isText && isWebAddress(value))
    return note(needs, 'impossible', node, `${name}: ${webAddress(value)}`)
  if (folder !== undefined && isText && isModelName(value)) return addModel(needs, folder, value)
  if (needs.values) addValue(needs, class_type, name, value)
  const meant = didYouMean(`${value}`, optionsOf(input).map(String))
  const then = needs.values ? '--values adds it' : 'a submit is refused, unless --values adds it'
  note(needs, 'look', node, `${name}: ${value} is not an option of ${class_type}; ${then}.${meant}`)
}

function addValue({ more }: Needs, class_type: string, input: string, value: Value): void {
  const inputs = more.get(class_type) ?? new Map<string, Set<Value>>()
  more.set(class_type, inputs.set(input, (inputs.get(input) ?? new Set()).add(value)))
}

/** The folder whose files a combo lists. */
const folderOf = (class_type: string, { name, type }: DeclaredInput): string | undefined => {
  const combos = Object.entries(modelFolders)
  const own = combos.find(([, combo]) => combo?.[0] === class_type && combo[1] === name)
  if (own !== undefined) return own[0]
  // Other loaders of a folder name their input as the first one does.
  const listsFiles = Array.isArray(type) && type.some(isModelFile)
  return listsFiles ? combos.find(([, combo]) => combo?.[1] === name)?.[0] : undefined
}

/** What a node of an unknown type names: models whose folder its input says, and media. */
function lookAtUnknown(needs: Needs, node: WorkflowNode): void {
  for (const [name, value] of node.inputs) {
    if (typeof value !== 'string' || isTemplate(value)) continue
    const folder = Object.hasOwn(folderByInput, name) ? folderByInput[name] : undefined
    if (folder !== undefined && /\.(safetensors|sft|ckpt|gguf)$/i.test(value))
      addModel(needs, folder, value)
    else if (isMediaName(value)) addFile(needs, node, value)
  }
}

/** What cannot run, whatever the type of its node. */
function lookAtValue(needs: Needs, node: WorkflowNode, input: string, value: Json): void {
  const source = linkOf(value)?.source
  if (source !== undefined && !node.graph.has(source))
    note(needs, 'impossible', node, `${input} links to node ${source}, which is not there`)
  if (typeof value === 'string' && isTemplate(value))
    note(needs, 'impossible', node, `${input} is ${value}: your program fills it in`)
}

function addModel({ models }: Needs, folder: string, name: string): void {
  const names = models.get(folder) ?? new Set()
  models.set(folder, names.add(name))
}

function addFile(needs: Needs, node: WorkflowNode, value: string): void {
  if (isWebAddress(value)) return note(needs, 'impossible', node, webAddress(value))
  const { name, type } = splitAnnotation(value)
  if (name === '' || name.startsWith('/') || name.split('/').includes('..')) return
  needs.files.set(`${type ?? 'input'}/${name}`, sizeIn(node.graph))
}

const webAddress = (value: string): string => `${value} is a web address: your program replaces it`

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

const note = (
  { findings }: Needs,
  kind: Finding['kind'],
  { file, id }: WorkflowNode,
  says: string,
): void => void findings.push({ kind, file, node: id, says })
