// Collects the inputs of a node about to run, as lists [runs/list-maps].

import { isObject, type Json, type JsonObject, readJson } from '../../lib/json.ts'
import { linkOf, nodeInputs } from '../graph/graph.ts'
import { resultOf } from './result-cache.ts'
import type { NodeType, Value } from '../state/nodes.ts'
import { withFingerprints } from '../world/png-metadata.ts'
import type { InputLists, Running } from '../state/runs.ts'

/** Declared inputs in their declared order; types that are not in the catalogue receive all given inputs. */
export function gatherInputs(running: Running, id: string, type: NodeType): InputLists {
  const given = nodeInputs(running.graph, id)
  const values = running.expansion?.given.get(id)
  const names = type.text === '' ? [...given.keys()] : type.inputs.map(({ name }) => name)
  const inputs = new Map<string, readonly Value[]>()
  for (const name of names) {
    const value = given.get(name)
    const known = values?.get(name)
    if (known !== undefined) inputs.set(name, known)
    else if (value !== undefined) inputs.set(name, inputItems(running, value))
  }
  return inputs
}

/** A literal is a list of one; a link contains the results of its source. */
function inputItems(running: Running, value: Json): readonly Value[] {
  const link = linkOf(value)
  if (link === undefined) return [{ kind: 'literal', value }]
  const result = resultOf(running, link.source)
  const items = result?.outputs.at(link.index)
  if (items !== undefined) return items
  // A lazy input that nobody requested has no value.
  const isMissing = result === undefined && running.script?.needs !== undefined
  return isMissing ? [{ kind: 'literal', value: null }] : [{ kind: 'opaque', id: 0, count: 0 }]
}

/** The graph as it was submitted, without the nodes of expansions. */
export function submittedGraph({ graph, expansion }: Running): JsonObject {
  if (expansion === null) return graph
  return new Map([...graph].filter(([id]) => !expansion.origins.has(id)))
}

/**
 * The hidden inputs of a node that has been called [messages/error-hidden-inputs]. Credentials and other private values
 * are null.
 */
export function hiddenInputs(running: Running, id: string): Map<string, readonly Value[]> {
  const hidden = new Map<string, readonly Value[]>()
  if (running.calls === null) return hidden
  for (const [name, holds] of running.types.get(id)?.hidden ?? []) {
    hidden.set(name, [{ kind: 'literal', value: hiddenValue(running, id, holds) }])
  }
  return hidden
}

function hiddenValue(running: Running, id: string, holds: string): Json {
  const { savedBy } = running
  if (holds === 'UNIQUE_ID') return id
  if (holds === 'PROMPT') return withFingerprints(submittedGraph(running), savedBy.fingerprints)
  if (holds !== 'EXTRA_PNGINFO') return null
  const extra = readJson(savedBy.extraDataText)
  return (isObject(extra) ? extra.get('extra_pnginfo') : undefined) ?? null
}
