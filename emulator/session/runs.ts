// Collects the runs of a recorded session: their submits, what each socket received of them, and where they are listed.

import type { Place } from '../../spec/language.ts'
import { addTo } from '../lib/add-to.ts'
import { endings } from '../journal/run-states.ts'
import type { TracedExchange } from './exchanges.ts'
import { type ForeignJson, isMembers } from '../lib/loose.ts'
import { type ListedRun, listedIn } from './listings.ts'
import type { Item, Message, TracedSocket } from './sockets.ts'

type MessageItem = Item & { readonly message: Message }

/** What one socket received about a run. */
export type RunMessages = {
  readonly socket: TracedSocket
  readonly items: readonly MessageItem[]
  /** Whether the socket was open before the run was submitted. */
  readonly isFromStart: boolean
  /** Whether the end of the run came. */
  readonly isOver: boolean
}

/** A history entry or a job, and the reply that contained it. */
export type Listed = { readonly exchange: TracedExchange; readonly entry: ForeignJson }

export type TracedRun = {
  readonly prompt_id: string
  /** The submit that was accepted; undefined for a run that began before the recording. */
  readonly submit: TracedExchange | undefined
  /** The workflow, if the submit was recorded. */
  readonly graph: Readonly<Record<string, ForeignJson>> | undefined
  /** The client that receives its messages on a local server; null for none, undefined if unknown. */
  readonly client: string | null | undefined
  readonly received: readonly RunMessages[]
  /** Its history entries, */
  readonly entries: readonly Listed[]
  /** and its states as a job, in the order of the replies. */
  readonly jobs: readonly Listed[]
}

/** All runs of a session, and the ids that several accepted submits have in common. */
export type Runs = {
  readonly runs: readonly TracedRun[]
  readonly sharedIds: ReadonlySet<unknown>
}

type Open = {
  readonly prompt_id: string
  readonly submits: TracedExchange[]
  readonly received: Map<TracedSocket, MessageItem[]>
  readonly entries: Listed[]
  readonly jobs: Listed[]
}

/** Whether a message ends a run there: this run, or any if none is named. */
export const endsRun =
  (place: Place, prompt_id?: string) =>
  ({ type, data }: Message): boolean =>
    (prompt_id === undefined || data['prompt_id'] === prompt_id) &&
    (place === 'hosted'
      ? Object.hasOwn(endings, type)
      : type === 'executing' && data['node'] === null && 'prompt_id' in data)

/**
 * The runs in the order in which the recording first names them. A client can name the same id twice: what is received of it
 * is of one of them, and nothing says of which, so that those runs are missing.
 */
export function runsOf(
  place: Place,
  exchanges: readonly TracedExchange[],
  sockets: readonly TracedSocket[],
): Runs {
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
    for (const { id, entry } of entriesIn(exchange)) runOf(id).entries.push({ exchange, entry })
    for (const { id, entry } of listed(exchange, jobs)) runOf(id).jobs.push({ exchange, entry })
  }
  for (const socket of sockets)
    for (const item of socket.items) {
      const id = item.message?.data['prompt_id']
      if (typeof id !== 'string') continue
      addTo(runOf(id).received, socket, item as MessageItem)
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
    graph: isMembers(asked?.prompt) ? asked.prompt : undefined,
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
  items: readonly MessageItem[],
): RunMessages {
  const isEnd = endsRun(place, prompt_id)
  return {
    socket,
    items,
    isFromStart: submit !== undefined && socket.openMs <= submit.recorded.startMs,
    isOver: items.some(({ message }) => isEnd(message)),
  }
}

/** The client that a submit names. */
function clientOf(asked: ForeignJson): string | null {
  const named: unknown = asked?.client_id ?? asked?.extra_data?.client_id
  return typeof named === 'string' ? named : null
}

/** The id of the run that a submit has created. */
export function acceptedId({ endpoint, status, reply }: TracedExchange): string | undefined {
  if (endpoint?.name !== 'submit' || status !== 200) return undefined
  const id: unknown = reply()?.prompt_id
  return typeof id === 'string' ? id : undefined
}

/** The history entries or jobs in a reply, by the ids of their runs. */
const listed = ({ endpoint, status, reply }: TracedExchange, names: ReadonlySet<string>) =>
  endpoint !== undefined && status === 200 && names.has(endpoint.name)
    ? listedIn(endpoint.name, reply())
    : []

const histories: ReadonlySet<string> = new Set(['readHistory', 'readHistoryEntry'])
const jobs: ReadonlySet<string> = new Set(['jobs', 'job', 'jobStatus'])

/** The history entries in a reply. */
export const entriesIn = (exchange: TracedExchange): readonly ListedRun[] =>
  listed(exchange, histories).filter(({ entry }) => isMembers(entry))
