// Lazy inputs [scenario/node-needs]: a node with `needs` requests them when it starts, and waits for those that it lacks.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { linkOf, nodeInputs } from '../graph/graph.ts'
import { matchesWhere } from '../behaviours/scripted-values.ts'
import { nodeScript, runNumber } from '../nodes/script.ts'
import { createCalls, inputsOfCall } from './list-mapping.ts'
import { resultOf } from './result-cache.ts'
import type { NodeType } from '../state/nodes.ts'
import type { InputLists, Run, Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** Whether a node requests an input only when it runs: if a rule says what it needs, and the input is lazy. */
export function isLazyInput(
  world: World,
  run: Pick<Run, 'serial'>,
  types: ReadonlyMap<string, NodeType>,
  id: string,
  input: string,
): boolean {
  if (world.script.nodes.length === 0) return false
  const type = types.get(id)
  if (type === undefined) return false
  const script = nodeScript(world, runNumber(run), id, type.class_type)
  return script?.needs !== undefined && isLazy(type, script, input)
}

/** Inputs are lazy by their declaration, or because a rule requests them. */
const isLazy = (type: NodeType, { needs = [] }: NodeRule, input: string): boolean =>
  needs.some(({ inputs }) => inputs.includes(input)) ||
  type.inputs.some(({ name, options }) => name === input && options.get('lazy') === true)

/** The sources that a node about to start needs and that have no result yet. */
export function missingSources(
  running: Running,
  id: string,
  type: NodeType,
  { needs }: NodeRule,
): readonly string[] {
  if (needs === undefined) return []
  const missing = new Map<string, string>()
  for (const [name, value] of nodeInputs(running.graph, id)) {
    const source = linkOf(value)?.source
    if (source !== undefined && resultOf(running, source) === undefined) missing.set(name, source)
  }
  if (missing.size === 0) return []
  const known: InputLists = new Map([...running.inputs].filter(([name]) => !missing.has(name)))
  const needed = new Set<string>()
  for (const calls = createCalls(type, known, false); calls.at < calls.count; calls.at++) {
    const inputs = inputsOfCall(type, known, calls)
    for (const { inputs: names, where } of needs)
      if (matchesWhere(inputs, where)) for (const name of names) needed.add(name)
  }
  return [...needed].flatMap((name) => missing.get(name) ?? [])
}
