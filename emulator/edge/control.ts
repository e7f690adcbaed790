// The control paths: requests to the test double itself, not to the server or gateway that it emulates. They move the
// clock, return the journal, and provide further operations of a machine.

import { limits } from '../../spec/limits.ts'
import { decodePart, splitTarget } from '../http/requests.ts'
import { readExact, writeExact } from '../lib/exact-json.ts'
import { didYouMean } from '../lib/nearest.ts'
import { isConflict, isUsageError } from '../options/usage.ts'
import { version } from '../lib/version.ts'
import type { IncomingRequest, RequestHead } from '../machine.ts'
import type { HintingClock } from './clock-handle.ts'
import { type Caller, type Guard, whyRefused } from './control-access.ts'

export const CONTROL_ROOT = '/_flowdouble'
export const CONTROL_PREFIX = `${CONTROL_ROOT}/`

/** The largest body of a control request, in bytes. */
export const MAX_CONTROL_BYTES = limits.controlBody.value

/** The same for requests that can bring a saved world. */
const maxControlBytes = ({ method, target }: RequestHead): number =>
  method === 'PUT' && splitTarget(target)[0].endsWith('/state')
    ? limits.savedWorld.value
    : MAX_CONTROL_BYTES

/**
 * The same before a request is answered: whoever has no access gets no room for a whole world. Where the request comes from
 * is examined later.
 */
export const controlBytesFor = (head: RequestHead, guard: Guard): number =>
  whyRefused({ address: '127.0.0.1', headers: head.headers }, guard) === undefined
    ? maxControlBytes(head)
    : MAX_CONTROL_BYTES

