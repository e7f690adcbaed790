// What a machine has received and sent, read from its journal: requests, messages, frames and deliveries, filtered and
// compared with what a test expects.

import type { Entry } from '../machine.ts'
import { writeExact } from '../lib/exact-json.ts'
import { type Difference, differences } from '../lib/match.ts'
import { matchesPath } from '../lib/path-pattern.ts'
import { type KeptRequests, replacesState } from './request-log.ts'

/** A journal as a reader sees it: the kept entries, and a function that hides the secrets of a value. */
export type JournalView<I, E> = {
  /** The number of the first kept entry. */
  readonly first: number
  readonly entries: readonly Entry<I, E>[]
  /** The requests, also those whose entries are dropped. */
  readonly requests: KeptRequests
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
  /** All headers by lower-case name. Credentials are placeholders: equal for equal ones. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * JSON as its value, a form as its fields, a text, or the number of bytes; null without a body. Integers beyond
   * `Number.MAX_SAFE_INTEGER` are bigints.
   */
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
  /** Whether the list has its beginning: only so many of the latest are kept. */
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

/** A request that does not match, and where it differs. */
export type NearRequest = {
  readonly request: ReceivedRequest
  readonly differs: readonly Difference[]
}

/** The result of a verification. */
export type Verification = {
  /** Whether as many requests match as expected. */
  readonly passed: boolean
  /** How many requests match. */
  readonly count: number
  /** The requests that match, oldest first. */
  readonly matched: readonly (Moment & Pick<ReceivedRequest, 'status'>)[]
  /** Unless it passed: the requests with this method or path that come closest, the closest first, and where they differ. */
  readonly near: readonly NearRequest[]
  /** What was expected and what was received, in a sentence for an assertion. */
  readonly message: string
  /** Whether all requests since the last reset were compared: only the latest 10,000 are kept. */
  readonly complete: boolean
}

const MAX_NEAR = 3

/** Where a request differs from a filter. */
function requestDifferences(
  request: ReceivedRequest,
  { method, path, headers, ...members }: RequestFilter,
): readonly Difference[] {
  const found: Difference[] = []
  if (method !== undefined && method.toUpperCase() !== request.method)
    found.push({ at: 'method', expected: method, received: request.method })
  if (path !== undefined && !matchesPath(path, request.path))
    found.push({ at: 'path', expected: path, received: request.path })
  if (headers !== undefined) {
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    found.push(...differences(request.headers, Object.fromEntries(lowered), 'headers'))
  }
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
  expected: Expectation,
): Verification {
  const { times, ...filter } = expected
  const compared = items.map((request) => ({
    request,
    differs: requestDifferences(request, filter),
  }))
  const matching = compared.flatMap(({ request, differs }) => (differs.length === 0 ? request : []))
  const count = matching.length
  const passed = times === undefined ? count > 0 : count === times
  const near = compared
    .filter(({ differs }) => differs.length > 0 && !isFarFrom(differs))
    .toSorted((a, b) => a.differs.length - b.differs.length || b.request.entry - a.request.entry)
    .slice(0, passed ? 0 : MAX_NEAR)
  const matched = matching.map(({ entry, nowMs, timeMs, status }) => ({
    entry,
    nowMs,
    timeMs,
    status,
  }))
  const message = verificationText(expected, matching, near, complete)
  return { passed, count, matched, near, message, complete }
}

/** Whether a request has neither the method nor the path. */
const isFarFrom = (differs: readonly Difference[]): boolean =>
  differs.filter(({ at }) => at === 'method' || at === 'path').length === 2

/** How many of the requests that match a message names. */
const MAX_NAMED = 5

function verificationText(
  { times, method, path, ...members }: Expectation,
  matching: readonly ReceivedRequest[],
  [nearest]: readonly NearRequest[],
  isComplete: boolean,
): string {
  const what = [method?.toUpperCase() ?? 'request', path ?? ''].join(' ').trimEnd()
  const named = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  )
  const having = named.length === 0 ? '' : ` with the given ${named.join(', ')}`
  const entries = matching.slice(0, MAX_NAMED).map(entryText)
  const more = matching.length > MAX_NAMED ? [`${matching.length - MAX_NAMED} more`] : []
  const found = matching.length === 0 ? '.' : `: ${[...entries, ...more].join(', ')}.`
  return [
    `Expected ${times ?? 'at least 1'} ${what}${having}, received ${matching.length}${found}`,
    ...(nearest === undefined ? [] : [nearText(nearest)]),
    ...(isComplete ? [] : ['Earlier requests are no longer kept.']),
  ].join(' ')
}

const entryText = ({ entry, status }: ReceivedRequest): string =>
  `entry ${entry} (${status ?? 'no reply yet'})`

function nearText({ request, differs }: NearRequest): string {
  const where = differs.map(
    ({ at, expected, received }) =>
      `${at} (expected ${shortText(expected)}, received ${shortText(received)})`,
  )
  const { method, path } = request
  return `Closest: ${entryText(request)} ${method} ${path} differs in ${where.join(', ')}.`
}

/** The longest text of a value in a message, in characters. */
const MAX_VALUE = 80

function shortText(value: unknown): string {
  const text = value === undefined ? 'nothing' : writeExact(value)
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text
}

/** The entries since the last change of the whole state, with their numbers. */
export function entriesSinceStart<I, E>({
  first,
  entries,
}: JournalView<I, E>): { readonly entries: readonly [number, Entry<I, E>][]; complete: boolean } {
  const start = entries.findLastIndex(({ input }) => replacesState(input)) + 1
  return {
    entries: entries.slice(start).map((entry, at) => [first + start + at, entry]),
    complete: start > 0 || first === 0,
  }
}
