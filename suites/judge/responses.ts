// Reads the queue, the history and the end of a run on either deployment: the same facts in different forms.

import type { Deployment } from '../../spec/language.ts'
import type { Graph } from '../generate/graphs.ts'
import type { Reply } from './reply.ts'

/** A run as the queue lists it. */
export type QueueEntry = {
  readonly prompt_id: string
  readonly graph: Graph
  readonly extra_data: any
  /** The output nodes that it runs for. */
  readonly targets: readonly string[]
}

/** A run as the history lists it. */
export type HistoryEntry = QueueEntry & {
  /** Further details of the nodes with an output, by their ids. */
  readonly meta: any
  /** The outputs, by node id. */
  readonly outputs: any
  readonly status: {
    readonly status_str: string
    readonly completed: boolean
    readonly messages: readonly (readonly [type: string, data: any])[]
  }
}

type Get = (path: string) => Promise<Reply>
type ResponseShape = {
  readonly queued: (get: Get, item: any) => Promise<QueueEntry>
  /** The ids of all entries, oldest first. */
  readonly ids: (history: any) => readonly string[]
  readonly over: (entry: any) => HistoryEntry
}

const ofLocal = ([, prompt_id, graph, extra_data, targets]: any): QueueEntry => ({
  prompt_id,
  graph,
  extra_data,
  targets,
})

const shapes: Readonly<Record<Deployment, ResponseShape>> = {
  local: {
    queued: async (_, item) => ofLocal(item),
    ids: (history) => Object.keys(history),
    over: ({ prompt, ...rest }) => ({ ...ofLocal(prompt), ...rest }),
  },
  hosted: {
    // The hosted queue does not return extra_data; the job does.
    queued: async (get, [, prompt_id, graph, targets]) => {
      const { extra_data } = (await get(`/jobs/${prompt_id}`)).json().workflow
      return { prompt_id, graph, extra_data, targets }
    },
    // Cases about other things read the history of servers too that write it as local ones do.
    ids: ({ history, ...byId }) =>
      Array.isArray(history)
        ? history.map(({ prompt_id }: QueueEntry) => prompt_id).toReversed()
        : Object.keys(byId).toReversed(),
    over: ({ prompt, ...rest }) => {
      if (Array.isArray(prompt)) return { ...ofLocal(prompt), ...rest }
      const { prompt_id, prompt: graph, extra_data, outputs_to_execute: targets } = prompt
      return { prompt_id, graph, extra_data, targets, ...rest }
    },
  },
}

/** How cases read a server of this deployment. */
export function responsesOf(deployment: Deployment, get: Get) {
  const { queued, ids, over } = shapes[deployment]
  const listed = (items: readonly unknown[]): Promise<QueueEntry[]> =>
    Promise.all(items.map((item) => queued(get, item)))
  return {
    queue: async () => {
      const { queue_running, queue_pending } = (await get('/queue')).json()
      return { running: await listed(queue_running), pending: await listed(queue_pending) }
    },
    history: async () => ids((await get('/history')).json()),
    finished: async (prompt_id: string): Promise<HistoryEntry | undefined> => {
      const reply = await get(`/history/${encodeURIComponent(prompt_id)}`)
      const entry = reply.status === 200 ? reply.json()[prompt_id] : undefined
      return entry?.status === undefined ? undefined : over(entry)
    },
  }
}

/** The ids that the queue lists; an empty list for one that is not there. */
export async function listedIds({
  get,
}: {
  readonly get: Get
}): Promise<{ running: string[]; pending: string[] }> {
  const { queue_running, queue_pending } = (await get('/queue')).json()
  const ids = (items: unknown): string[] =>
    Array.isArray(items) ? items.map((item) => item[1]) : []
  return { running: ids(queue_running), pending: ids(queue_pending) }
}

/**
 * The `extra_data` of the runs that a case has submitted to a local server with this text at `mine`, whether they have ended
 * or not, in their order, without the time that later servers add. In a world of the suites all runs count: nobody else
 * submits there.
 */
export async function markedRuns(
  { get, isOwn }: { readonly get: Get; readonly isOwn: boolean },
  mark: string,
): Promise<readonly unknown[]> {
  const { queue_running, queue_pending } = (await get('/queue')).json()
  const ended = Object.values((await get('/history')).json()).map(({ prompt }: any) => prompt)
  const items: any[] = [...queue_running, ...queue_pending, ...ended]
  const runs = new Map(items.map(([number, id, , extra]) => [id, { number, extra }]))
  return [...runs.values()]
    .filter(({ extra }) => isOwn || extra.mine === mark)
    .toSorted((a, b) => a.number - b.number)
    .map(({ extra: { create_time: _added, ...extra } }) => extra)
}

/** How the end of a run shows in messages. */
export { endsRun } from '../../dist/emulator/session/index.js'

type Declared = { readonly python_module?: string | undefined }

/** Where packs are; one file that comes with the server is there as well. */
const ofPack = /^custom_nodes\.(?!websocket_image_save$)/

/** The node types that come with a server, without those of installed packs: what packs declare is not up to the server. */
export const builtIn = <T extends Declared>(
  types: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(types).filter(([, type]) => !ofPack.test(`${type.python_module}`)),
  )
