// Collects the runs of a recorded session: their submits, what each socket received of them, and where they are listed.

import type { Place } from '../../spec/language.ts'
import type { Message } from '../judge/judge.ts'
import { endsRun } from '../judge/responses.ts'
import type {
  RunMessages,
  Item,
  Listed,
  Trace,
  TracedExchange,
  TracedRun,
  TracedSocket,
} from './trace.ts'

type TypedMessage = Item & { readonly message: Message }
type Open = {
  readonly prompt_id: string
  readonly submits: TracedExchange[]
  readonly received: Map<TracedSocket, TypedMessage[]>
  readonly entries: Listed[]
  readonly jobs: Listed[]
}

/**
 * The runs in the order in which the recording first names them. A client can name the same id twice: what is received of it
 * is of one of them, and nothing says of which, so that those runs are missing.
 */
export function runsOf(
  place: Place,
  exchanges: readonly TracedExchange[],
  sockets: readonly TracedSocket[],
): Pick<Trace, 'runs' | 'sharedIds'> {
  const runs = new Map<string, Open>()
  const runOf = (prompt_id: string): Open => {
    const known = runs.get(prompt_id)
    if (known !== undefined) return known
    const run: Open = { prompt_id, submits: [], received: new Map(), entries: [], jobs: [] }
    runs.set(prompt_id, run)
    return run
  }
  for (const exchange of exchanges) {
    const accepted = acceptedId(exchange)
    if (accepted !== undefined) runOf(accepted).submits.push(exchange)
    for (const [id, entry] of entriesIn(exchange)) runOf(id).entries.push({ exchange, entry })
    for (const [id, entry] of jobsIn(exchange)) runOf(id).jobs.push({ exchange, entry })
  }
  for (const socket of sockets)
    for (const item of socket.items) {
      const id = item.message?.data['prompt_id']
      if (typeof id !== 'string') continue
      const { received } = runOf(id)
      const own = received.get(socket)
      if (own === undefined) received.set(socket, [item as TypedMessage])
      else own.push(item as TypedMessage)
    }
  const all = [...runs.values()]
  const isShared = ({ submits }: Open): boolean => submits.length > 1
  return {
    runs: all.filter((run) => !isShared(run)).map((run) => closed(place, run)),
    sharedIds: new Set(all.filter(isShared).map(({ prompt_id }) => prompt_id)),
  }
}

function closed(place: Place, { prompt_id, submits, received, entries, jobs }: Open): TracedRun {
  const [submit] = submits
  const asked = submit?.asked()
  return {
    prompt_id,
    submit,
    graph: isObject(asked?.prompt) ? asked.prompt : undefined,
    client: submit === undefined ? undefined : clientOf(asked),
    received: [...received].map(([socket, items]) =>
      receivedOf(place, prompt_id, submit, socket, items),
    ),
    entries,
    jobs,
  }
}

function receivedOf(
  place: Place,
  prompt_id: string,
  submit: TracedExchange | undefined,
  socket: TracedSocket,
  items: readonly TypedMessage[],
): RunMessages {
  const isEnd = endsRun(place === 'hosted' ? 'hosted' : 'local', prompt_id)
  return {
    socket,
    items,
    isFromStart: submit !== undefined && socket.openMs <= submit.recorded.startMs,
    isOver: items.some(({ message }) => isEnd(message)),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, any>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The client that a submit names. */
function clientOf(asked: any): string | null {
  const named: unknown = asked?.client_id ?? asked?.extra_data?.client_id
  return typeof named === 'string' ? named : null
}

/** The id of the run that a submit has created. */
export function acceptedId({ endpoint, status, reply }: TracedExchange): string | undefined {
  if (endpoint?.name !== 'submit' || status !== 200) return undefined
  const id: unknown = reply()?.prompt_id
  return typeof id === 'string' ? id : undefined
}

type Entries = readonly (readonly [id: string, entry: any])[]

/** The history entries in a reply, by the ids of their runs. */
export function entriesIn({ endpoint, status, reply }: TracedExchange): Entries {
  if (status !== 200) return []
  if (endpoint?.name !== 'readHistory' && endpoint?.name !== 'readHistoryEntry') return []
  const body: unknown = reply()
  if (!isObject(body)) return []
  const list: unknown = body['history']
  // A local history that lists a run named `history` holds an object there.
  const found: Entries = Array.isArray(list)
    ? list.map((entry) => [entry?.prompt_id, entry] as const)
    : Object.entries(body)
  return found.filter(([id, entry]) => typeof id === 'string' && isObject(entry))
}

/** The jobs in a reply, by their ids. */
function jobsIn({ endpoint, status, reply }: TracedExchange): Entries {
  if (status !== 200) return []
  const body: unknown = reply()
  if (!isObject(body)) return []
  const list: unknown =
    endpoint?.name === 'jobs'
      ? body['jobs']
      : endpoint?.name === 'job' || endpoint?.name === 'jobStatus'
        ? [body]
        : []
  return (Array.isArray(list) ? list : [])
    .map((job) => [job?.id, job] as const)
    .filter(([id]) => typeof id === 'string')
}
