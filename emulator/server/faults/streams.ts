// Applies faults to the events of streams [faults/stream-*]: each one passes here on its way out.

import type { FaultThen, FaultWhen } from '../../../spec/scenario/faults.ts'
import { streamType } from '../../../spec/v2/v2-streams.ts'
import { base64, bytesOfBase64 } from '../../lib/base64.ts'
import { setTimer } from '../../lib/timers.ts'
import type { ChunkEffect, Effect, ReplyEffect } from '../../machine.ts'
import type { Flow } from '../state/faults.ts'
import type { Server } from '../state/server.ts'
import { eventText, removeStream } from '../world/streams.ts'
import { findDue, joined, report } from './match.ts'
import { isGone, restart } from './restart.ts'
import { matchesSubject } from './subjects.ts'
import { EARLY, wireOf } from './wire.ts'

type Ending = NonNullable<ChunkEffect['then']>

/** What a step sends on one stream: `text` is not among the effects yet. */
type Sending = {
  readonly server: Server
  readonly effects: Effect[]
  readonly request: number
  text: string
  /** Whether a fault has ended the stream. */
  isOver: boolean
}

const begin = (server: Server, effects: Effect[], request: number): Sending => ({
  server,
  effects,
  request,
  text: '',
  isOver: false,
})

/** Whether an effect has events. */
export const hasEvents = (effect: Effect): effect is ReplyEffect | ChunkEffect =>
  effect.kind === 'chunk' ||
  (effect.kind === 'reply' &&
    effect.headers['Content-Type'] === streamType &&
    effect.transport === undefined &&
    typeof effect.body === 'string' &&
    effect.body !== '')

/** Sends a part of a stream as faults say. The reply that begins one stays whole unless they change its events. */
export function sendEvents(
  server: Server,
  effects: Effect[],
  effect: ReplyEffect | ChunkEffect,
): void {
  if (effect.kind === 'chunk') {
    if (isOpen(server, effect.request)) disturb(server, effects, effect)
    return
  }
  const { request, stream } = effect
  const text = effect.body as string
  const then = stream ? undefined : 'end'
  const sent: Effect[] = []
  disturb(server, sent, { kind: 'chunk', request, text, ...(then && { then }) })
  const [first, ...others] = sent
  const isWhole = first?.kind === 'chunk' && first.text === text && first.then === then
  if (isWhole && others.length === 0) effects.push(effect)
  else effects.push(Object.assign({}, effect, { body: '', stream: true } as const), ...sent)
}

/** Whether a stream can send something: a fault may have ended it since the step did. */
const isOpen = ({ state }: Server, request: number): boolean =>
  state.streams.has(request) ||
  state.endedStreams.has(request) ||
  state.wire?.flows.has(request) === true

function disturb(server: Server, effects: Effect[], { request, text, then }: ChunkEffect): void {
  const { flows } = wireOf(server)
  const sending = begin(server, effects, request)
  for (const part of text.match(/.*?\n\n|.+$/gs) ?? []) {
    // One that is silent for good has no matches any more.
    if (flows.get(request)?.quietUntilMs === Infinity) break
    sendPart(sending, part)
    if (sending.isOver) return
  }
  if (then !== undefined) return endLater(sending, then)
  flush(sending)
}

/** Sends an event or a comment. */
function sendPart(sending: Sending, part: string): void {
  const { server, effects, request } = sending
  const [, type, json] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(part) ?? []
  if (type === undefined || json === undefined) return write(sending, part)
  const data = () => JSON.parse(json) as Readonly<Record<string, unknown>>
  const node = () => data()['current_node'] ?? data()['node_id']
  const due = findDue(
    server.state.script,
    'messages',
    (when) => matchesStream(server, when, request) && matchesSubject(when, { type, data, node }),
  )
  const hit = joined(due)
  if (hit === undefined) return writeEvent(sending, part)
  flush(sending)
  report(effects, hit.faults)
  const { then, delayMs } = hit
  if (delayMs === 0) return perform(sending, part, then)
  const flow = flowOf(server, request)
  flow.delayed++
  flow.delayedUntilMs = Math.max(server.state.nowMs + delayMs, flow.delayedUntilMs)
  const what = { kind: 'event', request, text: part, then } as const
  setTimer(server.state.timers, flow.delayedUntilMs, what)
}

/** Whether a fault is about a stream: not if it names a client id, which streams lack, or another account. */
function matchesStream({ state, worlds }: Server, when: FaultWhen, request: number): boolean {
  if (when.clientId !== undefined) return false
  if (when.user === undefined) return true
  const stream = state.streams.get(request) ?? state.endedStreams.get(request)
  return worlds[stream?.world ?? NaN]?.setup.hosted?.account.user === when.user
}

const flowOf = (server: Server, request: number): Flow => {
  const { flows } = wireOf(server)
  const known = flows.get(request)
  if (known !== undefined) return known
  const flow = { quietUntilMs: 0, held: '', swapped: '', delayedUntilMs: 0, delayed: 0, end: null }
  flows.set(request, flow)
  return flow
}

