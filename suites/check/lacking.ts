// What a server lacks for a run: node types that it does not list, and models that it does not have.

import type { Graph } from '../generate/graphs.ts'

const isModel = (value: unknown): value is string =>
  typeof value === 'string' && /\.(safetensors|ckpt|pth?|gguf)$/.test(value)

/** The names that an input can have. */
function choicesOf(declared: any): unknown {
  const [list, options] = Array.isArray(declared) ? declared : []
  return Array.isArray(list) ? list : options?.options
}

/** The first node type or model that a graph needs and the server does not list; undefined if it lists all. */
export function lackingFor(graph: Graph, types: Readonly<Record<string, any>>): string | undefined {
  for (const { class_type, inputs } of Object.values(graph)) {
    const type = types[class_type]
    if (type === undefined) return class_type
    for (const [name, value] of Object.entries(inputs)) {
      const declared = type.input?.required?.[name] ?? type.input?.optional?.[name]
      const choices = choicesOf(declared)
      if (isModel(value) && Array.isArray(choices) && !choices.includes(value)) return value
    }
  }
  return undefined
}
