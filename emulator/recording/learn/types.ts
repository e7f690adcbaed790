// The node types of the recorded server: all that it lists, or minimal declarations of those that recorded workflows use,
// with the model files that it lists or accepts.

import { addTo } from '../../lib/add-to.ts'
import { isMembers, listOf, type Members, membersOf, nameOf } from '../../lib/loose.ts'
import type { TracedExchange } from '../../session/exchanges.ts'
import { type LearnedRun, linkOf } from './runs.ts'

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

/** Declarations of types that nobody declares, by how accepted workflows use them. */
function guessedTypes(runs: readonly LearnedRun[], declared: Members): Record<string, Members> {
  const uses = new Map<
    string,
    { readonly inputs: Members; readonly outputs: string[]; isOutput: boolean }[]
  >()
  for (const run of runs) {
    for (const [id, { class_type, inputs }] of Object.entries(run.graph)) {
      if (typeof class_type !== 'string' || Object.hasOwn(declared, class_type)) continue
      const output = run.nodes.get(id)?.output ?? null
      addTo(uses, class_type, {
        inputs: Object.fromEntries(
          Object.entries(membersOf(inputs)).map(([name, value]) => [
            name,
            inputTypeOf(value, run.graph, declared),
          ]),
        ),
        outputs: outputsUsed(id, run.graph, declared),
        isOutput: output !== null || run.outputNodes.includes(id),
      })
    }
  }
  return Object.fromEntries(
    Array.from(uses, ([name, all]) => [
      name,
      {
        input: inputsOf(all.map(({ inputs }) => inputs)),
        output: widest(all.map(({ outputs }) => outputs)),
        output_node: all.some(({ isOutput }) => isOutput),
      },
    ]),
  )
}

/** The type of an input by a value of it: that of the output that it is linked to, or that of the literal. */
function inputTypeOf(value: unknown, graph: LearnedRun['graph'], declared: Members): string {
  const link = linkOf(value)
  if (link !== undefined) {
    const source = declared[nameOf(graph[link[0]]?.['class_type'])]
    const type = listOf(membersOf(source)['output'])[link[1]]
    return typeof type === 'string' ? type : '*'
  }
  if (typeof value === 'string') return 'STRING'
  if (typeof value === 'boolean') return 'BOOLEAN'
  if (typeof value === 'number') return Number.isInteger(value) ? 'INT' : 'FLOAT'
  return '*'
}

/** The types of the outputs of a node that others use, by the inputs that they are linked to. */
function outputsUsed(id: string, graph: LearnedRun['graph'], declared: Members): string[] {
  const types: string[] = []
  for (const { class_type, inputs } of Object.values(graph))
    for (const [name, value] of Object.entries(membersOf(inputs))) {
      const link = linkOf(value)
      if (link?.[0] !== id) continue
      const [type] = inputOf(declared[nameOf(class_type)], name)
      if (types[link[1]] === undefined || types[link[1]] === '*')
        types[link[1]] = typeof type === 'string' ? type : '*'
    }
  return Array.from(types, (type) => type ?? '*')
}

/** The inputs of a type over all of its uses: required if each use has it. */
function inputsOf(uses: readonly Members[]): Members {
  const names = [...new Set(uses.flatMap((one) => Object.keys(one)))]
  const group = (isRequired: boolean): Members =>
    Object.fromEntries(
      names
        .filter((name) => uses.every((one) => Object.hasOwn(one, name)) === isRequired)
        .map((name) => [name, [common(uses.flatMap((one) => (one[name] as string) ?? []))]]),
    )
  return { required: group(true), optional: group(false) }
}

/** The type that covers all of these. */
function common(types: readonly string[]): string {
  const [first = '*', ...others] = new Set(types)
  if (others.length === 0) return first
  return types.every((type) => type === 'INT' || type === 'FLOAT') ? 'FLOAT' : '*'
}

const widest = (all: readonly (readonly string[])[]): readonly string[] =>
  Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, at) =>
    common(all.flatMap((outputs) => outputs[at] ?? [])),
  )

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
