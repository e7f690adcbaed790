// What a machine has received and sent, read from its journal: requests, messages, frames and deliveries, filtered and
// compared with what a test expects.

import type { Entry } from '../machine.ts'
import { differences } from '../lib/match.ts'
import { matchesPath } from '../lib/path-pattern.ts'

/** A journal as a reader sees it: the kept entries, and a function that hides the secrets of a value. */
export type JournalView<I, E> = {
  /** The number of the first kept entry. */
  readonly first: number
  readonly entries: readonly Entry<I, E>[]
  readonly redactInput: (input: I) => unknown
  readonly redactEffect: (effect: E) => unknown
}

/** Where something stands in the journal, and when it happened. */
export type Moment = {
  /** The number of the journal entry that it belongs to. */
  readonly entry: number
  /** Since the start of the world, in milliseconds, */
  readonly nowMs: number
  /** and since 1970. */
  readonly timeMs: number
}

/** A request that a server or gateway has received. */
export type ReceivedRequest = Moment & {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Of a repeated parameter the last value. */
  readonly query: Readonly<Record<string, string>>
  /** The headers that the protocol uses, by lower-case name. Secrets are placeholders. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON as its value, a form as its fields, a text, or the number of bytes; null without a body. */
  readonly body: unknown
  /** The status of the reply; null if it has not been sent. */
  readonly status: number | null
  /** The account that sent it, on hosted. */
  readonly user: string | null
  /** The run that it started: its prompt_id, at a gateway the delivery id. */
  readonly run: string | null
}

/** A message of a socket. */
export type SocketMessage = Moment & {
  readonly direction: 'sent' | 'received'
  readonly sockets: readonly number[]
  /** Null if it is not a JSON object with a type. */
  readonly type: string | null
  /** The data of the message; the text if it is not JSON. */
  readonly data: unknown
  readonly run: string | null
}

/** A run of a server, in its queue or in its history. */
export type RunView = {
  readonly prompt_id: string
  readonly state: 'pending' | 'running' | 'success' | 'error' | 'interrupted'
  /** The account that submitted it; null on local. */
  readonly user: string | null
}

/** A binary frame that a server has sent. */
export type SentFrame = Moment & {
  readonly sockets: readonly number[]
  /** The name of its layout. */
  readonly frame: string
  /** Its fields apart from the picture. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** A list of what was received or sent since the last reset, restore or fork. */
export type Received<T> = {
  readonly items: readonly T[]
  /** Whether the list has its beginning. The journal keeps the latest entries only. */
  readonly complete: boolean
}

/** Which requests to choose: those whose members all match. Objects match if they contain these members. */
export type RequestFilter = {
  readonly method?: string
  /** With or without /api; `*` stands for one segment, `**` for any number. */
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status?: number
  readonly user?: string
  readonly run?: string
}

/** Requests that a test expects, and how many of them. */
export type Expectation = RequestFilter & {
  /** How many requests must match; by default at least one. */
  readonly times?: number
}

/** The result of a verification. */
export type Verification = {
  /** Whether as many requests match as expected. */
  readonly passed: boolean
  /** How many requests match. */
  readonly count: number
  /** The requests that come closest to matching, the closest first, and where they differ. */
  readonly near: readonly {
    readonly request: ReceivedRequest
    readonly differs: readonly string[]
  }[]
  /** Whether all requests since the last reset were compared: the journal keeps the latest ones only. */
  readonly complete: boolean
}

const MAX_NEAR = 3

/** Where a request differs from a filter. */
function requestDifferences(
  request: ReceivedRequest,
  { method, path, ...members }: RequestFilter,
): readonly string[] {
  const found: string[] = []
  if (method !== undefined && method.toUpperCase() !== request.method) found.push('method')
  if (path !== undefined && !matchesPath(path, request.path)) found.push('path')
  for (const [name, expected] of Object.entries(members)) {
    if (expected === undefined) continue
    found.push(...differences(request[name as keyof ReceivedRequest], expected, name))
  }
  return found
}

export const matchesRequest = (request: ReceivedRequest, filter: RequestFilter): boolean =>
  requestDifferences(request, filter).length === 0

/** Compares the requests with an expectation. */
export function verify(
  { items, complete }: Received<ReceivedRequest>,
  { times, ...filter }: Expectation,
): Verification {
  const compared = items.map((request) => ({
    request,
    differs: requestDifferences(request, filter),
  }))
  const count = compared.filter(({ differs }) => differs.length === 0).length
  const passed = times === undefined ? count > 0 : count === times
  const near = compared
    .filter(({ differs }) => differs.length > 0)
    .toSorted((a, b) => a.differs.length - b.differs.length || b.request.entry - a.request.entry)
    .slice(0, MAX_NEAR)
  return { passed, count, near: passed ? [] : near, complete }
}

/** The entries since the last change of the whole state, with their numbers. */
export function entriesSinceStart<I extends { readonly kind: string }, E>({
  first,
  entries,
}: JournalView<I, E>): { readonly entries: readonly [number, Entry<I, E>][]; complete: boolean } {
  const begins = ({ input }: Entry<I, E>): boolean =>
    input.kind === 'world' && 'do' in input && input.do !== 'snapshot'
  const start = entries.findLastIndex(begins) + 1
  return {
    entries: entries.slice(start).map((entry, at) => [first + start + at, entry]),
    complete: start > 0 || first === 0,
  }
}

/** Parameters by name; of a repeated one the last value. */
export const queryOf = (query: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(query))
