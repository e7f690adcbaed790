// Applies faults to the messages of a server [faults/*]: each one passes here on its way out.

import type { FaultThen } from '../../../spec/scenario/faults.ts'
import { isObject, type Json, readJson, writeJson } from '../../lib/json.ts'
import { setTimer } from '../../lib/timers.ts'
import type { Effect } from '../../machine.ts'
import type { Hit, OutgoingMessage } from '../state/faults.ts'
import type { ActiveFault } from '../state/scenario.ts'
import type { Server } from '../state/server.ts'
import { findDue, joined, report } from './match.ts'
import { isGone, restart } from './restart.ts'
import { isMessage, matchesSubject, type Subject, subjectOf } from './subjects.ts'
import { firstHalf, hasEvents, sendEvents } from './streams.ts'
import {
  deliver,
  endOf,
  endSockets,
  matchesSocket,
  quieten,
  reachable,
  toSockets,
  wireOf,
} from './wire.ts'

/** Applies faults to the effects from this index on: those of one timer or input. */
export function disturbMessages(server: Server, effects: Effect[], from: number): void {
  const made = effects.splice(from)
  for (const [index, effect] of made.entries()) {
    if (isMessage(effect)) send(server, effects, effect, subjectOf(made, index))
    else if (hasEvents(effect)) sendEvents(server, effects, effect)
    else effects.push(effect)
    // A local server that has restarted has forgotten what it would have done next.
    const last = effects.at(-1)?.kind
    if (server.hosted === null && (last === 'restart' || last === 'exit')) return
  }
}

function send(server: Server, effects: Effect[], message: OutgoingMessage, subject: Subject): void {
  const sockets = reachable(server, message.sockets)
  if (sockets.length === 0) return
  const due = findDue(
    server.state.script,
    'messages',
    (when) =>
      matchesSubject(when, subject) &&
      sockets.some((socket) => matchesSocket(server, when, socket)),
  )
  if (due.length === 0) return deliver(server, effects, message)
  const groups = groupsOf(server, sockets, due)
  report(
    effects,
    groups.flatMap(({ hit }) => hit?.faults ?? []),
  )
  for (const { hit, sockets: own } of groups) {
    const part = toSockets(message, own)
    if (hit === undefined) deliver(server, effects, part)
    else if (hit.delayMs === 0) perform(server, effects, part, hit.then)
    else delay(server, part, hit)
  }
}

type Group = { readonly hit: Hit | undefined; readonly sockets: number[] }

/** The sockets of a message by the faults that apply to them [faults/client-id]. */
function groupsOf(
  server: Server,
  sockets: readonly number[],
  due: readonly ActiveFault[],
): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const socket of sockets) {
    const own = due.filter(({ fault }) => matchesSocket(server, fault.when, socket))
    const key = own.map(({ serial }) => serial).join(' ')
    const group = groups.get(key) ?? { hit: joined(own), sockets: [] }
    group.sockets.push(socket)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Sends a message later, in each socket after what is delayed there already [faults/delayed-message]. */
function delay(server: Server, message: OutgoingMessage, { then, delayMs }: Hit): void {
  const { nowMs, timers } = server.state
  const { delayedUntilMs } = wireOf(server)
  const byTime = new Map<number, number[]>()
  for (const socket of message.sockets) {
    const dueMs = Math.max(nowMs + delayMs, delayedUntilMs.get(socket) ?? 0)
    delayedUntilMs.set(socket, dueMs)
    byTime.set(dueMs, [...(byTime.get(dueMs) ?? []), socket])
  }
  for (const [dueMs, sockets] of byTime)
    setTimer(timers, dueMs, { kind: 'message', message: toSockets(message, sockets), then })
}

/** Does to a message what a fault says. */
export function perform(
  server: Server,
  effects: Effect[],
  message: OutgoingMessage,
  then: FaultThen,
): void {
  const sockets = reachable(server, message.sockets)
  if (sockets.length === 0) return
  const { insert, skip, swap, cut, repeat = 0 } = then
  if (insert !== undefined) deliver(server, effects, { kind: 'send', sockets, ...inserted(insert) })
  if (typeof then.silence === 'object') {
    quieten(server, sockets, then.silence.forMs)
    return deliver(server, effects, message)
  }
  const isEnd = then.close !== undefined || Boolean(then.reset ?? then.silence)
  if (skip || isGone(then) || isEnd)
    effects.push({ kind: 'lost', message: toSockets(message, sockets) })
  if (skip) return
  if (isGone(then)) return restart(server, effects, then)
  if (isEnd) return endSockets(server, effects, sockets, endOf(then))
  if (cut !== undefined) {
    effects.push(Object.assign({}, toSockets(message, sockets), { cutBytes: cut }))
    return endSockets(server, effects, sockets, 'reset')
  }
  const changed = changedBy(message, then)
  if (swap) return swapNext(server, effects, toSockets(changed, sockets))
  for (let count = 0; count <= repeat; count++) deliver(server, effects, changed)
}

const inserted = ({ type, data }: NonNullable<FaultThen['insert']>): { readonly text: string } => ({
  text: `{"type": ${JSON.stringify(type)}, "data": ${writeJson(jsonOf(data))}}`,
})

const jsonOf = (value: unknown): Json => readJson(JSON.stringify(value))

/** A message with other data, or a shorter preview. */
function changedBy(
  message: OutgoingMessage,
  { alter, short, malformed }: FaultThen,
): OutgoingMessage {
  if (message.kind === 'frame')
    return short === undefined ? message : Object.assign({}, message, { shortBytes: short })
  const text = alter === undefined ? message.text : altered(message.text, alter)
  return Object.assign({}, message, { text: malformed ? firstHalf(text) : text })
}

/** A message with other data. */
function altered(text: string, alter: NonNullable<FaultThen['alter']>): string {
  const document = readJson(text)
  const data = isObject(document) ? document.get('data') : undefined
  if (!isObject(data)) return text
  for (const [name, value] of Object.entries(alter)) {
    if (value === null) data.delete(name)
    else data.set(name, jsonOf(value))
  }
  return writeJson(document)
}

/** Holds a message back until the next one, except from sockets for which one is held already [faults/swap]. */
function swapNext(server: Server, effects: Effect[], message: OutgoingMessage): void {
  const wire = wireOf(server)
  const isHeld = (socket: number): boolean =>
    wire.swapped.some(({ sockets }) => sockets.includes(socket))
  const behind = message.sockets.filter(isHeld)
  const held = message.sockets.filter((socket) => !isHeld(socket))
  if (held.length > 0) wire.swapped.push(toSockets(message, held))
  if (behind.length > 0) deliver(server, effects, toSockets(message, behind))
}
