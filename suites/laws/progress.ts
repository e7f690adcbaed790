// Laws about what a run says of its nodes: progress, cached nodes, outputs and failures fit the workflow and each other.

import { equal, type Finding, law, type Law, shown, unless } from './law.ts'
import { type ReceivedRun, receivedRuns, isWhole, terminalOf, terminals } from './order.ts'
import { ofType } from './messages.ts'
import type { RunMessages, Trace, TracedRun } from '../../dist/emulator/session/index.js'

type Item = RunMessages['items'][number]

/** The messages of a type that a run sent to a socket. */
const itemsOf = ({ received }: ReceivedRun, type: string): readonly Item[] =>
  received.items.filter(({ message }) => message.type === type)

const at = ({ received }: ReceivedRun, item: Item) => ({ socket: received.socket, item })

/** Samplers that report other steps than they were given. */
const uneven: ReadonlySet<unknown> = new Set(['dpm_fast', 'dpm_adaptive'])

/** The progress of each node: it rises to max, and restarts at most for a further item. */
function risingFaults(one: ReceivedRun): readonly Finding[] {
  const last = new Map<unknown, { value: number; max: number; item: Item }>()
  for (const item of itemsOf(one, 'progress')) {
    const { node, value, max } = item.message.data as Record<string, any>
    const before = last.get(node)
    if (value > max)
      return [{ at: at(one, item), says: `Node ${node} has progress ${value} of ${max}.` }]
    if (
      before !== undefined &&
      value <= before.value &&
      before.value < before.max &&
      !isUneven(one, node)
    )
      return [
        {
          at: at(one, item),
          says: `The progress of node ${node} is ${value} of ${max} after ${before.value} of ${before.max}.`,
        },
      ]
    last.set(node, { value, max, item })
  }
  if (!isSuccess(one)) return []
  return [...last]
    .filter(([node, { value, max }]) => value !== max && isSampler(one, node))
    .slice(0, 1)
    .map(([node, { value, max, item }]) => ({
      at: at(one, item),
      says: `The progress of node ${shown(node)} ends at ${value} of ${max}.`,
    }))
}

const nodeOf = ({ run }: ReceivedRun, id: unknown): any => run.graph?.[String(id)]
const isUneven = (one: ReceivedRun, id: unknown): boolean => {
  const node = nodeOf(one, id)
  return node === undefined || uneven.has(node.inputs?.sampler_name)
}
const isSampler = (one: ReceivedRun, id: unknown): boolean =>
  nodeOf(one, id)?.class_type === 'KSampler' && !isUneven(one, id)

/** Each progress_state holds the nodes of the ones before it, and those of its run alone. */
function stateFaults(one: ReceivedRun): readonly Finding[] {
  let before: readonly string[] = []
  for (const item of itemsOf(one, 'progress_state')) {
    const nodes = (item.message.data['nodes'] ?? {}) as Record<string, any>
    const lost = before.find((id) => !(id in nodes))
    if (lost !== undefined)
      return [{ at: at(one, item), says: `A later progress_state lacks node ${lost}.` }]
    before = Object.keys(nodes)
    for (const id of before) {
      const { value, max, prompt_id, node_id, display_node_id } = nodes[id]
      const isOwn =
        prompt_id === one.run.prompt_id &&
        node_id === id &&
        (isOfGraph(one, id) || isOfGraph(one, display_node_id))
      if (!isOwn || value > max)
        return [
          { at: at(one, item), says: `A progress_state says of node ${id}: ${shown(nodes[id])}.` },
        ]
    }
  }
  return []
}

/** The last progress_state of a run that succeeded says of each node that ran that it has finished. */
function finishFaults(one: ReceivedRun): readonly Finding[] {
  const last = itemsOf(one, 'progress_state').at(-1)
  if (last === undefined || !isSuccess(one)) return []
  const nodes = last.message.data['nodes'] as Record<string, any>
  return ranIn(one)
    .filter((id) => isOfGraph(one, id) && nodes[id]?.state !== 'finished')
    .slice(0, 1)
    .map((id) => ({
      at: at(one, last),
      says: `The last progress_state does not say that node ${id} has finished.`,
    }))
}

