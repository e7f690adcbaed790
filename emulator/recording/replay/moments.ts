// Finds out what caused each recorded message, and the moments at which runs start and end.

import { type RunState, stateIn } from '../../journal/run-states.ts'
import { eventsOf, type RecordedEvent, type Recording } from '../../session/recording.ts'
import { jsonIn, membersOf } from '../../lib/loose.ts'
import { listedIn } from '../../session/listings.ts'
import { contentOf } from '../../session/sockets.ts'
import type { Cause, Moment, Script, ScriptExchange, ScriptMessage } from './script.ts'

/** Requests that can end a run of somebody else's submit. */
const endsRuns = /\/(interrupt|queue|cancel)\b/

type Found = Pick<Script, 'messages' | 'moments' | 'momentsBefore'>

/** @param exchanges those of the recording, read. */
export function readMoments(
  recording: Recording,
  exchanges: readonly ScriptExchange[],
  submits: ReadonlyMap<string, number>,
): Found {
  const reader = createReader(recording, exchanges, submits)
  for (const event of eventsOf(recording)) reader.read(event)
  return reader.found
}

/** What a message says about a run. */
type About = {
  readonly type: unknown
  /** The id in it, if any. */
  readonly run: string | null
  readonly hasSid: boolean
  readonly state: RunState | null
}

/** A message of a client. */
type Sent = { readonly socket: number; readonly message: number; readonly atMs: number }

