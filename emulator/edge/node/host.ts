// Hosts a machine: connects its driver, clock, journal and control paths, applies requests and sends responses.

import type { ServerResponse } from 'node:http'
import type { Body, Effect, Entry, IncomingRequest, Machine, ReplyEffect } from '../../machine.ts'
import type { Clock } from '../../options/server-options.ts'
import type { Place } from '../../../spec/language.ts'
import type { Reply } from '../../http/replies.ts'
import type { EncodeFile } from '../../http/respond.ts'
import { type ClockGroup, createClockHandle, type HintingClock } from '../clock-handle.ts'
import {
  type ControlReply,
  answerControl,
  commonPaths,
  type ControlPaths,
  jsonText,
  type ClockMover,
  refusal,
} from '../control.ts'
import { createDriver, type Driver, type Tamper } from '../driver.ts'
import { type Guard, whyRefused } from '../control-access.ts'
import type { Recorder } from '../recorder.ts'
import { resetRequest, sendPart } from './broken-replies.ts'
import { writeReply } from './http.ts'

/** Hooks into inputs and effects. */
export type Hooks<I, E> = {
  /** Called with each input and its effects, after they have been emitted. */
  readonly onEntry?: ((entry: Entry<I, E>) => void) | undefined
  readonly tamper?: Tamper<I, E> | undefined
  /** The machines that share its clock. */
  readonly clocks?: ClockGroup | undefined
}

/** What a machine needs from its edge. */
export type Edge<E> = {
  readonly clock: Clock
  /** Emits the effects of a step that are not replies. */
  readonly emit: (effects: readonly E[]) => void
  /** Does some work whose effects may leave together. */
  readonly batch: (work: () => void) => void
  /** Resolves when all effects are sent. */
  readonly flushed: () => Promise<unknown>
  /** Resolves when one piece of external work has ended; undefined if none is running. */
  readonly worked: () => Promise<void> | undefined
  /** How long the machine has been running, in milliseconds; by default from a monotonic clock. */
  readonly elapsedMs?: (() => number) | undefined
  /** What to check if a test waits in vain. */
  readonly hint: string
  readonly encodeFile: EncodeFile
  /** Waits until a body can be encoded synchronously; undefined if it already can. */
  readonly ready: (body: Body) => Promise<void> | undefined
  /** The value of the response header Server. */
  readonly name: string
  readonly guard: Guard
  /** The deployment or gateway whose OpenAPI document it serves. */
  readonly place: Place
}

export type Host<I, E> = {
  readonly driver: Driver<I, E>
  readonly clock: HintingClock<E>
  /** The machine's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** Applies a request; writes the reply to the response. */
  readonly enter: (response: ServerResponse, input: (atMs: number, request: number) => I) => void
  /** Writes a reply that bypasses the machine. */
  readonly write: (response: ServerResponse, reply: Reply) => void
  /** Answers a control request. `headers` are added if the guard accepts it. */
  readonly answerControl: (
    arrived: IncomingRequest,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ) => Promise<void>
}

/** The time of a monotonic clock, in milliseconds. `performance` would take longer to load. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

/** @param more returns additional control paths. */
export function createHost<I, E extends { readonly kind: string }>(
  machine: Machine<I, E>,
  recorder: Recorder<I, E>,
  edge: Edge<E>,
  { onEntry, tamper, clocks }: Hooks<I, E>,
  more: ControlPaths = {},
): Host<I, E> {
  const responses = new Map<number, ServerResponse>()
  let lastRequest = 0
  /** How many effects of each kind have been emitted, for each counter. */
  const counts = new Set<Map<string, number>>()

  const timeMs = (): number => machine.epochMs + machine.nowMs()
  const write = (response: ServerResponse, reply: Reply | ReplyEffect): void => {
    const atMs = timeMs()
    const send = (): void => {
      if (!response.destroyed) writeReply(response, reply, atMs, edge.encodeFile, edge.name)
    }
    const ready = edge.ready(reply.body)
    if (ready === undefined) send()
    else void ready.then(send).catch(() => response.destroy())
  }
  const reply = (effect: ReplyEffect): void => {
    const response = responses.get(effect.request)
    // Its other parts follow.
    if (effect.transport === undefined || !('parts' in effect.transport))
      responses.delete(effect.request)
    if (response !== undefined) write(response, effect)
  }
  const disturb = (effect: PartEffect): void => {
    const response = responses.get(effect.request)
    if (response === undefined) return
    if (effect.kind === 'part') return sendPart(response)
    responses.delete(effect.request)
    resetRequest(response)
  }
  const count = (effect: E): void => {
    const name = machine.nameOf(effect)
    for (const counted of counts) counted.set(name, (counted.get(name) ?? 0) + 1)
  }
  const emit = (input: I, effects: readonly E[]): void => {
    const entry = { input, effects }
    recorder.record(entry)
    for (const effect of effects) {
      if (isReply(effect)) reply(effect)
      else if (isOfFault(effect)) disturb(effect)
    }
    edge.emit(effects)
    if (counts.size > 0) effects.forEach(count)
    onEntry?.(entry)
  }
  const { batch, flushed, worked, hint } = edge
  const startedMs = monotonicMs()
  const elapsedMs = edge.elapsedMs ?? ((): number => monotonicMs() - startedMs)
  const hooks = { emit, batch, elapsedMs, monotonicMs, tamper }
  const driver = createDriver(machine, edge.clock, hooks)
  const member = { driver, flushed, worked }
  const clock = createClockHandle(edge.clock, member, clocks ?? { members: [] }, hint)

  const enter: Host<I, E>['enter'] = (response, input) => {
    const request = ++lastRequest
    responses.set(request, response)
    driver.dispatch((atMs) => input(atMs, request))
    // A client that disconnects waits for no reply.
    if (responses.has(request)) response.once('close', () => responses.delete(request))
  }
  const move: ClockMover = async (how) => {
    const counted = new Map<string, number>()
    counts.add(counted)
    try {
      await how(clock)
    } finally {
      counts.delete(counted)
    }
    return { nowMs: machine.nowMs(), timeMs: timeMs(), happened: Object.fromEntries(counted) }
  }
  const openapi: ControlPaths = {
    'GET openapi.json': async () => {
      // Parsed only on demand.
      const { openapiText } = await import('./openapi.ts')
      return jsonText(openapiText(edge.place))
    },
  }
  const paths: ControlPaths = Object.assign(commonPaths(move, recorder.lines), openapi, more)
  const control: Host<I, E>['answerControl'] = async (arrived, response, headers) => {
    const { socket, headers: asked } = response.req
    const caller = { address: socket.remoteAddress ?? '', headers: asked }
    const why = whyRefused(caller, edge.guard)
    if (why !== undefined) return writeAnswer(response, refusal(403, why), {})
    writeAnswer(response, await answerControl(arrived, paths), headers)
  }
  return { driver, clock, timeMs, enter, write, answerControl: control }
}

type AnyEffect = { readonly kind: string }
/** What a fault does to the connection of a request. */
type PartEffect = Extract<Effect, { kind: 'part' | 'reset' }>

const isReply = (effect: AnyEffect): effect is ReplyEffect => effect.kind === 'reply'

const isOfFault = (effect: AnyEffect): effect is PartEffect =>
  effect.kind === 'part' || effect.kind === 'reset'

/** Writes a control response with additional `headers`. */
function writeAnswer(
  response: ServerResponse,
  { status, type, text }: ControlReply,
  headers: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(text)
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': length, ...headers })
  response.end(text)
}