/** The nodes that a run has executed, in order. */
const ranIn = (one: ReceivedRun): readonly string[] =>
  itemsOf(one, 'executing').flatMap(({ message: { data } }) =>
    typeof data['node'] === 'string' ? [data['node']] : [],
  )

/** The nodes that a run has found cached. */
const cachedIn = (one: ReceivedRun): readonly unknown[] =>
  itemsOf(one, 'execution_cached').flatMap(({ message }) => listOf(message.data['nodes']))

/** A node that shows a text shows that of its input. */
const textFaults = (one: ReceivedRun & { readonly items: readonly Item[] }): readonly Finding[] =>
  one.items.flatMap((item) => {
    const { node, output } = item.message.data as Record<string, any>
    const { class_type, inputs } = nodeOf(one, node) ?? {}
    const isShown = class_type === 'PreviewAny' && typeof inputs?.source === 'string'
    return isShown && output?.text !== undefined
      ? equal(at(one, item), `the text of node ${node}`, output.text, [inputs.source])
      : []
  })

/** Once a run is over, none of its nodes is executed. */
function lateFaults(one: ReceivedRun): readonly Finding[] {
  const { items } = one.received
  const end = items.findIndex(({ message }) => Object.hasOwn(terminals, message.type))
  return (end < 0 ? [] : items.slice(end))
    .filter(({ message: { type, data } }) => type === 'executing' && data['node'] !== null)
    .slice(0, 1)
    .map((item) => ({
      at: at(one, item),
      says: `${one.run.prompt_id} executes a node after its end.`,
    }))
}

/** Whether a node is part of the workflow, as far as the recording knows it. Nodes can add further ones, as `12.0.1`. */
const isOfGraph = ({ run }: ReceivedRun, id: unknown): boolean =>
  run.graph === undefined ||
  Object.hasOwn(run.graph, String(id)) ||
  Object.hasOwn(run.graph, String(id).split('.')[0] ?? '')

const withGraph = ({ run }: ReceivedRun): boolean => run.graph !== undefined

/** Each run that sent a message of a type, with those messages. */
const sending = (type: string, isWanted: (one: ReceivedRun) => boolean = () => true) =>
  function* (trace: Trace): Iterable<ReceivedRun & { readonly items: readonly Item[] }> {
    for (const one of receivedRuns(isWanted)(trace)) {
      const items = itemsOf(one, type)
      if (items.length > 0) yield { ...one, items }
    }
  }

/** A finding for the first node that a message names and that the workflow does not have. */
const foreign = (
  one: ReceivedRun,
  items: readonly Item[],
  namesOf: (item: Item) => readonly unknown[],
) =>
  items
    .flatMap((item) => namesOf(item).map((id) => ({ item, id })))
    .filter(({ id }) => id !== null && !isOfGraph(one, id))
    .slice(0, 1)
    .map(({ item, id }) => ({
      at: at(one, item),
      says: `${item.message.type} names node ${shown(id)}, which is not part of the workflow.`,
    }))

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** An error names a node of the workflow with its type, and the nodes that ran before it. */
function errorFaults(one: ReceivedRun, item: Item): readonly Finding[] {
  const { node_id, node_type, executed } = item.message.data as Record<string, any>
  const node = nodeOf(one, node_id)
  return [
    ...unless(
      node === undefined || node_type === undefined || node.class_type === node_type,
      at(one, item),
      () =>
        `Node ${node_id} is a ${shown(node?.class_type)}, and the error says ${shown(node_type)}.`,
    ),
    ...unless(
      !listOf(executed).includes(node_id),
      at(one, item),
      () => `executed contains ${node_id}, which did not finish.`,
    ),
    ...foreign(one, [item], () => listOf(executed)),
    ...(one.received.isFromStart && executed !== undefined
      ? ranIn(one)
          .filter((id) => id !== node_id && !listOf(executed).includes(id))
          .map((id) => ({
            at: at(one, item),
            says: `executed lacks ${id}, which ran before.`,
          }))
      : []),
  ]
}

