// The state of a replay: plain data. Which recorded requests have been sent again and when, and what stands for the ids of
// the recording.

import { createRandom, type Random } from '../../lib/random.ts'
import { createTimers, setTimer, type Timers } from '../../lib/timers.ts'
import type { Effect } from '../../machine.ts'
import { clientKey, isLong, type Replacement } from '../identities.ts'
import { causeKey, type Moment, type Script, type ScriptExchange } from './script.ts'

/** A recorded request with another method than GET, sent again. */
export type Instance = {
  /** The position of the recorded one. */
  readonly exchange: number
  readonly sentMs: number
  /** The time from which its consequences count: later than the request where an earlier run has to reach its place. */
  readonly atMs: number
  /** The present ids of the run that it submitted, and of the client for which it did. */
  readonly run: string | null
  readonly client: string | null
}

export type ReplaySocket = {
  readonly id: number
  readonly client: string
  /** The recorded socket whose messages it receives; null where the recording has none. */
  recorded: number | null
  /** The recorded messages of the client that have been sent again. */
  readonly sent: Set<number>
}

/** What is due: a message, on one socket or on those that play the recorded one; or a moment. */
export type Due =
  | {
      readonly kind: 'message'
      readonly message: number
      readonly instance: Instance | null
      readonly socket: number | null
    }
  | { readonly kind: 'moment'; readonly moment: number; readonly instance: Instance }
  /** The answer to a poll changes. */
  | { readonly kind: 'answer' }

export type ReplayState = {
  nowMs: number
  /** When the last run ends that has been submitted. */
  busyUntilMs: number
  readonly random: Random
  readonly timers: Timers<Due>
  readonly sockets: Map<number, ReplaySocket>
  /** The last instance of each recorded request, by its position. */
  readonly latest: Map<number, Instance>
  /** The instances that submitted runs, by the present ids of these. */
  readonly runs: Map<string, Instance>
  /** How many sockets each client has opened, by its present id; of those without one together, by ''. */
  readonly opened: Map<string, number>
  /** The messages that came before a socket that received them in the recording has opened: by it and by themselves. */
  readonly held: Map<number, Map<number, Instance | null>>
  /** The recorded values by the present ones, */
  readonly recorded: Map<string, string>
  /** and the present ones by the recorded ones, as far as they differ. */
  readonly present: Map<string, string>
  /** How often each request has been sent, by its key. */
  readonly uses: Map<string, number>
}

export type ReplayOptions = {
  readonly epochMs: number
  readonly seed: string
  /** The origin whose pages may read the replies; null leaves the recorded headers. */
  readonly cors: string | null
  /** Members and parameters that need not be as recorded: `seed`, `KSampler.seed`. */
  readonly any: readonly string[]
}

export type ReplayWorld = {
  readonly script: Script
  readonly options: ReplayOptions
  state: ReplayState
  readonly snapshots: Map<string, ReplayState>
  effects: Effect[]
}

export const createState = ({ seed }: ReplayOptions): ReplayState => ({
  nowMs: 0,
  busyUntilMs: 0,
  random: createRandom(seed),
  timers: createTimers(),
  sockets: new Map(),
  latest: new Map(),
  runs: new Map(),
  opened: new Map(),
  held: new Map(),
  recorded: new Map(),
  present: new Map(),
  uses: new Map(),
})

/** As many runs as a real server keeps in its history. */
const MAX_RUNS = 10_000

export const exchangeAt = ({ exchanges }: Script, at: number): ScriptExchange =>
  exchanges[at] as ScriptExchange

/** From now on, a present value stands for a recorded one. */
export function identify({ state }: ReplayWorld, recorded: string, present: string): void {
  if (recorded === present) {
    state.recorded.delete(present)
    state.present.delete(recorded)
  } else {
    state.recorded.set(present, recorded)
    state.present.set(recorded, present)
  }
}

/** The same for the ids of clients, which can be words that mean something else in other places. */
export function identifyClient({ state }: ReplayWorld, recorded: string, present: string): void {
  const before = state.recorded.get(clientKey(present))
  if (before !== undefined && state.present.get(clientKey(before)) === present) {
    state.present.delete(clientKey(before))
    state.present.delete(before)
  }
  state.recorded.set(clientKey(present), recorded)
  state.present.set(clientKey(recorded), present)
  if (isLong(present)) state.recorded.set(present, recorded)
  if (isLong(recorded)) state.present.set(recorded, present)
}

/** The present values for the recorded ones. Those of the run and the client of an instance are its own. */
export function presentValues({ script, state }: ReplayWorld, own: Instance | null): Replacement {
  if (own === null) return state.present
  const { run, client } = exchangeAt(script, own.exchange)
  const values = new Map<string, string>()
  if (run !== null && own.run !== null) values.set(run, own.run)
  if (run !== null && client !== null && own.client !== null) {
    values.set(clientKey(client), own.client)
    if (isLong(client)) values.set(client, own.client)
  }
  return {
    size: state.present.size + values.size,
    get: (value) => values.get(value) ?? state.present.get(value),
  }
}

