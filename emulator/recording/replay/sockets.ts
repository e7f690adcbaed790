// The sockets of a replay: which recorded socket each of them plays, and what it receives.

import { parameter, splitTarget } from '../../http/requests.ts'
import { drawHex32 } from '../../lib/random.ts'
import { setTimer } from '../../lib/timers.ts'
import type { Input, SocketEnd } from '../../machine.ts'
import { clientKey, replaceFrame, replaceText, typeIn } from '../identities.ts'
import { runsOf } from './run-state.ts'
import { causeKey, type Script } from './script.ts'
import {
  type Due,
  exchangeAt,
  identifyClient,
  type Instance,
  presentValues,
  type ReplayWorld,
} from './state.ts'

/** Opens a socket: it plays a recorded one of its client, those of each client in order. */
export function openSocket(world: ReplayWorld, input: Extract<Input, { kind: 'open' }>): void {
  const { script, state } = world
  const id = input.socket
  const asked = parameter(splitTarget(input.target)[1], 'clientId') ?? null
  const recorded = chosen(world, asked)
  const known = recorded === null ? null : (script.sockets[recorded]?.client ?? null)
  const client =
    asked ?? (known !== null && !isInUse(world, known) ? known : drawHex32(state.random))
  state.sockets.set(id, { id, client, recorded, sent: new Set() })
  if (known !== null) identifyClient(world, known, client)
  world.effects.push({ kind: 'accept', socket: id })
  const messages =
    recorded === null ? [] : (script.byCause.get(causeKey({ by: 'open', socket: recorded })) ?? [])
  if (messages.length === 0) greet(world, id, client)
  const greeting = messages.filter((one) => isKnown(world, one))
  schedule(world, greeting, id)
  if (recorded !== null) catchUp(world, recorded, id, greeting)
}

/** Sends what a socket has missed that the recorded one received, after its greeting. */
function catchUp(
  { script, state }: ReplayWorld,
  recorded: number,
  socket: number,
  greeting: readonly number[],
): void {
  const offsets = greeting.map((one) => Math.floor(script.messages[one]?.offsetMs ?? 0))
  const dueMs = state.nowMs + Math.max(0, ...offsets)
  for (const [message, instance] of state.held.get(recorded) ?? []) {
    const due = { kind: 'message', message, instance, socket } as const
    setTimer(state.timers, dueMs, due, script.messages.length + message)
  }
  state.held.delete(recorded)
}

/** Whether a message concerns no run, or one that has been submitted. */
function isKnown({ script, state }: ReplayWorld, message: number): boolean {
  const run = script.messages[message]?.run ?? null
  return run === null || state.latest.has(script.submits.get(run) ?? -1)
}

const isInUse = ({ state }: ReplayWorld, client: string): boolean =>
  [...state.sockets.values()].some((one) => one.client === client)

/** What a server says first, where the recording has no socket for it. */
function greet(world: ReplayWorld, socket: number, client: string): void {
  const queue_remaining = runsOf(world).filter(
    ({ state }) => state === null || state === 'started',
  ).length
  const data = { status: { exec_info: { queue_remaining } }, sid: client }
  world.effects.push({
    kind: 'send',
    sockets: [socket],
    text: JSON.stringify({ type: 'status', data }),
  })
}

/** The recorded socket for one that opens: those of each client in order, then again from the first. */
function chosen(world: ReplayWorld, asked: string | null): number | null {
  const { sockets } = world.script
  const all = [...sockets.keys()]
  if (asked === null) {
    const unnamed = all.filter((at) => sockets[at]?.namesClient === false)
    return nextOf(world, '', unnamed.length > 0 ? unnamed : all)
  }
  const clients = all.flatMap((at) => sockets[at]?.client ?? [])
  const client = recordedClient(world, asked, clients)
  return nextOf(world, asked, client === null ? all : socketsOf(world, client))
}

const socketsOf = ({ script }: ReplayWorld, client: string): readonly number[] =>
  script.sockets.flatMap((one, at) => (one.client === client ? [at] : []))

/** The next of the recorded sockets that a client plays. */
function nextOf({ state }: ReplayWorld, client: string, all: readonly number[]): number | null {
  const opened = state.opened.get(client) ?? 0
  state.opened.set(client, opened + 1)
  return all[opened % all.length] ?? null
}

/**
 * The recorded client for which a present one stands, chosen when it appears: the one of the same id, else the first for which
 * nobody stands yet, rather one with an id of the same form. Which one it is shows when it submits.
 * @param candidates the recorded clients that it can be.
 */
export function recordedClient(
  world: ReplayWorld,
  present: string,
  candidates: readonly string[],
): string | null {
  const { script, state } = world
  const known = state.recorded.get(clientKey(present))
  if (known !== undefined) return known
  const isSame = ({ client }: { readonly client: string | null }): boolean => client === present
  const same = script.sockets.some(isSame) || script.exchanges.some(isSame) ? present : undefined
  const free = candidates.filter((one) => !state.present.has(clientKey(one)))
  const isAlike = (one: string): boolean => formOf(one) === formOf(present)
  const found = same ?? free.find(isAlike) ?? free[0] ?? candidates.find(isAlike) ?? candidates[0]
  if (found === undefined) return null
  identifyClient(world, found, present)
  return found
}

/** Ids of one generator have one form. */
const formOf = (id: string): string => id.replaceAll(/[\da-f]/gi, '0')

