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
  identifyClient,
  type Instance,
  presentValues,
  type ReplaySocket,
  type ReplayWorld,
} from './state.ts'

/** Opens a socket: it plays the recorded one of its client, else the next that nobody plays. */
export function openSocket(world: ReplayWorld, input: Extract<Input, { kind: 'open' }>): void {
  const { script, state } = world
  const id = input.socket
  const asked = parameter(splitTarget(input.target)[1], 'clientId')
  const recorded = chosen(world, asked ?? null)
  const known = recorded === null ? null : (script.sockets[recorded]?.client ?? null)
  const client =
    asked ?? (known !== null && !isInUse(world, known) ? known : drawHex32(state.random))
  state.sockets.set(id, { id, client, recorded, sent: new Set() })
  if (known !== null) identifyClient(world, known, client)
  world.effects.push({ kind: 'accept', socket: id })
  const messages =
    recorded === null ? [] : (script.byCause.get(causeKey({ by: 'open', socket: recorded })) ?? [])
  if (messages.length === 0) greet(world, id, client)
  schedule(
    world,
    messages.filter((one) => isKnown(world, one)),
    id,
  )
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

function chosen({ script, state }: ReplayWorld, client: string | null): number | null {
  const played = new Set(Array.from(state.sockets.values(), ({ recorded }) => recorded))
  const free = script.sockets.flatMap((_, at) => (played.has(at) ? [] : [at]))
  const own = client === null ? undefined : (state.recorded.get(clientKey(client)) ?? client)
  const isOwn = (at: number): boolean => script.sockets[at]?.client === own
  const all = script.sockets.map((_, at) => at)
  return free.find(isOwn) ?? all.find(isOwn) ?? free[0] ?? all[0] ?? null
}

/** The sockets of a client play those of a recorded one from now on: it has sent what that one sent. */
export function followClient(world: ReplayWorld, recorded: string, present: string): void {
  const { script, state } = world
  const own = script.sockets.flatMap(({ client }, at) => (client === recorded ? [at] : []))
  identifyClient(world, recorded, present)
  const sockets = [...state.sockets.values()].filter(({ client }) => client === present)
  if (own.length === 0 || sockets.some((one) => own.includes(one.recorded ?? -1))) return
  for (const [at, socket] of sockets.entries()) {
    const next = own[Math.min(at, own.length - 1)] as number
    const other = [...state.sockets.values()].find((one) => one.recorded === next)
    if (other !== undefined) other.recorded = socket.recorded
    socket.recorded = next
  }
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
  const {
    data,
    socket: recorded,
    run,
  } = world.script.messages[message] as Script['messages'][number]
  const receivers =
    socket === null ? playing(world, recorded, run === null ? null : instance) : [socket]
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

/** The sockets that play a recorded one: of several, the messages of a run go to those of its client. */
function playing(
  { state }: ReplayWorld,
  recorded: number,
  instance: Instance | null,
): readonly number[] {
  const sockets: ReplaySocket[] = [...state.sockets.values()].filter(
    (one) => one.recorded === recorded,
  )
  const own = sockets.filter(({ client }) => client === instance?.client)
  return (own.length > 0 ? own : sockets).map(({ id }) => id)
}