/** Does to an event what a fault says. */
function perform(sending: Sending, text: string, then: FaultThen): void {
  const { server, effects, request } = sending
  const { insert, skip, silence, cut, swap, repeat = 0 } = then
  if (insert !== undefined) write(sending, eventText(insert.type, JSON.stringify(insert.data)))
  if (skip) return
  if (isGone(then)) {
    flush(sending)
    sending.isOver = true
    return restart(server, effects, then)
  }
  if (then.reset) return end(sending, 'reset')
  if (then.close !== undefined) return end(sending, 'end')
  if (silence !== undefined) {
    quieten(server, request, silence)
    return write(sending, text)
  }
  if (cut !== undefined) {
    sending.text += text.slice(0, cut)
    return end(sending, 'reset')
  }
  const changed = changedBy(text, then)
  const flow = flowOf(server, request)
  if (swap && flow.swapped === '') flow.swapped = changed
  else for (let count = 0; count <= repeat; count++) writeEvent(sending, changed)
}

/** An event with other data, with a shorter picture, or broken off. */
function changedBy(text: string, { alter, short, malformed }: FaultThen): string {
  const [, name = '', json = ''] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(text) ?? []
  const data = JSON.parse(json) as Record<string, unknown>
  for (const [member, value] of Object.entries(alter ?? {}))
    if (value === null) delete data[member]
    else data[member] = value
  const picture = data['data_base64']
  if (short !== undefined && typeof picture === 'string')
    data['data_base64'] = base64(bytesOfBase64(picture).subarray(0, short))
  const changed = JSON.stringify(data)
  return eventText(name, malformed ? firstHalf(changed) : changed)
}

/** The first half of a text, which is never valid JSON if the whole is an object. */
export const firstHalf = (text: string): string =>
  text.slice(0, text.length >> 1).replace(/[\ud800-\udbff]$/, '')

/** Silences a stream: for good, or for a time unless it is silent already [faults/stream-silence]. */
function quieten(
  server: Server,
  request: number,
  silence: NonNullable<FaultThen['silence']>,
): void {
  const { nowMs, timers } = server.state
  const flow = flowOf(server, request)
  if (silence === true) Object.assign(flow, { quietUntilMs: Infinity, held: '' })
  else if (flow.quietUntilMs <= nowMs) {
    flow.quietUntilMs = nowMs + silence.forMs
    setTimer(timers, flow.quietUntilMs, { kind: 'flow', request }, EARLY)
  }
}

const isQuiet = ({ state: { nowMs } }: Server, flow: Flow | undefined): flow is Flow =>
  flow !== undefined && flow.quietUntilMs > nowMs

/** Sends an event, and what waits for it. */
function writeEvent(sending: Sending, text: string): void {
  const flow = wireOf(sending.server).flows.get(sending.request)
  write(sending, text + (flow?.swapped ?? ''))
  if (flow !== undefined) flow.swapped = ''
}

/** Sends a text, after the silence if there is one. */
function write(sending: Sending, text: string): void {
  const { server, request } = sending
  const flow = wireOf(server).flows.get(request)
  if (!isQuiet(server, flow)) sending.text += text
  else if (flow.quietUntilMs < Infinity) flow.held += text
}

function flush(sending: Sending): void {
  const { effects, request, text } = sending
  if (text !== '') effects.push({ kind: 'chunk', request, text })
  sending.text = ''
}

/** Ends a stream now. */
function end(sending: Sending, then: Ending): void {
  const { server, effects, request, text } = sending
  sending.isOver = true
  wireOf(server).flows.delete(request)
  removeStream(server.state, request)
  server.state.endedStreams.delete(request)
  effects.push({ kind: 'chunk', request, text, then })
}

/** Ends a stream as it would without faults, once nothing is held back. */
function endLater(sending: Sending, then: Ending): void {
  const { server, request } = sending
  const flow = wireOf(server).flows.get(request)
  if (flow === undefined || (flow.delayed === 0 && !isQuiet(server, flow)))
    return end(sending, then)
  flow.end = then
  flush(sending)
}

/** Fires a timer of a stream: a delayed event, or the end of a silence. */
export function fireEvent(
  server: Server,
  effects: Effect[],
  { request, event }: { request: number; event?: { text: string; then: FaultThen } },
): void {
  const flow = wireOf(server).flows.get(request)
  // It has ended.
  if (flow === undefined) return
  const sending = begin(server, effects, request)
  if (event === undefined) {
    write(sending, flow.held)
    flow.held = ''
  } else {
    flow.delayed--
    perform(sending, event.text, event.then)
    if (sending.isOver) return
  }
  if (flow.end === null) flush(sending)
  else endLater(sending, flow.end)
}

/** Ends or silences the open streams that a fault with `atMs` is about [faults/stream-at-time]. */
export function endStreams(
  server: Server,
  effects: Effect[],
  when: FaultWhen,
  then: FaultThen,
): void {
  const { state } = server
  const open = new Set([...state.streams.keys(), ...wireOf(server).flows.keys()])
  for (const request of open) {
    if (!matchesStream(server, when, request)) continue
    if (then.silence !== undefined) quieten(server, request, then.silence)
    else end(begin(server, effects, request), then.reset ? 'reset' : 'end')
  }
}

/** Forgets what is held back for a client that has left its stream. */
export const forgetFlow = ({ state }: Server, request: number): void =>
  void state.wire?.flows.delete(request)