/** A client has sent what a recorded one sent: it stands for that one, and its sockets play those of that one. */
export function followClient(world: ReplayWorld, recorded: string, present: string): void {
  const { state } = world
  const before = state.recorded.get(clientKey(present))
  if (before === recorded) return
  const other = state.present.get(clientKey(recorded))
  identifyClient(world, recorded, present)
  moveSockets(world, recorded, present)
  // Another client stood for that one, without having shown it: they change places.
  const isGuess = ![...state.runs.values()].some(({ client }) => client === other)
  if (other === undefined || other === present || before === undefined || !isGuess) return
  state.recorded.delete(clientKey(other))
  identifyClient(world, before, other)
  moveSockets(world, before, other)
}

/** The sockets of a client play those of a recorded one from now on. */
function moveSockets(world: ReplayWorld, recorded: string, present: string): void {
  const { state } = world
  const own = socketsOf(world, recorded)
  if (own.length === 0) return
  state.opened.delete(present)
  for (const socket of state.sockets.values())
    if (socket.client === present) socket.recorded = nextOf(world, present, own)
}

export function closeSocket({ state }: ReplayWorld, id: number): void {
  state.sockets.delete(id)
}

/** A client sends a message: the answers to the recorded one of its type follow. */
export function readMessage(world: ReplayWorld, id: number, text: string): void {
  const { script, state } = world
  const socket = state.sockets.get(id)
  if (socket === undefined || socket.recorded === null) return
  const type = typeIn(text)
  const { sent } = script.sockets[socket.recorded] as Script['sockets'][number]
  const message = sent.findIndex((one, at) => one === type && !socket.sent.has(at))
  if (message < 0) return
  socket.sent.add(message)
  const key = causeKey({ by: 'message', socket: socket.recorded, message })
  const messages = script.byCause.get(key) ?? []
  const isOwn = (one: number): boolean => script.messages[one]?.socket === socket.recorded
  schedule(world, messages.filter(isOwn), id)
  // The answer goes to the newest socket of a client.
  schedule(
    world,
    messages.filter((one) => !isOwn(one)),
    null,
  )
}

/** Sets the timers of messages to one socket; null: to those that play the recorded one. */
function schedule(world: ReplayWorld, messages: readonly number[], socket: number | null): void {
  const { script, state } = world
  for (const message of messages) {
    const offsetMs = Math.floor(script.messages[message]?.offsetMs ?? 0)
    const due = { kind: 'message', message, instance: null, socket } as const
    setTimer(state.timers, state.nowMs + offsetMs, due, message)
  }
}

/** Sends a message whose time has come. */
export function deliver(
  world: ReplayWorld,
  { message, instance, socket }: Extract<Due, { kind: 'message' }>,
): void {
  const { data } = world.script.messages[message] as Script['messages'][number]
  const receivers = socket === null ? receiversOf(world, message, instance) : [socket]
  const sockets = receivers.filter((id) => world.state.sockets.has(id))
  if (sockets.length === 0) return
  const values = presentValues(world, instance)
  if (typeof data === 'string') {
    world.effects.push({ kind: 'send', sockets, text: replaceText(data, values) })
  } else if (data instanceof Uint8Array) {
    const content = { frame: 'recorded', bytes: replaceFrame(data, values) } as const
    world.effects.push({ kind: 'frame', sockets, content })
  } else endSockets(world, sockets, endOf(data.close))
}

/** Codes that stand for a connection that ended without a close. */
const endOf = (code: number): SocketEnd =>
  code === 1006 ? 'reset' : { close: code < 1000 || code === 1005 ? 1000 : code }

export function endSockets(world: ReplayWorld, sockets: readonly number[], how: SocketEnd): void {
  for (const id of sockets) world.state.sockets.delete(id)
  if (sockets.length > 0) world.effects.push({ kind: 'end', sockets, how })
}

/**
 * The sockets that receive a message: those that play the recorded one, of several those of the client of the run. While
 * nobody plays it, the newest of its client does that stands where the recorded one stood: this client has not been cut off
 * yet. A socket that opens later gets it too, if the recorded one had opened in mid-run.
 */
function receiversOf(
  world: ReplayWorld,
  message: number,
  instance: Instance | null,
): readonly number[] {
  const { script, state } = world
  const { socket: recorded, run, data } = script.messages[message] as Script['messages'][number]
  const sockets = [...state.sockets.values()]
  const playing = sockets.filter((one) => one.recorded === recorded)
  const own = run === null ? [] : playing.filter(({ client }) => client === instance?.client)
  if (playing.length > 0) return (own.length > 0 ? own : playing).map(({ id }) => id)
  if (typeof data === 'object' && 'close' in data) return []
  hold(world, message, instance)
  const { line, client } = script.sockets[recorded] as Script['sockets'][number]
  const isOwnRun =
    client !== null && instance !== null && exchangeAt(script, instance.exchange).client === client
  const stands = sockets.findLast((one) => {
    const played = script.sockets[one.recorded ?? -1]
    return played?.line === line || (isOwnRun && run !== null && played?.client === client)
  })
  return stands === undefined ? [] : [stands.id]
}

/** Keeps a message for a socket that is to open after the request that caused it, as the recorded one did. */
function hold({ script, state }: ReplayWorld, message: number, instance: Instance | null): void {
  const { socket, cause } = script.messages[message] as Script['messages'][number]
  const { openMs } = script.sockets[socket] as Script['sockets'][number]
  if (cause.by !== 'request' || exchangeAt(script, cause.exchange).startMs > openMs) return
  const held = state.held.get(socket) ?? new Map<number, Instance | null>()
  held.delete(message)
  state.held.set(socket, held.set(message, instance))
}
