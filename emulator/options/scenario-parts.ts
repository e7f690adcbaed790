// Checks the parts of a scenario that match its schema but can have no effect: files without content, and expansions
// whose links lead nowhere.

import type { NodeRule, ScenarioFile } from '../../spec/scenario/nodes.ts'
import type { Start } from '../../spec/scenario/start.ts'
import { isPlainObject, type Violation } from './json-schema.ts'

type Path = Violation['path']
type Graph = Readonly<Record<string, unknown>>

/** The files of a scenario, with their places. */
export function filesOf(
  start: Start = {},
  nodes: readonly NodeRule[] = [],
): readonly (readonly [path: Path, file: ScenarioFile])[] {
  const lists = ['images', 'videos', 'audio'] as const
  return [
    ...(start.files ?? []).map((file, at) => [['start', 'files', at], file] as const),
    ...nodes.flatMap(({ outputs = {} }, node) =>
      lists.flatMap((list) =>
        (outputs[list] ?? []).map(
          (file, at) => [['nodes', node, 'outputs', list, at], file] as const,
        ),
      ),
    ),
  ]
}

/** Why a file does not have exactly one content; empty if it has. */
export function contentViolations(path: Path, file: ScenarioFile): readonly Violation[] {
  const isOutput = path[0] === 'nodes'
  if (file.own !== undefined && !isOutput)
    return [{ path, problem: 'has own, which only outputs of nodes can have' }]
  const given = contents.filter((name) => file[name] !== undefined)
  if (given.length > 1) return [{ path, problem: `has ${given.join(' and ')}: choose one` }]
  if (given.length === 1) return []
  return [{ path, problem: "needs from, text or base64 (text: '' for an empty file)" }]
}

const contents = ['from', 'text', 'base64', 'own'] as const

/** What is wrong with the graph that a node expands into. */
export function expansionViolations({ expands }: NodeRule, path: Path): readonly Violation[] {
  if (expands === undefined) return []
  const graph = expands.graph as Graph
  const nodes = Object.entries(graph).flatMap(([id, node]): Violation[] => {
    if (isPlainObject(node) && typeof node['class_type'] === 'string') return []
    return [{ path: [...path, 'graph', id], problem: 'is not a node: it needs a class_type' }]
  })
  const results = expands.result.flatMap((one, at): Violation[] =>
    leadsInto(graph, one)
      ? []
      : [{ path: [...path, 'result', at], problem: 'is a link to a node that the graph lacks' }],
  )
  return [...nodes, ...results]
}

/** Whether a value leads into this graph, or is something else than a link. */
export function leadsInto(graph: Graph, value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return true
  const [id, index] = value as readonly unknown[]
  return typeof id !== 'string' || !Number.isInteger(index) || Object.hasOwn(graph, id)
}