/** A recorded request is sent again: sets the timers of all that it caused. */
export function begin(
  world: ReplayWorld,
  exchange: number,
  run: string | null,
  client: string | null,
): Instance {
  const { script, state } = world
  const caused = script.byCause.get(causeKey({ by: 'request', exchange })) ?? []
  const sentMs = state.nowMs
  const { startsMs, endsMs } = spanOf(script, exchange, caused)
  const queuedMs = startsMs === null ? 0 : state.busyUntilMs - startsMs
  const atMs = Math.max(sentMs, earliestMs(world, caused), queuedMs)
  if (endsMs !== null) state.busyUntilMs = Math.max(state.busyUntilMs, atMs + endsMs)
  const instance = { exchange, sentMs, atMs, run, client }
  state.latest.set(exchange, instance)
  const recorded = exchangeAt(script, exchange).run
  if (run !== null && recorded !== null) {
    state.runs.delete(run)
    state.runs.set(run, instance)
    identify(world, recorded, run)
    forgetOldest(state)
    forgetHeld(world, exchange)
  }
  for (const message of caused) {
    const due = { kind: 'message', message, instance, socket: null } as const
    // At the same time they keep their order in the recording.
    setTimer(state.timers, dueOf(instance, script.messages[message]?.offsetMs ?? 0), due, message)
  }
  for (const moment of script.momentsAfter.get(exchange) ?? []) {
    const { offsetMs } = script.moments[moment] as Moment
    const due = { kind: 'moment', moment, instance } as const
    setTimer(state.timers, dueOf(instance, offsetMs), due, script.messages.length)
  }
  for (const offsetMs of script.answersAfter.get(exchange) ?? [])
    setTimer(state.timers, dueOf(instance, offsetMs), { kind: 'answer' }, script.messages.length)
  return instance
}

/**
 * When the messages of the run that a request submits begin and end, from the request on: a local server runs one after the
 * other. Null where the recording has none, or something else ends them.
 */
function spanOf(
  { moments, momentsAfter, messages, exchanges, place }: Script,
  exchange: number,
  caused: readonly number[],
): { readonly startsMs: number | null; readonly endsMs: number | null } {
  const run = exchanges[exchange]?.run ?? null
  const offsets = caused.flatMap((one) =>
    run !== null && messages[one]?.run === run ? Math.floor(messages[one].offsetMs) : [],
  )
  if (place !== 'local' || offsets.length === 0) return { startsMs: null, endsMs: null }
  const ends = momentsAfter.get(exchange)?.some((at) => moments[at]?.state !== 'started')
  return { startsMs: Math.min(...offsets), endsMs: ends ? Math.max(...offsets) : null }
}

/** When something is due, in whole milliseconds: less than that passes for the same time. */
export const dueOf = ({ atMs }: Instance, offsetMs: number): number => atMs + Math.floor(offsetMs)

/**
 * What interrupts a run comes after what its submit caused. Returns the earliest time from which its messages do; 0 for
 * what concerns no run of another request.
 */
function earliestMs({ script, state }: ReplayWorld, caused: readonly number[]): number {
  const first = script.messages[caused[0] ?? -1]
  const submit = script.submits.get(first?.run ?? '')
  const instance = submit === undefined ? undefined : state.latest.get(submit)
  if (first === undefined || submit === undefined || instance === undefined) return 0
  if (first.cause.by === 'request' && first.cause.exchange === submit) return 0
  const earlier = script.byCause.get(causeKey({ by: 'request', exchange: submit })) ?? []
  const dues = earlier.map((one) => dueOf(instance, script.messages[one]?.offsetMs ?? 0))
  return Math.max(0, ...dues) - Math.floor(first.offsetMs)
}

/** What a client has missed of earlier runs is of no use to it, unless the recorded one opened its socket after this one. */
function forgetHeld({ script, state }: ReplayWorld, submit: number): void {
  const { client, startMs } = exchangeAt(script, submit)
  for (const at of state.held.keys()) {
    const socket = script.sockets[at]
    if (socket?.client === client && socket.openMs < startMs) state.held.delete(at)
  }
}

function forgetOldest({ runs, recorded }: ReplayState): void {
  if (runs.size <= MAX_RUNS) return
  const [oldest = ''] = runs.keys()
  runs.delete(oldest)
  recorded.delete(oldest)
}

/** When a moment happens again; undefined if its cause has not. Without a run, that of the last one counts. */
export function momentMs(
  { state, script }: ReplayWorld,
  { exchange, offsetMs, run: recordedRun, state: reached }: Moment,
  run: Instance | null,
): number | undefined {
  const isOwn = run !== null && exchangeAt(script, run.exchange).run === recordedRun
  const instance = isOwn && run.exchange === exchange ? run : state.latest.get(exchange)
  if (instance === undefined || (isOwn && instance.atMs < run.atMs)) return undefined
  return reached === 'requested' ? instance.sentMs : dueOf(instance, offsetMs)
}
