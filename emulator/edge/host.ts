// Hosts a machine: connects its driver, clock, journal and control paths, applies requests and sends responses.

import type {
  ChunkEffect,
  Entry,
  IncomingRequest,
  Machine,
  ReplyEffect,
  RequestHead,
  WorldChange,
} from '../machine.ts'
import type { Clock } from '../options/server-options.ts'
import type { MediaFile } from '../pictures/picture.ts'
import type { Reply } from '../http/replies.ts'
import {
  type ClockGroup,
  type ClockNames,
  createClockHandle,
  type HintingClock,
} from './clock-handle.ts'
import {
  type About,
  answerControl,
  journalPath,
  type JournalSource,
  ok,
  CONTROL_PREFIX,
  CONTROL_ROOT,
  openPaths,
  whyClosed,
  type ControlLoader,
  type ControlPaths,
  type ControlReply,
  jsonText,
  type ClockMover,
} from './control.ts'
import { createDriver, type Driver, type Tamper } from './driver.ts'
import type { Guard } from './control-access.ts'
import type { Recorder } from './recorder.ts'
import { createWaiting, type FaultEffect, type Responses } from './responses.ts'

/** Hooks into inputs and effects. */
export type Hooks<I, E> = {
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: ((entry: Entry<I, E>) => void) | undefined
  readonly tamper?: Tamper<I, E> | undefined
  /** Adds to replies on their way out which rules are behind them; the journal has them unchanged. */
  readonly explain?: ((input: I, effects: readonly E[]) => readonly E[]) | undefined
  /** The machines that share its clock. */
  readonly clocks?: ClockGroup | undefined
}

/** The work before a body can be encoded, for one client. */
export type Preparation = {
  readonly done: Promise<void>
  /** Reports that the client has left, or has its body. */
  readonly leave: () => void
}

/** What a machine needs from its edge. */
export type Edge<E, R> = Pick<ClockNames<E>, 'states' | 'hint'> & {
  readonly clock: Clock
  /** Called before the effects of a step are emitted. */
  readonly before?: (() => void) | undefined
  /** Emits the effects of a step that are not replies. */
  readonly emit: (effects: readonly E[]) => void
  /** Does some work whose effects may leave together. */
  readonly batch: (work: () => void) => void
  /** Resolves when all effects are sent. */
  readonly flushed: () => Promise<unknown>
  /** Resolves when one piece of external work has ended; undefined if none is running. */
  readonly worked: () => Promise<void> | undefined
  /** The time of a monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number
  readonly responses: Responses<R>
  /** Prepares a picture that cannot be encoded synchronously yet; undefined if it can. */
  readonly ready: (picture: MediaFile) => Preparation | undefined
  /** Whether it has control paths. */
  readonly control: boolean
  readonly about: About
  /** Whether a fault keeps it away, although its port may be open. */
  readonly isDown: () => boolean
  /** Whether it stops, and nothing is to be sent its way; absent where it stops without delay. */
  readonly isClosing?: () => boolean
  /** Loads the metrics of all machines at its address; absent except at the root. */
  readonly metrics?: (() => Promise<ControlReply>) | undefined
  readonly guard: Guard
  /** Loads the text of the OpenAPI document that it serves. */
  readonly openapi: () => Promise<string>
  /** Loads the page for people; absent where no browser can open one. */
  readonly page?: (() => Promise<ControlReply>) | undefined
  /** The number of the last request before its first: those of a fork follow those of the other machine. */
  readonly lastRequest?: number | undefined
}

