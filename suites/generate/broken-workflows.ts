// Ways to break a valid workflow, each with the expected error.

import { fits, type Input, type Pick, typeOf } from './catalogue.ts'
import { changed, type Graph, node } from './graphs.ts'

/** A broken workflow, and how its refusal names the break. */
export type BrokenWorkflow = {
  readonly graph: Graph
  /** The type of the error of the whole. */
  readonly error: string
  /** The node to blame, and the type and the details of one of its errors; absent if no node is to blame. */
  readonly blame?: { readonly id: string; readonly type: string; readonly details: string }
}

/** Undefined if nothing in a workflow can be broken in this way. */
type Break = (graph: Graph, pick: Pick) => BrokenWorkflow | undefined

type Site = { readonly id: string; readonly input: Input; readonly value: unknown }

const sitesOf = (graph: Graph): Site[] =>
  Object.entries(graph).flatMap(([id, one]) =>
    typeOf(one).inputs.map((input) => ({ id, input, value: one.inputs[input.name] })),
  )

const failed = 'prompt_outputs_failed_validation'

/** Changes the value of an input that `suits`, so that its node becomes the one to blame. */
const atInput =
  (
    suits: (site: Site, graph: Graph) => boolean,
    change: (site: Site, graph: Graph) => { readonly value: unknown; readonly more?: Graph },
    type: string,
    details: (site: Site) => string = ({ input }) => input.name,
  ): Break =>
  (graph, pick) => {
    const sites = sitesOf(graph).filter((site) => suits(site, graph))
    const site = sites[pick(Math.max(1, sites.length))]
    if (site === undefined) return undefined
    const { value, more } = change(site, graph)
    return {
      graph: changed({ ...graph, ...more }, site.id, { [site.input.name]: value }),
      error: failed,
      blame: { id: site.id, type, details: details(site) },
    }
  }

const isLink = ({ value }: Site): boolean => Array.isArray(value)
/** Bounds of 64 bits cannot be represented as JavaScript numbers. */
const isBound = (option: unknown): boolean =>
  typeof option === 'number' && Math.abs(option) < 2 ** 53
const isNumber = ({ input, value }: Site): boolean =>
  (input.type === 'INT' || input.type === 'FLOAT') && typeof value === 'number'

/** A node with a boolean output, which few inputs accept, and one with a picture for those that do. */
const strangers: Graph = {
  truth: node('PrimitiveBoolean', { value: true }),
  picture: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0 }),
}

/** Whether a node gets an input from another, by one link or by many. */
function feeds(graph: Graph, from: string, to: string): boolean {
  if (from === to) return true
  const links = Object.values(graph[to]?.inputs ?? {}).filter(Array.isArray)
  return links.some(([source]) => feeds(graph, from, String(source)))
}

/** A link to a node that already depends on this one, or undefined. */
function backLink(graph: Graph, { id, input }: Site): readonly [string, number] | undefined {
  for (const [later, one] of Object.entries(graph)) {
    const index = typeOf(one).outputs.findIndex((output) => fits(output, input.type))
    if (index >= 0 && feeds(graph, id, later)) return [later, index]
  }
  return undefined
}

export const breaks: Readonly<Record<string, Break>> = {
  missingInput: atInput(
    () => true,
    () => ({ value: undefined }),
    'required_input_missing',
  ),
  wrongType: atInput(
    ({ input }) => input.type !== '*',
    ({ input }) => ({
      value: [fits('BOOLEAN', input.type) ? 'picture' : 'truth', 0],
      more: strangers,
    }),
    'return_type_mismatch',
  ),
  tooSmall: atInput(
    (site) => isNumber(site) && isBound(site.input.options['min']),
    ({ input }) => ({ value: input.options['min'] - 1 }),
    'value_smaller_than_min',
  ),
  tooBig: atInput(
    (site) => isNumber(site) && isBound(site.input.options['max']),
    ({ input }) => ({ value: input.options['max'] + 1 }),
    'value_bigger_than_max',
  ),
  notInList: atInput(
    (site) => Array.isArray(site.input.type) && !isLink(site),
    () => ({ value: 'in no list' }),
    'value_not_in_list',
    ({ input }) => `${input.name}: 'in no list' not in `,
  ),
  danglingLink: atInput(
    () => true,
    () => ({ value: ['nowhere', 0] }),
    'exception_during_',
    () => "'nowhere'",
  ),
  cycle: atInput(
    (site, graph) => isLink(site) && backLink(graph, site) !== undefined,
    (site, graph) => ({ value: backLink(graph, site) }),
    'dependency_cycle',
    () => '',
  ),
  unknownClass: (graph, pick) => {
    const ids = Object.keys(graph)
    const id = ids[pick(ids.length)]!
    return {
      graph: { ...graph, [id]: { ...graph[id]!, class_type: 'NoSuchType' } },
      error: 'invalid_prompt',
      blame: { id, type: 'missing_node_type', details: `Node ID '#${id}'` },
    }
  },
  noOutput: (graph) => ({
    graph: Object.fromEntries(Object.entries(graph).filter(([, one]) => !typeOf(one).isOutput)),
    error: 'prompt_no_outputs',
  }),
}
