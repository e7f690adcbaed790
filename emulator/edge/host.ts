// Hosts a machine: connects its driver, clock, journal and control paths, applies requests and sends responses.

import type {
  Body,
  Effect,
  Entry,
  IncomingRequest,
  Machine,
  ReplyEffect,
  WorldChange,
} from '../machine.ts'
import type { Clock } from '../options/server-options.ts'
import type { Reply } from '../http/replies.ts'
import {
  type ClockGroup,
  type ClockNames,
  createClockHandle,
  type HintingClock,
} from './clock-handle.ts'
import {
  type ControlReply,
  answerControl,
  journalPath,
  type ControlPaths,
  jsonText,
  type ClockMover,
  refusal,
} from './control.ts'
import { createDriver, type Driver, type Tamper } from './driver.ts'
import { type Caller, type Guard, whyRefused } from './control-access.ts'
import type { Recorder } from './recorder.ts'

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

/** How an edge writes its responses, which are of type R. */
export type Responses<R> = {
  /** Writes a reply, unless the client has disconnected. `timeMs` is the machine's time since 1970. */
  readonly write: (response: R, reply: Reply | ReplyEffect, timeMs: number) => void
  /** Writes the next part of a response with `parts`. */
  readonly writePart: (response: R) => void
  /** Resets the connection of a response, whether or not it has begun. */
  readonly reset: (response: R) => void
  /** Ends a response without a reply. */
  readonly drop: (response: R) => void
  /** Calls back when the response is finished, or its client has disconnected. */
  readonly onceClosed: (response: R, closed: () => void) => void
  /** Who made the request. */
  readonly callerOf: (response: R) => Caller
  /** Writes the response to a control request, with additional headers. */
  readonly writeControl: (
    response: R,
    reply: ControlReply,
    headers: Readonly<Record<string, string>>,
  ) => void
}

/** What a machine needs from its edge. */
export type Edge<E, R> = Pick<ClockNames<E>, 'states' | 'hint'> & {
  readonly clock: Clock
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
  /** How long the machine has been running, in milliseconds; by default from the monotonic clock. */
  readonly elapsedMs?: (() => number) | undefined
  readonly responses: Responses<R>
  /** Waits until a body can be encoded synchronously; undefined if it already can. */
  readonly ready: (body: Body) => Promise<void> | undefined
  readonly guard: Guard
  /** Loads the text of the OpenAPI document that it serves. */
  readonly openapi: () => Promise<string>
  /** The number of the last request before its first: those of a fork follow those of the other machine. */
  readonly lastRequest?: number | undefined
}

