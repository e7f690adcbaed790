// A world for workflows: the node types, the models and the input files that they need, inferred from the workflows
// themselves. Types that the catalogue has stay as they are.

import type { GivenScenario } from '../options/scenario.ts'
import type { Json } from '../lib/json.ts'
import { didYouMean } from '../lib/nearest.ts'
import { pythonEquals } from '../lib/python.ts'
import { linkOf } from '../server/graph/graph.ts'
import { isCombo, isModelFile, modelFolders, optionsOf } from '../server/nodes/catalog.ts'
import type { DeclaredInput, NodeType } from '../server/state/nodes.ts'
import { fileInputOf, isWebAddress } from '../server/world/named-files.ts'
import { folderByInput, isMediaName, isModelName, isTemplate } from './names.ts'
import {
  addFile,
  addModel,
  addValue,
  type Finding,
  type Needs,
  noNeeds,
  note,
  startOf,
  type Value,
  valueOf,
  webAddress,
} from './needs.ts'
import { type Catalogue, type NamedWorkflow, nodesOf, type WorkflowNode } from './nodes.ts'
import { entryOf } from './entries.ts'
import { outputRule } from './output-nodes.ts'
import { type AskedServer, declaresTheSame } from './server-types.ts'
import { inferTypes, type UnknownType } from './types.ts'

export type InferredWorld = {
  readonly scenario: GivenScenario
  readonly findings: readonly Finding[]
}

/** How much a server for workflows accepts, and what decides it. */
export type InferOptions = {
  /** Whether it accepts unlisted values of known combos. */
  readonly values: boolean
  /** Whether it checks combos that are declared as COMBO. */
  readonly checksNewCombos: boolean
  /** The server whose node types and options are those of the world: nothing is guessed. */
  readonly from?: AskedServer
}

/** The world in which these workflows run. */
export function inferWorld(
  workflows: readonly NamedWorkflow[],
  typeOf: Catalogue,
  options: InferOptions,
): InferredWorld {
  const nodes = workflows.flatMap(nodesOf)
  const needs = noNeeds()
  const taken = options.from === undefined ? new Map() : takenTypes(nodes, typeOf, options.from)
  for (const node of nodes) {
    const type = taken.get(node.class_type) ?? typeOf(node.class_type)
    if (options.from !== undefined) lookAtServer(needs, node, type, options.from)
    else if (type === undefined) lookAtUnknown(needs, node)
    else lookAtKnown(needs, node, type, options)
    for (const [input, value] of node.inputs) lookAtValue(needs, node, input, value)
  }
  const unknown = options.from === undefined ? inferTypes(nodes, typeOf) : []
  const isOutput = (class_type: string): boolean =>
    (taken.get(class_type) ?? typeOf(class_type))?.outputNode ??
    // Of a type that the server lacks nothing is known.
    (options.from !== undefined ||
      unknown.some((one) => one.class_type === class_type && one.isOutput))
  for (const workflow of workflows) lookAtWhole(needs, workflow, isOutput)
  const names = [...taken.keys(), ...unknown.map(({ class_type }) => class_type)]
  const types = Object.fromEntries([
    ...Array.from(taken.keys(), (name) => [name, options.from?.entryOf(name)] as const),
    ...unknown.map((type) => [type.class_type, entryOf(type)] as const),
  ])
  const rules = names.flatMap((class_type) =>
    typeOf(class_type) === undefined ? (outputRule(class_type, nodes) ?? []) : [],
  )
  const findings = [
    ...unknown.map(findingOf),
    ...Array.from(taken.keys(), (name) => takenFinding(name, nodes, options.from)),
    ...needs.findings,
  ]
  return { scenario: { version: 1, start: startOf(needs), types, nodes: rules }, findings }
}

