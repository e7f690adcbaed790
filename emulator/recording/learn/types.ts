// The node types of the recorded server: all that it lists, or minimal declarations of those that recorded workflows use,
// with the model files that it lists or accepts.

import { entryOf } from '../../infer/entries.ts'
import { nodesOf } from '../../infer/nodes.ts'
import { inferTypes } from '../../infer/types.ts'
import { isObject, type JsonObject, readJson } from '../../lib/json.ts'
import { isMembers, listOf, type Members, membersOf, nameOf } from '../../lib/loose.ts'
import { catalogueOf } from '../../server/nodes/catalog.ts'
import { typeTexts } from '../../server/nodes/type-texts.ts'
import type { TracedExchange } from '../../session/exchanges.ts'
import type { LearnedRun } from './runs.ts'

/** The types that a world has without a scenario, and the combo that lists the files of each model folder. */
export type KnownTypes = {
  readonly types: Members
  readonly folders: Readonly<Record<string, readonly [class_type: string, input: string] | null>>
}

export type LearnedTypes = {
  /** The reply of GET /object_info, which replaces the built-in types; null if it was not recorded. */
  readonly objectInfo: Members | null
  /** Additional types, and built-in ones that differ. */
  readonly types: Members
  /** Types of which only the recorded use is known. */
  readonly guessed: readonly string[]
  readonly modelFiles: number
}

export function typesIn(
  answered: readonly TracedExchange[],
  runs: readonly LearnedRun[],
  known: KnownTypes,
): LearnedTypes {
  const replies = answered.filter(
    ({ recorded, status }) => recorded.method === 'GET' && status === 200,
  )
  const whole = replies.findLast(({ localPath }) => localPath === '/object_info')
  const objectInfo = whole === undefined ? null : typesOf(whole.reply())
  const single = replies
    .filter(({ localPath }) => localPath.startsWith('/object_info/'))
    .flatMap((one) => Object.entries(typesOf(one.reply()) ?? {}))
  const declared: Members = { ...known.types, ...Object.fromEntries(single) }
  if (objectInfo !== null && Object.keys(objectInfo).length > 0)
    return { objectInfo, types: {}, guessed: [], modelFiles: modelsIn(objectInfo, known) }
  const guessed = guessedTypes(runs, declared)
  const combos = new Map<string, Set<string>>()
  listedModels(replies, known, combos)
  const listed = new Set(combos.keys())
  usedModels(runs, declared, combos)
  const types = { ...Object.fromEntries(single), ...guessed }
  return {
    objectInfo: null,
    types: { ...types, ...withModels(declared, combos, listed) },
    guessed: Object.keys(guessed),
    modelFiles: [...combos.values()].reduce((sum, files) => sum + files.size, 0),
  }
}

function typesOf(reply: unknown): Members | null {
  const types = Object.entries(membersOf(reply)).filter(([, type]) =>
    isMembers(membersOf(type)['input']),
  )
  return types.length === 0 ? null : Object.fromEntries(types)
}

const groups = ['required', 'optional'] as const

/** The declaration of an input; empty if the type has none of this name. */
const inputOf = (type: unknown, name: string): readonly unknown[] => {
  const inputs = membersOf(membersOf(type)['input'])
  return listOf(membersOf(inputs['required'])[name] ?? membersOf(inputs['optional'])[name])
}

/** Declarations of types that nobody declares, inferred from all accepted workflows that use them. */
function guessedTypes(runs: readonly LearnedRun[], declared: Members): Record<string, Members> {
  const isDeclared = (class_type: unknown): boolean =>
    typeof class_type !== 'string' || Object.hasOwn(declared, class_type)
  const using = runs.filter(({ graph }) =>
    Object.values(graph).some(({ class_type }) => !isDeclared(class_type)),
  )
  if (using.length === 0) return {}
  const workflows = using.map(({ prompt_id, text }) => ({ name: prompt_id, graph: graphIn(text) }))
  const known = typeTexts(JSON.stringify(declared))
  const unknown = inferTypes(workflows.flatMap(nodesOf), catalogueOf(known))
  return Object.fromEntries(
    unknown.map((type) => [type.class_type, withRole(entryOf(type), type.class_type, using)]),
  )
}