/** Nodes whose result depends on their inputs alone. */
const pure: ReadonlySet<unknown> = new Set([
  'EmptyImage',
  'ImageInvert',
  'PreviewAny',
  'PreviewImage',
])

/** Runs that succeeded, of the same workflow as the one before, when that had succeeded and nothing else was submitted. */
function* repeated(trace: Trace): Iterable<ReceivedRun & { readonly before: TracedRun }> {
  const freed = trace.exchanges.filter(({ endpoint }) => endpoint?.name === 'free')
  let before: ReceivedRun | undefined
  for (const one of receivedRuns(isSuccess)(trace)) {
    const { run, received } = one
    if (before?.run === run) continue
    const sinceMs = before?.received.items.at(-1)?.atMs ?? 0
    const submitMs = run.submit?.recorded.startMs ?? 0
    const isNext = run.submit?.reply()?.number === before?.run.submit?.reply()?.number + 1
    const isFreed = freed.some(({ recorded }) => recorded.startMs < submitMs)
    if (
      before !== undefined &&
      isNext &&
      !isFreed &&
      submitMs > sinceMs &&
      isPure(run) &&
      isAllRun(before) &&
      JSON.stringify(run.graph) === JSON.stringify(before.run.graph)
    )
      yield { run, received, before: before.run }
    before = one
  }
}

const isSuccess = (one: ReceivedRun): boolean =>
  isWhole(one) && terminalOf(one.received) === 'execution_success'

/** Whether all nodes of a run were run or cached. */
function isAllRun(one: ReceivedRun): boolean {
  const known = new Set<unknown>([...ranIn(one), ...cachedIn(one)])
  return Object.keys(one.run.graph ?? {}).every((id) => known.has(id))
}

const isPure = ({ graph }: TracedRun): boolean =>
  graph !== undefined && Object.values(graph).every((node) => pure.has(node?.class_type))

const byType = ofType('execution_error')

/** Errors that the server reports without an exception. */
const untraced: ReadonlySet<unknown> = new Set(['ExecutionBlocked', 'graph.DependencyCycleError'])

export const progressLaws: readonly Law[] = [
  law('messages/progress', sending('progress'), risingFaults),
  law('messages/progress-state', sending('progress_state'), (one) => [
    ...stateFaults(one),
    ...finishFaults(one),
  ]),
  law('runs/sources-first', sending('executing', withGraph), (one) =>
    foreign(one, one.items, ({ message }) => [message.data['node']]),
  ),
  law('messages/executing', sending('executing'), lateFaults),
  law('messages/executed', sending('executed', withGraph), textFaults),
  law('files/entry', sending('executed', withGraph), (one) =>
    foreign(one, one.items, ({ message }) => [
      message.data['display_node'] ?? message.data['node'],
    ]),
  ),
  law('runs/unchanged-is-cached', sending('execution_cached', withGraph), (one) =>
    foreign(one, one.items, ({ message }) => listOf(message.data['nodes'])),
  ),
  law('runs/unchanged-is-cached', repeated, ({ run, received, before }) => {
    const cached = new Set(cachedIn({ run, received }))
    return Object.keys(before.graph ?? {})
      .filter((id) => !cached.has(id))
      .slice(0, 1)
      .map((id) => ({
        at: { socket: received.socket },
        says: `The run ${run.prompt_id} is the one before it again, and node ${id} is not cached.`,
      }))
  }),
  law('messages/executed-cached', sending('execution_cached'), (one) => {
    const cached = new Set(cachedIn(one))
    return itemsOf(one, 'executing')
      .filter(({ message }) => cached.has(message.data['node']))
      .slice(0, 1)
      .map((item) => ({
        at: at(one, item),
        says: `Node ${shown(item.message.data['node'])} is cached, and runs.`,
      }))
  }),
  law('messages/error-details', sending('execution_error'), (one) =>
    one.items.flatMap((item) => errorFaults(one, item)),
  ),
  law('messages/error', byType, ({ socket, item, message }) =>
    unless(
      message.data['traceback'] === undefined ||
        untraced.has(message.data['exception_type']) ||
        listOf(message.data['traceback']).length > 0,
      { socket, item },
      () => 'The traceback is empty.',
    ),
  ),
]
