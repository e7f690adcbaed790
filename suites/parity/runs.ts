// Differences in what is done with runs: their names and places, cancelling, the queue and the history.

import { isFor, type Item, type Known, meantBy, type Told } from '../model/client-view.ts'
import { onEar, refusedAs, without } from './words.ts'
import type { Difference } from './difference.ts'
import type { Asked } from '../generate/actions.ts'

const onSubmit =
  (change: (json: any) => any) =>
  (asked: Asked): Asked | undefined =>
    isFor(asked, 'POST', '/prompt') ? { ...asked, json: change(asked.json) } : undefined

/** The number of a run on hosted, which refused submits do not move. */
const ownNumber = (known: Known, [number, id]: Item): number =>
  number - (known.runs.get(id)?.refusedBefore ?? 0)

const hostedItem = (known: Known, [, id, graph, , outputs]: Item, at: number) => {
  const create_time = known.runs.get(id)?.submittedMs
  return [at + 1, id, graph, outputs, { create_time }]
}

/** The prompt of an entry of the history, without its graph. */
const promptOf = (known: Known, item: Item) => ({
  priority: ownNumber(known, item),
  prompt_id: item[1],
  extra_data: without(item[3], 'client_id'),
})

const wholePromptOf = (known: Known, item: Item) => ({
  ...promptOf(known, item),
  prompt: item[2],
  outputs_to_execute: item[4],
})

const serialOf = (id: string): number => Number(/\d+/.exec(id)?.[0])

/** The list of hosted, or the page of it that a query asks for. */
function hostedHistory(known: Known, entries: any, query: string) {
  const values = new URLSearchParams(query)
  const offset = Number(values.get('offset') ?? 0)
  const max = Number(values.get('max_items') ?? Infinity)
  const all = Object.values<any>(entries).toSorted(
    (a, b) => serialOf(b.prompt[1]) - serialOf(a.prompt[1]),
  )
  return all.slice(offset, offset + max).map(({ prompt, outputs, status, meta }) => ({
    prompt_id: prompt[1],
    create_time: known.runs.get(prompt[1])?.submittedMs,
    prompt: promptOf(known, prompt),
    outputs,
    status,
    meta,
  }))
}

const oneEntry = /^\/history\/(.*)$/

function hostedEntry(told: Told, id: string, known: Known): Told {
  const [entry] = Object.values<any>(told.body)
  if (entry !== undefined) {
    const { prompt, ...rest } = entry
    return { ...told, body: { [id]: { prompt: wholePromptOf(known, prompt), ...rest } } }
  }
  if (known.running?.[1] !== id) return refusedAs('notFound')
  return { ...told, body: { [id]: { prompt: wholePromptOf(known, known.running) } } }
}

/** An entry of a run that noticed its interrupt only when its nodes were done. */
function interruptedEntry(known: Known, entry: any): any {
  const run = known.runs.get(entry.prompt[1])
  const last = entry.status.messages.at(-1)
  if (!run?.isStopping || last[0] !== 'execution_success') return entry
  const messages = [...entry.status.messages.slice(0, -1), lateInterrupt(known, last[1])]
  return { ...entry, status: { status_str: 'error', completed: false, messages } }
}

function lateInterrupt(known: Known, { prompt_id, timestamp }: any): readonly [string, any] {
  const run = known.runs.get(prompt_id)
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
    reply: (told, asked, known) =>
      isFor(asked, 'POST', '/prompt') && told.status === 200
        ? { ...told, body: { ...told.body, number: told.body.number - known.refused } }
        : undefined,
  },
  {
    id: 'an interrupt that names a run is a cancel, pending or not',
    from: ['queue/hosted-interrupt-named'],
    request: (asked, known) =>
      isFor(asked, 'POST', '/interrupt') &&
      known.pending.some(([, id]) => id === asked.json.prompt_id)
        ? { ...asked, path: '/queue', json: { delete: [asked.json.prompt_id] } }
        : undefined,
    reply: (_told, asked, known) => {
      if (!isFor(asked, 'POST', '/interrupt')) return undefined
      const named = asked.json.prompt_id
      return named === undefined || known.runs.has(named) ? undefined : refusedAs('notFound')
    },
  },
  {
    id: 'a change of the queue tells what it removed',
    from: ['queue/hosted-result'],
    reply: (told, asked, known) =>
      isFor(asked, 'POST', '/queue')
        ? {
            ...told,
            type: 'application/json; charset=utf-8',
            body: {
              deleted: asked.json.clear ? [] : meantBy(known, asked.json),
              cleared: asked.json.clear === true,
            },
          }
        : undefined,
  },
  {
    id: 'listed runs have a place and a time',
    from: ['queue/hosted-item'],
    reply: (told, asked, known) => {
      if (!isFor(asked, 'GET', '/queue')) return undefined
      const list = (items: Item[]) => items.map((item, at) => hostedItem(known, item, at))
      const { queue_running, queue_pending } = told.body
      const body = { queue_running: list(queue_running), queue_pending: list(queue_pending) }
      return { ...told, body }
    },
  },
  {
    id: 'an interrupt is noticed at the end of a run at the latest',
    from: ['jobs/cancel-running'],
    reply: (told, asked, known) =>
      isFor(asked, 'GET', /^\/history/)
        ? {
            ...told,
            body: Object.fromEntries(
              Object.entries<any>(told.body).map(([id, entry]) => [
                id,
                interruptedEntry(known, entry),
              ]),
            ),
          }
        : undefined,
    heard: onEar((messages, known) =>
      messages.map((message) => {
        const isLate = known.runs.get(message.data?.prompt_id)?.isStopping
        if (message.type !== 'execution_success' || !isLate) return message
        const [type, data] = lateInterrupt(known, message.data)
        return { type, data }
      }),
    ),
  },
  {
    id: 'the history is a list',
    from: ['history/hosted-list', 'history/hosted-list-entry', 'history/hosted-pages'],
    request: (asked) =>
      isFor(asked, 'GET', '/history') ? { ...asked, path: '/history' } : undefined,
    reply: (told, asked, known) => {
      if (!isFor(asked, 'GET', '/history')) return undefined
      const history = hostedHistory(known, told.body, asked.path.split('?')[1] ?? '')
      return { ...told, body: { history } }
    },
  },
  {
    id: 'one run is told from its beginning on, an unknown one is refused',
    from: ['history/hosted-by-id', 'history/hosted-once-begun', 'history/hosted-unknown'],
    reply: (told, asked, known) => {
      const id = oneEntry.exec(asked.path)?.[1]
      return id === undefined ? undefined : hostedEntry(told, id, known)
    },
  },
]