/** What a server refuses of a workflow as a whole: entries that are not nodes, and nodes without an output node. */
function lookAtWhole(
  needs: Needs,
  workflow: NamedWorkflow,
  isOutput: (class_type: string) => boolean,
): void {
  const { name, graph } = workflow
  const nodes = nodesOf(workflow)
  const typed = new Set(nodes.map(({ id }) => id))
  for (const id of graph.keys())
    if (!typed.has(id))
      note(needs, 'impossible', { file: name, id }, 'has no class_type: a submit is refused')
  if (!nodes.some(({ class_type }) => isOutput(class_type)))
    note(
      needs,
      'impossible',
      { file: name, id: null },
      'no node is an output node: a submit is refused',
    )
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

/** The types of a server that the catalogue lacks, or declares otherwise. */
function takenTypes(
  nodes: readonly WorkflowNode[],
  typeOf: Catalogue,
  from: AskedServer,
): ReadonlyMap<string, NodeType> {
  const taken = new Map<string, NodeType>()
  for (const { class_type } of nodes) {
    const [own, there] = [typeOf(class_type), from.typeOf(class_type)]
    if (there !== undefined && (own === undefined || !declaresTheSame(own, there)))
      taken.set(class_type, there)
  }
  return taken
}

const takenFinding = (
  class_type: string,
  nodes: readonly WorkflowNode[],
  from: AskedServer | undefined,
): Finding => {
  const files = nodes.flatMap((node) => (node.class_type === class_type ? node.file : []))
  const says = `${class_type}, as ${from?.shown} declares it`
  return { kind: 'taken', file: [...new Set(files)].join(', '), node: null, says }
}

/** What a node of the catalogue names: models of its loader, and input files. */
function lookAtKnown(
  needs: Needs,
  node: WorkflowNode,
  type: NodeType,
  { values, checksNewCombos }: InferOptions,
): void {
  notePartner(needs, node, type)
  for (const [input, value] of unlistedIn(needs, node, type)) {
    const { name } = input
    if (!Array.isArray(input.type) && !checksNewCombos) continue
    if (addListedModel(needs, node.class_type, input, value)) continue
    if (values) addValue(needs, node.class_type, name, value)
    const then = values ? '--values adds it' : 'a submit is refused, unless --values adds it'
    const meant = didYouMean(`${value}`, optionsOf(input).map(String))
    const says = `${name}: ${value} is not an option of ${node.class_type}; ${then}.${meant}`
    note(needs, 'look', node, says)
  }
}

const notePartner = (needs: Needs, node: WorkflowNode, { apiNode, class_type }: NodeType): void => {
  if (apiNode)
    note(needs, 'look', node, `${class_type} needs a partner key in extra_data of the submit`)
}

/** The values of a node that combos of its type do not list, but could. Notes those that they never list, and input files. */
function unlistedIn(
  needs: Needs,
  node: WorkflowNode,
  { class_type, inputs }: NodeType,
): readonly (readonly [input: DeclaredInput, value: Value])[] {
  const file = fileInputOf(class_type)
  return inputs.flatMap((input) => {
    const { name } = input
    const value = valueOf(node.inputs.get(name))
    if (value === undefined || (typeof value === 'string' && isTemplate(value))) return []
    if (file?.name === name) addFile(needs, node, `${value}`)
    else if (isCombo(input) && !lists(input, value)) {
      if (value === '')
        note(needs, 'impossible', node, `${name} is empty: your program fills it in`)
      else if (isWebAddress(`${value}`))
        note(needs, 'impossible', node, `${name}: ${webAddress(`${value}`)}`)
      else if (isMediaName(`${value}`)) {
        // Programs upload input files before they submit.
        addFile(needs, node, `${value}`)
        addValue(needs, class_type, name, value)
      } else return [[input, value] as const]
    }
    return []
  })
}

const lists = (input: DeclaredInput, value: Value): boolean =>
  optionsOf(input).some((one) => pythonEquals(one, value))

/** Adds a model file to the folder that a combo lists. Returns false for any other value. */
function addListedModel(
  needs: Needs,
  class_type: string,
  input: DeclaredInput,
  value: Value,
): boolean {
  const folder = folderOf(class_type, input)
  if (folder === undefined || typeof value !== 'string' || !isModelName(value)) return false
  addModel(needs, folder, value)
  return true
}

/** What the server that was asked says of a node: its type and its options are there, or it cannot run. */
function lookAtServer(
  needs: Needs,
  node: WorkflowNode,
  type: NodeType | undefined,
  { shown, typeOf, names }: AskedServer,
): void {
  const { class_type } = node
  const there = typeOf(class_type)
  if (type === undefined || there === undefined) {
    const says = `${class_type} is not a node type of ${shown}.${didYouMean(class_type, names())}`
    return note(needs, 'impossible', node, says)
  }
  notePartner(needs, node, there)
  for (const [input, value] of unlistedIn(needs, node, there)) {
    const { name } = input
    const meant = didYouMean(`${value}`, optionsOf(input).map(String))
    note(needs, 'impossible', node, `${name}: ${shown} does not list ${value}.${meant}`)
  }
  const file = fileInputOf(class_type)
  for (const input of type === there ? [] : type.inputs) {
    const { name } = input
    const value = valueOf(node.inputs.get(name))
    const declared = there.inputs.find((one) => one.name === name)
    if (value === undefined || declared === undefined || file?.name === name) continue
    if (!isCombo(input) || lists(input, value) || !lists(declared, value)) continue
    if (!addListedModel(needs, class_type, input, value)) addValue(needs, class_type, name, value)
  }
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