export type Host<I, E, R> = {
  readonly driver: Driver<I, E>
  readonly clock: HintingClock<E>
  /** The machine's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** Applies a request; writes the reply to the response. */
  readonly enter: (response: R, input: (atMs: number, request: number) => I) => void
  /** Whether nothing is under way: no request waits, nobody waits for one, and no control request is being answered. */
  readonly isIdle: () => boolean
  /** The number of its last request. */
  readonly lastRequest: () => number
  /** Changes the whole state of the machine. Unless it is a snapshot, requests that wait get 503. */
  readonly changeWorld: (change: WorldChange) => void
  /** Calls back after each input, until the returned function is called. */
  readonly watch: (changed: () => void) => () => void
  /** Stops the machine for good. Requests that wait get 503, and so do those that still arrive. */
  readonly close: () => void
  /** Writes a reply that bypasses the machine. */
  readonly write: (response: R, reply: Reply) => void
  /** Answers a control request. `headers` are added if the guard accepts it. */
  readonly answerControl: (
    arrived: IncomingRequest,
    response: R,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void>
}

/** @param more loads additional control paths. */
export function createHost<I, E extends { readonly kind: string }, R>(
  machine: Machine<I, E>,
  recorder: Recorder<I, E>,
  edge: Edge<E, R>,
  { onEntry, tamper, explain, clocks }: Hooks<I, E>,
  more: (move: ClockMover<E>) => Promise<ControlPaths> = () => Promise.resolve({}),
): Host<I, E, R> {
  const { responses, monotonicMs } = edge
  const waiting = new Map<number, R>()
  let { lastRequest = 0 } = edge
  let isClosed = false
  /** How many control requests are being answered. */
  let controlCount = 0
  /** The requests whose responses are sent in parts. */
  const begun = new Set<number>()
  /** Those that wait for requests. */
  const watchers = new Set<() => void>()
  /** How many effects of each kind have been emitted, for each counter. */
  const counts = new Set<Map<string, number>>()

  const timeMs = (): number => machine.epochMs + machine.nowMs()
  const write = (response: R, reply: Reply | ReplyEffect): void => {
    const atMs = timeMs()
    const ready = edge.ready(reply.body)
    if (ready === undefined) return responses.write(response, reply, atMs)
    const send = (): void => responses.write(response, reply, atMs)
    void ready.then(send).catch(() => responses.drop(response))
  }
  const reply = (effect: ReplyEffect): void => {
    const { request, transport } = effect
    const response = waiting.get(request)
    // A response in parts goes on.
    if (transport !== undefined && 'parts' in transport) begun.add(request)
    else waiting.delete(request)
    if (response !== undefined) write(response, effect)
  }
  const disturb = ({ kind, request }: FaultEffect): void => {
    const response = waiting.get(request)
    if (response === undefined) return
    if (kind === 'part') return responses.writePart(response)
    waiting.delete(request)
    responses.reset(response)
  }
  const count = (effect: E): void => {
    const name = machine.nameOf(effect)
    for (const counted of counts) counted.set(name, (counted.get(name) ?? 0) + 1)
  }
  const emit = (input: I, effects: readonly E[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    const sent = explain === undefined ? effects : explain(input, effects)
    for (const effect of sent) {
      if (isReply(effect)) reply(effect)
      else if (isOfFault(effect)) disturb(effect)
    }
    edge.emit(sent)
    if (counts.size > 0) effects.forEach(count)
    if (watchers.size > 0) for (const changed of watchers) changed()
    onEntry?.(entry)
  }
  const { batch, flushed, worked, states, hint } = edge
  const startedMs = monotonicMs()
  const elapsedMs = edge.elapsedMs ?? ((): number => monotonicMs() - startedMs)
  const hooks = { emit, batch, elapsedMs, monotonicMs, tamper }
  const driver = createDriver(machine, edge.clock, hooks)
  const member = { driver, flushed, worked }
  const clock = createClockHandle(edge.clock, member, clocks ?? { members: [] }, {
    nameOf: machine.nameOf,
    states,
    hint,
  })

  const enter: Host<I, E, R>['enter'] = (response, input) => {
    if (isClosed) return write(response, closed)
    const request = ++lastRequest
    waiting.set(request, response)
    driver.dispatch((atMs) => input(atMs, request))
    // A client that disconnects waits for no reply.
    if (waiting.has(request)) responses.onceClosed(response, () => waiting.delete(request))
  }
  const changeWorld = (change: WorldChange): void => {
    driver.jump((atMs) => machine.changeWorld(atMs, change))
    if (change.do !== 'snapshot') endWaiting(restarted)
  }
  const endWaiting = (reason: Reply): void => {
    for (const [request, response] of waiting) {
      if (begun.has(request)) responses.drop(response)
      else write(response, reason)
    }
    waiting.clear()
    begun.clear()
  }
  const close = (): void => {
    isClosed = true
    driver.stop()
    endWaiting(closed)
  }
  const move: ClockMover<E> = async (how) => {
    const counted = new Map<string, number>()
    counts.add(counted)
    try {
      await how(clock)
    } finally {
      counts.delete(counted)
    }
    return { nowMs: machine.nowMs(), timeMs: timeMs(), happened: Object.fromEntries(counted) }
  }
  const own: ControlPaths = Object.assign(journalPath(recorder.lines), {
    'GET openapi.json': async () => jsonText(await edge.openapi()),
  } satisfies ControlPaths)
  const control: Host<I, E, R>['answerControl'] = async (arrived, response, headers) => {
    const why = whyRefused(responses.callerOf(response), edge.guard)
    if (why !== undefined) return responses.writeControl(response, refusal(403, why), {})
    controlCount++
    try {
      const paths: ControlPaths = Object.assign({}, own, await more(move))
      responses.writeControl(response, await answerControl(arrived, paths), headers)
    } finally {
      controlCount--
    }
  }
  return {
    driver,
    clock,
    timeMs,
    enter,
    isIdle: () => waiting.size + controlCount + watchers.size === 0,
    lastRequest: () => lastRequest,
    changeWorld,
    watch: (changed) => {
      watchers.add(changed)
      return () => void watchers.delete(changed)
    },
    close,
    write,
    answerControl: control,
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
/** What a fault does to the connection of a request. */
type FaultEffect = Extract<Effect, { kind: 'part' | 'reset' }>

const isReply = (effect: AnyEffect): effect is ReplyEffect => effect.kind === 'reply'

const isOfFault = (effect: AnyEffect): effect is FaultEffect =>
  effect.kind === 'part' || effect.kind === 'reset'