function createReader(
  { sockets }: Recording,
  exchanges: readonly ScriptExchange[],
  submits: ReadonlyMap<string, number>,
): { readonly read: (event: RecordedEvent) => void; readonly found: Found } {
  const messages: ScriptMessage[] = []
  const moments: Moment[] = []
  const momentsBefore: number[] = exchanges.map(() => 0)
  /** The request to which the messages of each run belong: its submit, or later what interrupted it. */
  const causes = new Map(submits)
  const states = new Map<string, RunState>()
  /** The request behind the last thing that happened to runs: a status without an id belongs to it. */
  let latest: number | undefined
  let latestStop: number | undefined
  let running: string | null = null
  /** The position of the last message of each client, and its time. */
  const lastSent = new Map<number, Sent>()

  /** The time of the first message to each socket: it comes when the socket opens, however long that took. */
  const greetedMs = new Map<number, number>()

  /** The sockets that have received nothing but what comes when they open. */
  const greeting = new Set<number>()

  const startOf = (exchange: number): number => exchanges[exchange]?.startMs ?? 0
  const offset = (atMs: number, exchange: number): number => Math.max(0, atMs - startOf(exchange))

  const readRequest = (exchange: number): void => {
    const { request, run } = exchanges[exchange] as ScriptExchange
    if (request.method === 'GET' || request.method === 'OPTIONS') return
    moments.push({ exchange, offsetMs: 0, run, state: 'requested', isLate: false })
    if (run === null && !endsRuns.test(request.path)) return
    latest = exchange
    if (run === null) latestStop = exchange
  }

  const readState = (state: RunState, run: string, atMs: number, isLate: boolean): void => {
    const earlier = states.get(run)
    if (earlier === state || (earlier !== undefined && earlier !== 'started')) return
    states.set(run, state)
    running = state === 'started' ? run : null
    const exchange = causes.get(run) as number
    moments.push({ exchange, offsetMs: offset(atMs, exchange), run, state, isLate })
  }

  /** The last message of the client of a socket. */
  const senderTo = (socket: number): Sent | undefined =>
    [...lastSent.values()]
      .filter((sent) => sockets[sent.socket]?.url === sockets[socket]?.url)
      .toSorted((a, b) => a.atMs - b.atMs)
      .at(-1)

  const openedAt = (socket: number, atMs: number): [Cause, number] => [
    { by: 'open', socket },
    atMs - (greetedMs.get(socket) ?? atMs),
  ]

  const causeOf = (socket: number, atMs: number, about: About): [Cause, number] => {
    const sent = about.type === 'feature_flags' ? senderTo(socket) : undefined
    if (sent !== undefined)
      return [{ by: 'message', socket: sent.socket, message: sent.message }, atMs - sent.atMs]
    const exchange = about.run === null ? latest : causes.get(about.run)
    if (exchange === undefined) return openedAt(socket, atMs)
    return [{ by: 'request', exchange }, offset(atMs, exchange)]
  }

  const readMessage = ({ atMs, socket, message }: Extract<RecordedEvent, { kind: 'message' }>) => {
    const { data, from } = message
    if (from === 'client') {
      const position = (lastSent.get(socket)?.message ?? -1) + 1
      return void lastSent.set(socket, { socket, message: position, atMs })
    }
    const found = aboutOf(data, running)
    const about = found.run !== null && !causes.has(found.run) ? { ...found, run: null } : found
    const { run, state } = about
    if (run !== null) {
      const submit = submits.get(run) as number
      const isStopped = about.type === 'execution_interrupted' && latestStop !== undefined
      if (isStopped && startOf(latestStop as number) >= startOf(submit))
        causes.set(run, latestStop as number)
      latest = causes.get(run)
      if (state !== null) readState(state, run, atMs, false)
    }
    if (!greetedMs.has(socket)) greetedMs.set(socket, atMs)
    // A socket that opens during a run receives its node immediately.
    const isGreeting = about.hasSid || (greeting.has(socket) && about.type === 'executing')
    if (isGreeting) greeting.add(socket)
    else greeting.delete(socket)
    const [cause, offsetMs] = isGreeting ? openedAt(socket, atMs) : causeOf(socket, atMs, about)
    const node = isGreeting && !about.hasSid ? running : null
    messages.push({ socket, cause, offsetMs, data, run: run ?? node })
  }

  const readClose = ({
    atMs,
    socket,
  }: {
    readonly atMs: number
    readonly socket: number
  }): void => {
    const { close } = sockets[socket] as (typeof sockets)[number]
    if (close?.by !== 'server') return
    const nothing = { type: undefined, run: null, hasSid: false, state: null }
    const [cause, offsetMs] = causeOf(socket, atMs, nothing)
    messages.push({ socket, cause, offsetMs, data: { close: close.code }, run: null })
  }

  const read = (event: RecordedEvent): void => {
    if (event.kind === 'request') readRequest(event.exchange)
    else if (event.kind === 'response') {
      momentsBefore[event.exchange] = moments.length
      readPoll(event.exchange, event.atMs)
    } else if (event.kind === 'message') readMessage(event)
    else if (event.kind === 'close') readClose(event)
  }

  /** What replies to polls show of runs whose messages nobody recorded. */
  const readPoll = (exchange: number, atMs: number): void => {
    const { request, endpoint, response } = exchanges[exchange] as ScriptExchange
    if (request.method !== 'GET') return
    for (const [run, state] of statesIn(endpoint, response.body)) {
      const known = states.get(run)
      if (submits.has(run) && (known === undefined || state !== 'started'))
        readState(state, run, atMs, true)
    }
    momentsBefore[exchange] = moments.length
  }

  return { read, found: { messages, moments, momentsBefore } }
}

/** Which states count: those in replies about one run, and the runs that the queue lists as running. */
const trusted: Readonly<Record<string, (state: RunState) => boolean>> = {
  readQueue: () => true,
  readHistoryEntry: (state) => state !== 'started',
  job: () => true,
  jobStatus: () => true,
}

/** The runs in the reply to a poll, with their states. */
function statesIn(
  endpoint: string | undefined,
  body: Uint8Array,
): readonly (readonly [string, RunState])[] {
  const isTrusted = trusted[endpoint ?? '']
  if (isTrusted === undefined) return []
  return listedIn(endpoint, jsonIn(body)).flatMap(({ id, progress }) =>
    progress === undefined || progress === 'waiting' || !isTrusted(progress)
      ? []
      : [[id, progress]],
  )
}

/** A message as far as it concerns a run. A frame belongs to the run in its metadata, or to the one that is running. */
function aboutOf(data: string | Uint8Array, running: string | null): About {
  const { message, frame } = contentOf(data)
  const { prompt_id, sid } = message?.data ?? membersOf(frame?.fields['metadata'])
  return {
    type: message?.type,
    run: typeof prompt_id === 'string' ? prompt_id : typeof data === 'string' ? null : running,
    hasSid: typeof sid === 'string',
    state: message === undefined ? null : stateIn(message.type, message.data),
  }
}