/** The workflow in the body of a submit, with its numbers as they were sent. */
function graphIn(text: string): JsonObject {
  const body = readJson(text)
  const graph = isObject(body) ? body.get('prompt') : undefined
  return isObject(graph) ? graph : new Map()
}

/** An entry of a type that is an output node as the runs show: the history names those, and they report something. */
function withRole(entry: object, class_type: string, runs: readonly LearnedRun[]): Members {
  const nodes = runs.flatMap((run) =>
    Object.entries(run.graph).flatMap(([id, node]) =>
      node['class_type'] === class_type ? { run, id } : [],
    ),
  )
  const isNamed = nodes.some(({ run, id }) => run.outputNodes.includes(id))
  const isSeen = nodes.some(({ run }) => run.outputNodes.length > 0)
  const reports = nodes.some(({ run, id }) => (run.nodes.get(id)?.output ?? null) !== null)
  return { ...entry, ...(isSeen ? { output_node: isNamed } : reports && { output_node: true }) }
}

type Combos = Map<string, Set<string>>

const comboKey = (class_type: string, input: string): string => JSON.stringify([class_type, input])

function addModel(combos: Combos, key: string, name: string): void {
  const files = combos.get(key) ?? new Set()
  combos.set(key, files.add(name))
}

/** The model files that the server lists by folder. */
function listedModels(
  replies: readonly TracedExchange[],
  { folders }: KnownTypes,
  combos: Combos,
): void {
  for (const { localPath, reply } of replies) {
    const [, folder = ''] = /^\/(?:experiment\/)?models\/([^/]+)$/.exec(localPath) ?? []
    const combo = Object.hasOwn(folders, folder) ? folders[folder] : undefined
    for (const item of combo ? listOf(reply()) : []) {
      const name = typeof item === 'string' ? item : membersOf(item)['name']
      if (combo && typeof name === 'string') addModel(combos, comboKey(...combo), name)
    }
  }
}

const isModelFile = (value: unknown): value is string =>
  typeof value === 'string' &&
  /\.(?:safetensors|sft|ckpt|pt|pt2|bin|pth|pkl|gguf|yaml)$/i.test(value)

/** The model files that accepted workflows name, although the built-in combos do not list them. */
function usedModels(runs: readonly LearnedRun[], declared: Members, combos: Combos): void {
  for (const { graph } of runs)
    for (const { class_type, inputs } of Object.values(graph))
      for (const [name, value] of Object.entries(membersOf(inputs))) {
        const [options] = inputOf(declared[nameOf(class_type)], name)
        if (Array.isArray(options) && isModelFile(value) && !options.includes(value))
          addModel(combos, comboKey(nameOf(class_type), name), value)
      }
}

/** The types whose combos list other model files: of a listed folder only its own. */
function withModels(declared: Members, combos: Combos, listed: ReadonlySet<string>): Members {
  const types: Record<string, unknown> = {}
  for (const [key, files] of combos) {
    const [class_type, name] = JSON.parse(key) as [string, string]
    const type = membersOf(types[class_type] ?? declared[class_type])
    const inputs = membersOf(type['input'])
    const group = groups.find((one) => Object.hasOwn(membersOf(inputs[one]), name))
    const [options, ...rest] = inputOf(type, name)
    if (group === undefined || !Array.isArray(options)) continue
    const others: unknown[] = options.filter((one) => !isModelFile(one))
    const known = listed.has(key) ? [] : options.filter(isModelFile)
    const names = [...new Set([...known, ...files])].toSorted()
    types[class_type] = {
      ...type,
      input: {
        ...inputs,
        [group]: { ...membersOf(inputs[group]), [name]: [[...names, ...others], ...rest] },
      },
    }
  }
  return types
}

/** How many model files the combos of the folders list. */
const modelsIn = (types: Members, { folders }: KnownTypes): number =>
  Object.values(folders).reduce((sum, combo) => {
    const [options] = combo ? inputOf(types[combo[0]], combo[1]) : []
    return sum + listOf(options).filter(isModelFile).length
  }, 0)
