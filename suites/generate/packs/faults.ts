// Single faults in workflows: each a workflow that a server refuses if it knows the types of the nodes.

import { changed, type Graph, node } from '../graphs.ts'

/** The declarations of a server, as GET /object_info lists them. */
export type Declarations = Readonly<Record<string, any>>

export type Fault = { readonly kind: string; readonly at: string; readonly graph: Graph }

/** A node with a boolean output, which only inputs for anything accept. */
const stranger: Graph = { stranger: node('PrimitiveBoolean', { value: true }) }

const isLink = (value: unknown): value is readonly [string, number] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'

/** The nodes on the way to an output: a server looks at no others. */
function leadingOn(graph: Graph, types: Declarations): ReadonlySet<string> {
  const found = new Set(
    Object.keys(graph).filter((id) => types[graph[id]!.class_type].output_node === true),
  )
  for (const id of found)
    for (const value of Object.values(graph[id]!.inputs)) if (isLink(value)) found.add(value[0])
  return found
}

/** All single faults of a workflow. */
export function* faultsIn(graph: Graph, types: Declarations): Generator<Fault> {
  const leading = leadingOn(graph, types)
  const outputsOf = (id: string): number => types[graph[id]!.class_type].output.length
  for (const [id, { class_type, inputs }] of Object.entries(graph)) {
    if (!leading.has(id)) continue
    const { required = {}, optional = {} } = types[class_type].input
    yield {
      kind: 'class name misspelt',
      at: id,
      graph: { ...graph, [id]: node(`${class_type}q`, inputs) },
    }
    for (const name of Object.keys(required))
      yield fault('required input removed', graph, id, name, undefined)
    for (const [name, value] of Object.entries(inputs)) {
      const [type, options = {}] = required[name] ?? optional[name] ?? ['*']
      if (isLink(value)) {
        yield fault('link to an absent node', graph, id, name, ['absent', 0])
        yield fault('output index too high', graph, id, name, [value[0], outputsOf(value[0])])
        if (type === '*') continue
        const other = fault('link of another type', graph, id, name, ['stranger', 0])
        yield { ...other, graph: { ...other.graph, ...stranger } }
      } else if (Array.isArray(type)) {
        const isFile = type.some((one) => /\.\w{2,11}$/.test(String(one)))
        const [kind, wrong] = isFile
          ? ['unknown model or input file', 'elsewhere.safetensors']
          : ['unlisted value', 'no such option']
        yield fault(kind, graph, id, name, wrong)
      } else if (type === 'INT' || type === 'FLOAT') {
        yield fault('text for a number', graph, id, name, 'wide')
        if (Math.abs(options.min) < 2 ** 53)
          yield fault('number below minimum', graph, id, name, options.min - 1)
      }
    }
  }
}

const fault = (kind: string, graph: Graph, id: string, name: string, value: unknown): Fault => ({
  kind,
  at: `${id}.${name}`,
  graph: changed(graph, id, { [name]: value }),
})
