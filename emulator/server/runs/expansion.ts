// Nodes that expand into a small graph [scenario/node-expands]: adds its nodes to the run, and joins their results.

import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { contentHashes } from '../graph/content-hashes.ts'
import { linkOf } from '../graph/graph.ts'
import { addToSchedule, type ScheduledGraph, waitFor } from '../graph/schedule.ts'
import { inputNamed, jsonOf, valueOf } from '../behaviours/scripted-values.ts'
import { dependsOn, fingerprintsOf } from './fingerprints.ts'
import { isLazyInput } from './lazy-inputs.ts'
import { inputsOfCall, joinOutputs } from './list-mapping.ts'
import { isCached, resultOf } from './result-cache.ts'
import { typesOf } from './running.ts'
import type { Failure, NodeType, Value, Work } from '../state/nodes.ts'
import type { CallPart, Calls, Expansion, Link, Origin, Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** More than any test needs: a node that expands into itself ends here, before its ids and messages fill the memory. */
const MAX_NODES = 1000
const MAX_DEPTH = 50

/** What the schedule of a run depends on now. */
export const scheduledGraph = (world: World, running: Running): ScheduledGraph => {
  const { graph, types, run, results, worker, hashes } = running
  return {
    graph,
    types,
    isDone: (id) => results.has(id) || isCached(worker, hashes, id),
    isLazy: (id, input) => isLazyInput(world, run, types, id, input),
  }
}

/** The nodes of one expansion, before they are in the run. */
type NewNodes = {
  readonly graph: JsonObject
  readonly given: Map<string, ReadonlyMap<string, readonly Value[]>>
  readonly displays: Map<string, string>
}

/**
 * Adds the nodes that the current call of a node expands into, which do not run before all calls are done. Returns the
 * failure of the node if there are too many.
 */
export function expandCall(
  world: World,
  running: Running,
  id: string,
  calls: Calls,
  expands: NonNullable<Work['expands']>,
  ui: string | null,
): Failure | undefined {
  if (ui !== null) calls.uis.push(ui)
  const type = running.types.get(id) as NodeType
  const inputs = inputsOfCall(type, running.inputs, calls)
  const prefix = `${id}.${calls.at}.0.`
  const added = newNodes(expands.graph as Readonly<Record<string, unknown>>, inputs, prefix)
  const expansion = (running.expansion ??= {
    origins: new Map(),
    given: new Map(),
    waiting: new Map(),
  })
  running.progress.origins = expansion.origins
  const isTooMuch = expansion.origins.size + added.graph.size > MAX_NODES
  if (isTooMuch || depthOf(expansion, id) >= MAX_DEPTH)
    return { exception_type: 'RecursionError', exception_message: tooDeep }
  addNodes(world, running, expansion, id, calls.at, added)
  calls.parts?.push({ results: expands.result.map((one) => resultFor(one, added, inputs, prefix)) })
  calls.at++
  return undefined
}

/** How many expansions a node is inside. */
function depthOf({ origins }: Expansion, id: string): number {
  let depth = 0
  for (let at = origins.get(id); at !== undefined; at = origins.get(at.parent)) depth++
  return depth
}

const tooDeep = 'maximum recursion depth exceeded'

function newNodes(
  graph: Readonly<Record<string, unknown>>,
  inputs: ReadonlyMap<string, Value>,
  prefix: string,
): NewNodes {
  const added: NewNodes = { graph: new Map(), given: new Map(), displays: new Map() }
  for (const [localId, described] of Object.entries(graph)) {
    const node = jsonOf(described)
    if (!isObject(node)) continue
    const id = prefix + localId
    const given = new Map<string, readonly Value[]>()
    const own: JsonObject = new Map()
    const declared = node.get('inputs')
    for (const [name, value] of isObject(declared) ? declared : []) {
      const from = isObject(value) ? value.get('input') : undefined
      if (typeof from === 'string') given.set(name, [valueOf(inputs, { input: from })])
      own.set(name, typeof from === 'string' ? null : withinExpansion(value, graph, prefix))
    }
    const display = node.get('override_display_id')
    if (typeof display === 'string') added.displays.set(id, display)
    added.given.set(id, given)
    added.graph.set(id, new Map([...node, ['inputs', own]]))
  }
  return added
}

/** An input value of an expansion: links lead to the other nodes of it. */
function withinExpansion(
  value: Json,
  graph: Readonly<Record<string, unknown>>,
  prefix: string,
): Json {
  const link = linkOf(value)
  return link !== undefined && Object.hasOwn(graph, link.source)
    ? [prefix + link.source, link.index]
    : value
}

/** An entry of the result: a link to a new node, or a value. */
function resultFor(
  given: unknown,
  { graph }: NewNodes,
  inputs: ReadonlyMap<string, Value>,
  prefix: string,
): Link | Value {
  if (inputNamed(given) !== undefined) return valueOf(inputs, given)
  const value = jsonOf(given)
  const link = linkOf(value)
  const source = prefix + (link?.source ?? '')
  return link !== undefined && graph.has(source)
    ? { source, index: link.index }
    : { kind: 'literal', value }
}

function addNodes(
  world: World,
  running: Running,
  { origins, given }: Expansion,
  parent: string,
  at: number,
  added: NewNodes,
): void {
  const { run, graph, types, hashes } = running
  const origin = origins.get(parent)
  for (const [id, node] of added.graph) {
    graph.set(id, node)
    given.set(id, added.given.get(id) ?? new Map())
    const display = added.displays.get(id) ?? origin?.display ?? parent
    origins.set(id, { parent, display, real: origin?.real ?? parent } satisfies Origin)
  }
  for (const [id, type] of typesOf(world, added.graph)) types.set(id, type)
  // Their content depends on the call: what it passes to them is not in their inputs.
  const depends = dependsOn(world, run, added.graph, fingerprintsOf(world, run, added.graph, types))
  const inside = `${hashes.get(parent) ?? ''} ${at}`
  const found = contentHashes(
    added.graph,
    types,
    (id, type) => `${depends(id, type) ?? ''} in ${inside}`,
    world.setup.spell,
  )
  for (const [id, hash] of found) hashes.set(id, hash)
}

/** Makes a node wait for the results of its expansion, of which output nodes run in any case. */
export function awaitExpansion(world: World, running: Running, id: string, calls: Calls): void {
  const { schedule, expansion, types } = running
  const graph = scheduledGraph(world, running)
  expansion?.waiting.set(id, calls)
  const outputs = [...(expansion?.origins ?? [])]
    .filter(([own, { parent }]) => parent === id && types.get(own)?.outputNode)
    .map(([own]) => own)
  addToSchedule(schedule, graph, outputs)
  const links = (calls.parts ?? []).flatMap(resultsOf).filter((one) => 'source' in one)
  waitFor(
    schedule,
    graph,
    id,
    links.map(({ source }) => source),
  )
}

const resultsOf = (part: CallPart): readonly (Link | Value)[] =>
  'results' in part ? part.results : []

/** Joins the outputs of all calls, once the expansions have finished. Returns the failure if they exceed the memory. */
export function joinParts(running: Running, type: NodeType, calls: Calls): Failure | undefined {
  for (const part of calls.parts ?? []) {
    const outputs =
      'work' in part ? part.work.outputs : part.results.map((one) => itemsOf(running, one))
    const tooMuch = joinOutputs(calls, type, outputs)
    if (tooMuch !== undefined) return tooMuch
  }
  return undefined
}

const itemsOf = (running: Running, result: Link | Value): readonly Value[] =>
  'source' in result ? (resultOf(running, result.source)?.outputs.at(result.index) ?? []) : [result]