/** A response of the control paths. */
export type ControlReply = {
  readonly status: number
  readonly type: string
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

const JSON_TYPE = 'application/json; charset=utf-8'

export const ok = (value: unknown): ControlReply => jsonText(writeExact(value))
export const jsonText = (text: string): ControlReply => ({
  status: 200,
  type: JSON_TYPE,
  body: text,
})
export const refusal = (status: number, error: string): ControlReply => ({
  status,
  type: JSON_TYPE,
  body: JSON.stringify({ error }),
})

/** What a handler reads of a request. */
export type ControlRequest = {
  readonly body: Uint8Array
  /** Query parameters by name. */
  readonly query: Readonly<Record<string, string>>
  /** The parameter of the path, decoded; empty without any. */
  readonly segment: string
}

/** Handlers by method and path below the prefix; `{name}` stands for a parameter. */
export type ControlPaths = Readonly<
  Record<
    `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`,
    (request: ControlRequest) => ControlReply | Promise<ControlReply>
  >
>

/**
 * Answers a control request.
 * @param page loads the page for people; undefined on an edge without one.
 */
export async function answerControl(
  arrived: IncomingRequest,
  paths: ControlPaths,
  page?: () => Promise<ControlReply>,
): Promise<ControlReply> {
  const { method, target, headers, body, fault } = arrived
  if (fault === 'tooLarge')
    return refusal(413, `The body is larger than ${maxControlBytes(arrived) / 2 ** 20} MiB.`)
  const [path, query] = splitTarget(target.slice(CONTROL_PREFIX.length))
  // The edge leaves out the body of a HEAD [control/head].
  const verb = method === 'HEAD' ? 'GET' : method
  if (path === '' && verb === 'GET') {
    if (page !== undefined && target.startsWith(CONTROL_PREFIX)) return page()
    if (page !== undefined && /\btext\/html\b/.test(headers['accept'] ?? '')) return toPage
    return ok({ paths: listed(Object.keys(paths)) })
  }
  const asked = findPath(paths, verb, path)
  if (asked === undefined)
    return refusal(404, `Unknown path. Paths: ${listed(Object.keys(paths)).join(', ')}.`)
  const { handle, segment } = asked
  try {
    return await handle({ body, segment, query: Object.fromEntries(new URLSearchParams(query)) })
  } catch (error) {
    if (error instanceof BodyError) return refusal(400, error.message)
    if (isUsageError(error)) return refusal(isConflict(error) ? 409 : 400, error.message)
    throw error
  }
}

/** The handler of a path, and the parameter in it: what stands between the first and the last part, or all after the first. */
function findPath(
  paths: ControlPaths,
  verb: string,
  path: string,
): { readonly handle: ControlPaths[keyof ControlPaths]; readonly segment: string } | undefined {
  const [, first = '', rest = '', middle = '', last = ''] =
    /^([^/]*\/)((.+?)(\/[^/]+)?)$/.exec(path) ?? []
  const ways = [
    [path, ''],
    [`${first}{name}${last}`, middle],
    [`${first}{name}`, rest],
  ] as const
  for (const [way, segment] of ways) {
    const name = `${verb} ${way}`
    const handle = Object.hasOwn(paths, name) ? paths[name as keyof ControlPaths] : undefined
    if (handle !== undefined) return { handle, segment: decodePart(segment) }
  }
  return undefined
}

/** Leads a browser to the page. The address is relative: a world can be below a path. */
const toPage: ControlReply = {
  status: 302,
  type: 'text/plain; charset=utf-8',
  body: '',
  headers: { Location: `.${CONTROL_PREFIX}` },
}

const listed = (names: readonly string[]): readonly string[] =>
  names.map((name) => name.replace(' ', ` ${CONTROL_PREFIX}`))

/** A body that is not valid. */
class BodyError extends Error {}

/**
 * The members of a body that must be a JSON object with only these names.
 * @param usage describes a valid body.
 */
export function readMembers<Name extends string>(
  body: Uint8Array,
  names: readonly Name[],
  usage: string,
): Readonly<Partial<Record<Name, unknown>>> {
  const members = objectOf(body)
  if (members === undefined) throw new BodyError(usage)
  const unknown = Object.keys(members).find((name) => !names.some((known) => known === name))
  if (unknown === undefined) return members as Partial<Record<Name, unknown>>
  throw new BodyError(
    `Unknown member ${JSON.stringify(unknown)}.${didYouMean(unknown, names)} ${usage}`,
  )
}

/** Rejects a body whose members are known, but whose values are not valid. */
export const unusable = (usage: string): Error => new BodyError(usage)

function objectOf(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = readExact(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The result of moving a clock. */
export type ClockMove = {
  /** The machine's time, in milliseconds since its start, */
  readonly nowMs: number
  /** and since 1970. */
  readonly timeMs: number
  /** How many effects of each kind occurred: `{"message progress": 4, "run success": 1}`. */
  readonly happened: Readonly<Record<string, number>>
}

/** Moves a clock and returns the result. */
export type ClockMover<E> = (how: (clock: HintingClock<E>) => Promise<void>) => Promise<ClockMove>

/** Loads control paths. */
export type ControlLoader<E> = (move: ClockMover<E>) => Promise<ControlPaths>

/** What a machine says about itself to everybody. */
export type About = Readonly<Record<'deployment' | 'like' | 'generation', string | null>>

/** What a machine shows of its state to everybody. */
export type OpenState = {
  readonly about: About
  /** Whether a fault keeps the machine away, although its port is open for others. */
  readonly isDown: () => boolean
  /** Whether it stops, so that nothing is to be sent its way. */
  readonly isClosing: () => boolean
  /** Its metrics, with those of the other machines at its address; absent except at the root. */
  readonly metrics?: (() => Promise<ControlReply>) | undefined
}

/**
 * The paths that answer every caller: they contain no secret and change nothing [control/health, control/ready,
 * control/version, shared/metrics-open].
 */
export const openPaths = ({ about, isDown, isClosing, metrics }: OpenState): ControlPaths => ({
  'GET health': () =>
    isDown() ? { ...ok({ status: 'down' }), status: 503 } : ok({ status: 'ok' }),
  'GET ready': () => {
    const status = isDown() ? 'down' : isClosing() ? 'closing' : 'ready'
    return status === 'ready' ? ok({ status }) : { ...ok({ status }), status: 503 }
  },
  ...(metrics && { 'GET metrics': metrics }),
  'GET version': () => ok({ name: 'flowdouble', version, ...about }),
})

/** Whether a request is for one of these paths, as methods and paths below the prefix. */
const isOneOf = (paths: ControlPaths, { method, target }: RequestHead): boolean =>
  Object.hasOwn(
    paths,
    `${method === 'HEAD' ? 'GET' : method} ${splitTarget(target.slice(CONTROL_PREFIX.length))[0]}`,
  )

/** Whether a request is for the page for people, or is led to it. The page has no secret: it asks for the token itself. */
export const isPage = ({ method, target, headers }: RequestHead): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (target === CONTROL_PREFIX ||
    (target === CONTROL_ROOT && /\btext\/html\b/.test(headers['accept'] ?? '')))

/**
 * Why a request is refused; undefined if it is not.
 * @param open the paths that answer every caller. So does the page where callers have a token to give it.
 */
export function whyClosed(
  arrived: RequestHead,
  caller: Caller,
  guard: Guard,
  open: ControlPaths,
): ControlReply | undefined {
  const why = whyRefused(caller, guard)
  const isOpen = isOneOf(open, arrived) || (guard.token !== null && isPage(arrived))
  return why === undefined || isOpen ? undefined : refusal(403, why)
}

/** What the path of the journal needs of a machine. */
export type JournalSource = {
  /** The lines of the journal: its options, and its entries from this number on. */
  readonly lines: (from: number) => Promise<readonly string[]>
  /** The number of the next entry. */
  readonly next: () => number
  /** Calls back after each input and when the machine closes, until the returned function is called. */
  readonly watch: (changed: () => void) => () => void
}

/** The path of the journal, which every machine has. */
export const journalPath = (journal: JournalSource): ControlPaths => ({
  'GET journal': async ({ query: { from = '0', waitMs = '0' } }) => {
    if (!/^\d{1,15}$/.test(from) || !/^\d{1,9}$/.test(waitMs)) throw unusable(journalUsage)
    if (journal.next() <= Number(from)) await nextEntry(journal, Number(waitMs))
    return {
      status: 200,
      type: 'application/x-ndjson; charset=utf-8',
      body: `${(await journal.lines(Number(from))).join('\n')}\n`,
    }
  },
})

const journalUsage =
  'from is the number of an entry, and waitMs how long to wait for it at most, in milliseconds.'

/** The longest wait for an entry, in milliseconds of real time. */
const MAX_JOURNAL_WAIT_MS = 30_000

/** Resolves with the next entry, when the machine closes, or after this time. */
const nextEntry = ({ watch }: JournalSource, waitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      unwatch()
      resolve()
    }
    const timer = setTimeout(end, Math.min(waitMs, MAX_JOURNAL_WAIT_MS))
    let unwatch = (): void => undefined
    unwatch = watch(() => queueMicrotask(end))
  })
