// Differences in operations on runs: their names and places, cancelling, the queue and the history.

import {
  isFor,
  type Item,
  type ClientView,
  meantBy,
  type PlainReply,
} from '../model/client-view.ts'
import { onListener, refusedAs, without } from './words.ts'
import type { Difference } from './difference.ts'
import type { PlainRequest } from '../generate/actions.ts'

const onSubmit =
  (change: (json: any) => any) =>
  (request: PlainRequest): PlainRequest | undefined =>
    isFor(request, 'POST', '/prompt') ? { ...request, json: change(request.json) } : undefined

/** The number of a run on hosted, which rejected submits do not increase. */
const ownNumber = (view: ClientView, [number, id]: Item): number =>
  number - (view.runs.get(id)?.refusedBefore ?? 0)

const hostedItem = (view: ClientView, [, id, graph, , outputs]: Item, at: number) => {
  const create_time = view.runs.get(id)?.submittedMs
  return [at + 1, id, graph, outputs, { create_time }]
}

/** The prompt of an entry of the history, without its graph. */
const promptOf = (view: ClientView, item: Item) => ({
  priority: ownNumber(view, item),
  prompt_id: item[1],
  extra_data: without(item[3], 'client_id'),
})

const wholePromptOf = (view: ClientView, item: Item) => ({
  ...promptOf(view, item),
  prompt: item[2],
  outputs_to_execute: item[4],
})

const serialOf = (id: string): number => Number(/\d+/.exec(id)?.[0])

/** The list of hosted, or the page of it that a query requests. */
function hostedHistory(view: ClientView, entries: any, query: string) {
  const values = new URLSearchParams(query)
  const offset = Number(values.get('offset') ?? 0)
  const max = Number(values.get('max_items') ?? Infinity)
  const all = Object.values<any>(entries).toSorted(
    (a, b) => serialOf(b.prompt[1]) - serialOf(a.prompt[1]),
  )
  return all.slice(offset, offset + max).map(({ prompt, outputs, status, meta }) => ({
    prompt_id: prompt[1],
    create_time: view.runs.get(prompt[1])?.submittedMs,
    prompt: promptOf(view, prompt),
    outputs,
    status,
    meta,
  }))
}

const oneEntry = /^\/history\/(.*)$/

function hostedEntry(reply: PlainReply, id: string, view: ClientView): PlainReply {
  const [entry] = Object.values<any>(reply.body)
  if (entry !== undefined) {
    const { prompt, ...rest } = entry
    return { ...reply, body: { [id]: { prompt: wholePromptOf(view, prompt), ...rest } } }
  }
  if (view.running?.[1] !== id) return refusedAs('notFound')
  return { ...reply, body: { [id]: { prompt: wholePromptOf(view, view.running) } } }
}

/** An entry of a run that noticed its interrupt only when its nodes were done. */
function interruptedEntry(view: ClientView, entry: any): any {
  const run = view.runs.get(entry.prompt[1])
  const last = entry.status.messages.at(-1)
  if (!run?.isStopping || last[0] !== 'execution_success') return entry
  const messages = [...entry.status.messages.slice(0, -1), lateInterrupt(view, last[1])]
  return { ...entry, status: { status_str: 'error', completed: false, messages } }
}

function lateInterrupt(view: ClientView, { prompt_id, timestamp }: any): readonly [string, any] {
  const run = view.runs.get(prompt_id)
  const graph = run?.item?.[2] ?? {}
  const node_id = run?.nodes.at(-1) ?? Object.keys(graph)[0] ?? ''
  const node_type = graph[node_id]?.class_type
  const executed = run?.nodes ?? []
  return ['execution_interrupted', { prompt_id, node_id, node_type, executed, timestamp }]
}

export const runDifferences: readonly Difference[] = [
  {
    id: 'the server chooses the ids of runs',
    from: ['workflows/hosted-own-id'],
    request: onSubmit((json) => without(json, 'prompt_id')),
  },
  {
    id: 'number and front have no effect',
    from: ['workflows/hosted-number'],
    request: onSubmit((json) => without(json, 'number', 'front')),
  },
  {
    id: 'a refused submit does not count',
    from: ['workflows/hosted-number'],
    reply: (reply, request, view) =>
      isFor(request, 'POST', '/prompt') && reply.status === 200
        ? { ...reply, body: { ...reply.body, number: reply.body.number - view.refused } }
        : undefined,
  },
  {
    id: 'an interrupt that names a run is a cancel, pending or not',
    from: ['queue/hosted-interrupt-named'],
    request: (request, view) =>
      isFor(request, 'POST', '/interrupt') &&
      view.pending.some(([, id]) => id === request.json.prompt_id)
        ? { ...request, path: '/queue', json: { delete: [request.json.prompt_id] } }
        : undefined,
    reply: (_reply, request, view) => {
      if (!isFor(request, 'POST', '/interrupt')) return undefined
      const named = request.json.prompt_id
      return named === undefined || view.runs.has(named) ? undefined : refusedAs('notFound')
    },
  },
  {
    id: 'a change of the queue returns what it removed',
    from: ['queue/hosted-result'],
    reply: (reply, request, view) =>
      isFor(request, 'POST', '/queue')
        ? {
            ...reply,
            type: 'application/json; charset=utf-8',
            body: {
              deleted: request.json.clear ? [] : meantBy(view, request.json),
              cleared: request.json.clear === true,
            },
          }
        : undefined,
  },
  {
    id: 'listed runs have a place and a time',
    from: ['queue/hosted-item'],
    reply: (reply, request, view) => {
      if (!isFor(request, 'GET', '/queue')) return undefined
      const list = (items: Item[]) => items.map((item, at) => hostedItem(view, item, at))
      const { queue_running, queue_pending } = reply.body
      const body = { queue_running: list(queue_running), queue_pending: list(queue_pending) }
      return { ...reply, body }
    },
  },
  {
    id: 'an interrupt is noticed at the end of a run at the latest',
    from: ['jobs/cancel-running'],
    reply: (reply, request, view) =>
      isFor(request, 'GET', /^\/history/)
        ? {
            ...reply,
            body: Object.fromEntries(
              Object.entries<any>(reply.body).map(([id, entry]) => [
                id,
                interruptedEntry(view, entry),
              ]),
            ),
          }
        : undefined,
    received: onListener((messages, view) =>
      messages.map((message) => {
        const isLate = view.runs.get(message.data?.prompt_id)?.isStopping
        if (message.type !== 'execution_success' || !isLate) return message
        const [type, data] = lateInterrupt(view, message.data)
        return { type, data }
      }),
    ),
  },
  {
    id: 'the history is a list',
    from: ['history/hosted-list', 'history/hosted-list-entry', 'history/hosted-pages'],
    request: (request) =>
      isFor(request, 'GET', '/history') ? { ...request, path: '/history' } : undefined,
    reply: (reply, request, view) => {
      if (!isFor(request, 'GET', '/history')) return undefined
      const history = hostedHistory(view, reply.body, request.path.split('?')[1] ?? '')
      return { ...reply, body: { history } }
    },
  },
  {
    id: 'the history lists one run from its beginning on, and rejects an unknown one',
    from: ['history/hosted-by-id', 'history/hosted-once-begun', 'history/hosted-unknown'],
    reply: (reply, request, view) => {
      const id = oneEntry.exec(request.path)?.[1]
      return id === undefined ? undefined : hostedEntry(reply, id, view)
    },
  },
]