export type Host<I, E, R> = {
  readonly driver: Driver<I, E>
  readonly clock: HintingClock<E>
  /** The machine's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** Applies a request; writes the reply to the response. */
  readonly enter: (response: R, arrived: IncomingRequest) => void
  /** Whether nothing is under way: no request waits, nobody waits for one, and no control request is being answered. */
  readonly isIdle: () => boolean
  /** The number of its last request. */
  readonly lastRequest: () => number
  /** Changes the whole state of the machine. Unless it is a snapshot, requests that wait get 503. */
  readonly changeWorld: (change: WorldChange) => void
  /** Calls back after each input and when the machine closes, until the returned function is called. */
  readonly watch: (changed: (isClosed: boolean) => void) => () => void
  /** Stops the machine for good. Requests that wait get 503, and so do those that still arrive. */
  readonly close: () => void
  /** Writes a reply that bypasses the machine. */
  readonly write: (response: R, reply: Reply) => void
  /** Whether a request is for the control paths. A preflight is not: the machine answers it. */
  readonly isControl: (head: RequestHead) => boolean
  /** Answers a control request. `headers` are added if the guard accepts it. */
  readonly answerControl: (
    arrived: IncomingRequest,
    response: R,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void>
}

/** Whether a request is for the control paths. A preflight is not: the machine answers it. */
export const isForControl = ({ method, target }: RequestHead): boolean =>
  method !== 'OPTIONS' && (target.startsWith(CONTROL_PREFIX) || target === CONTROL_ROOT)

/** @param more loads additional control paths. */
export function createHost<I, E extends { readonly kind: string }, R>(
  machine: Machine<I, E>,
  recorder: Recorder<I, E>,
  edge: Edge<E, R>,
  { onEntry, tamper, explain, clocks }: Hooks<I, E>,
  more: ControlLoader<E> = () => Promise.resolve({}),
): Host<I, E, R> {
  const { responses, monotonicMs } = edge
  let { lastRequest = 0 } = edge
  let isClosed = false
  /** Those that wait for requests. */
  const watchers = new Set<(isClosed: boolean) => void>()
  const counter = createCounter(machine.nameOf)

  const timeMs = (): number => machine.epochMs + machine.nowMs()
  const write = (response: R, reply: Reply | ReplyEffect): void => {
    const atMs = timeMs()
    const { body } = reply
    const isReady = typeof body === 'string' || body instanceof Uint8Array
    const preparation = isReady ? undefined : edge.ready(body)
    if (preparation === undefined) return responses.write(response, reply, atMs)
    const send = (): void => responses.write(response, reply, atMs)
    responses.onceClosed(response, preparation.leave)
    void preparation.done.then(send).catch(() => responses.drop(response))
  }
  const leave = (request: number): void => {
    const input = machine.leave
    // Not within the step that wrote to the client.
    if (input) queueMicrotask(() => driver.dispatch((atMs) => input(atMs, request)))
  }
  const waiting = createWaiting(responses, write, leave)
  const emit = (input: I, effects: readonly E[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    edge.before?.()
    const sent = explain === undefined ? effects : explain(input, effects)
    for (const effect of sent) {
      if (isReply(effect)) waiting.reply(effect)
      else if (isChunk(effect)) waiting.chunk(effect)
      else if (isOfFault(effect)) waiting.disturb(effect)
    }
    edge.emit(sent)
    counter.add(effects)
    if (watchers.size > 0) for (const changed of watchers) changed(false)
    onEntry?.(entry)
  }
  const { flushed, worked, states, hint } = edge
  // What clients receive is in the journal first.
  const batch = (work: () => void): void => edge.batch(() => recorder.batch(work))
  const startedMs = monotonicMs()
  const elapsedMs = (): number => monotonicMs() - startedMs
  const hooks = { emit, batch, elapsedMs, monotonicMs, tamper }
  const driver = createDriver(machine, edge.clock, hooks)
  const member = { driver, flushed, worked }
  const clock = createClockHandle(edge.clock, member, clocks ?? { members: [] }, {
    nameOf: machine.nameOf,
    states,
    hint,
  })

  const enter: Host<I, E, R>['enter'] = (response, arrived) => {
    if (isClosed) return write(response, closed)
    const request = ++lastRequest
    waiting.during(request, response, () =>
      driver.dispatch((atMs) => machine.request(atMs, request, arrived)),
    )
  }
  const changeWorld = (change: WorldChange): void => {
    driver.jump((atMs) => machine.changeWorld(atMs, change))
    if (change.do !== 'snapshot') waiting.end(restarted)
  }
  const close = (): void => {
    isClosed = true
    driver.stop()
    waiting.end(closed)
    for (const changed of watchers) changed(true)
  }
  const move: ClockMover<E> = async (how) => {
    const happened = await counter.during(() => how(clock))
    return { nowMs: machine.nowMs(), timeMs: timeMs(), happened }
  }
  const watch: Host<I, E, R>['watch'] = (changed) => {
    watchers.add(changed)
    if (isClosed) changed(true)
    return () => void watchers.delete(changed)
  }
  const journal = { lines: recorder.lines, next: recorder.next, watch }
  const clockNow = (): object => ({
    clock: edge.clock,
    nowMs: driver.nowMs(),
    timeMs: machine.epochMs + driver.nowMs(),
    nextMs: machine.nextWakeMs() ?? null,
  })
  const isClosing = (): boolean => isClosed || edge.isClosing?.() === true
  const control = createControl(edge, isClosing, journal, clockNow, () => more(move))
  return {
    driver,
    clock,
    timeMs,
    enter,
    isIdle: () => waiting.count() + control.count() + watchers.size === 0,
    lastRequest: () => lastRequest,
    changeWorld,
    watch,
    close,
    write,
    isControl: (head) => edge.control && isForControl(head),
    answerControl: control.answer,
  }
}

/** Counts the effects that are emitted, by name. */
function createCounter<E>(nameOf: (effect: E) => string): {
  readonly add: (effects: readonly E[]) => void
  /** Does some work, and returns the numbers of the effects that are emitted meanwhile. */
  readonly during: (work: () => Promise<void>) => Promise<Readonly<Record<string, number>>>
} {
  const counts = new Set<Map<string, number>>()
  const count = (effect: E): void => {
    const name = nameOf(effect)
    for (const counted of counts) counted.set(name, (counted.get(name) ?? 0) + 1)
  }
  return {
    add: (effects) => {
      if (counts.size > 0) effects.forEach(count)
    },
    during: async (work) => {
      const counted = new Map<string, number>()
      counts.add(counted)
      try {
        await work()
      } finally {
        counts.delete(counted)
      }
      return Object.fromEntries(counted)
    },
  }
}

/**
 * Answers control requests.
 * @param clockNow what the clock shows.
 * @param more loads the paths beyond those that every host has.
 */
function createControl<E, R>(
  { responses, guard, openapi, page, about, isDown, metrics }: Edge<E, R>,
  isClosing: () => boolean,
  journal: JournalSource,
  clockNow: () => object,
  more: () => Promise<ControlPaths>,
): {
  readonly answer: Host<unknown, E, R>['answerControl']
  /** How many control requests are being answered. */
  readonly count: () => number
} {
  let count = 0
  const open = openPaths({ about, isDown, isClosing, metrics })
  const own: ControlPaths = Object.assign({}, open, journalPath(journal), {
    'GET openapi.json': async () => jsonText(await openapi()),
    'GET clock': () => ok(clockNow()),
  } satisfies ControlPaths)
  return {
    answer: async (arrived, response, headers) => {
      const refused = whyClosed(arrived, responses.callerOf(response), guard, open)
      if (refused !== undefined) return responses.writeControl(response, refused, {})
      count++
      try {
        const paths: ControlPaths = Object.assign({}, own, await more())
        responses.writeControl(response, await answerControl(arrived, paths, page), headers)
      } finally {
        count--
      }
    },
    count: () => count,
  }
}

const unavailable = (why: string): Reply => ({
  status: 503,
  headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  body: `503: ${why}`,
})

/** The reply to a request that waits when the state behind it changes, */
const restarted = unavailable('The state of the server has changed.')
/** and when nothing is behind it any more. */
const closed = unavailable('The server is closed.')

type AnyEffect = { readonly kind: string }
const isReply = (effect: AnyEffect): effect is ReplyEffect => effect.kind === 'reply'

const isChunk = (effect: AnyEffect): effect is ChunkEffect => effect.kind === 'chunk'

const isOfFault = (effect: AnyEffect): effect is FaultEffect =>
  effect.kind === 'part' || effect.kind === 'reset'
