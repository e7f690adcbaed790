// The sockets [messages/*]: who is connected, who receives what, and what clients may send.

import { type MessageType, receivers } from '../../../spec/server/messages.ts'
import { isObject, type Json, readJson } from '../../lib/json.ts'
import type { FrameContent, Input } from '../../machine.ts'
import { drawHex32 } from '../../lib/random.ts'
import { parameter, splitTarget } from '../../http/requests.ts'
import { featuresText } from './features.ts'
import { remaining, runningOf } from './derived.ts'
import type { LateEffect } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** Sends a message to these sockets. `data` is JSON text. */
export function send(
  world: World,
  sockets: readonly number[],
  type: MessageType,
  data: string,
): void {
  // SwarmUI and others distinguish JSON from binary by `{"type":` at the start [messages/type-first].
  if (sockets.length > 0) {
    world.effects.push({ kind: 'send', sockets, text: `{"type": "${type}", "data": ${data}}` })
  }
}

export function sendFrame(world: World, sockets: readonly number[], content: FrameContent): void {
  if (sockets.length > 0) world.effects.push({ kind: 'frame', sockets, content })
}

/** Sends a late message to those of its sockets that are still open. */
export function sendLate(world: World, effect: LateEffect): void {
  const sockets = effect.sockets.filter((id) => world.state.sockets.has(id))
  if (sockets.length > 0) world.effects.push(Object.assign({}, effect, { sockets }))
}

/**
 * All sockets; on local, of several with one client id only the newest: older ones receive nothing
 * [messages/older-socket].
 */
export function everyone({ setup, state }: World): readonly number[] {
  const { sharesMessages } = setup.traits
  if (sharesMessages ? state.sockets.size === 0 : state.socketByClient.size === 0) return nobody
  return [...(sharesMessages ? state.sockets.keys() : state.socketByClient.values())]
}

const nobody: readonly number[] = []

/**
 * The sockets that receive a message type of a run with this client id (null: none). On hosted all sockets of the
 * account do [messages/hosted-all-connections].
 */
export function socketsFor(
  world: World,
  type: MessageType,
  client_id: string | null,
): readonly number[] {
  const rule = receivers[type]
  if (rule === 'everyone' || world.setup.traits.sharesMessages) return everyone(world)
  if (client_id === null && rule === 'own-or-everyone') return everyone(world)
  return socketsOfClient(world, client_id)
}

/** The sockets of the client of a run (null: none); on hosted all of the account. */
export function socketsOfClient(world: World, client_id: string | null): readonly number[] {
  if (world.setup.traits.sharesMessages) return everyone(world)
  const socket = client_id === null ? undefined : world.state.socketByClient.get(client_id)
  return socket === undefined ? nobody : [socket]
}

/** Sends the number of pending and running runs to all clients. */
export const sendStatus = (world: World): void =>
  send(world, everyone(world), 'status', `{"status": ${statusText(world)}}`)

const statusText = (world: World): string =>
  `{"exec_info": {"queue_remaining": ${remaining(world)}}}`

/** Opens a connection: sends its id, and the current node of its run. */
export function openSocket(world: World, input: Extract<Input, { kind: 'open' }>): void {
  const { sharesMessages } = world.setup.traits
  const [, query] = splitTarget(input.target)
  // Hosted ignores the id of the client: the server assigns one to each connection [messages/hosted-sid].
  const askedId = parameter(query, 'clientId')
  const clientId = (!sharesMessages && askedId) || drawHex32(world.state.random)
  world.state.sockets.set(input.socket, {
    id: input.socket,
    clientId,
    askedId,
    negotiated: false,
    supportsPreviewMetadata: false,
  })
  if (!sharesMessages) world.state.socketByClient.set(clientId, input.socket)
  world.effects.push({ kind: 'accept', socket: input.socket })
  const sid = JSON.stringify(clientId)
  send(world, [input.socket], 'status', `{"status": ${statusText(world)}, "sid": ${sid}}`)
  for (const { run, lastNode } of runningOf(world)) {
    if (lastNode === null || (!sharesMessages && run.client_id !== clientId)) continue
    const about = sharesMessages ? `, "prompt_id": ${JSON.stringify(run.prompt_id)}` : ''
    send(world, [input.socket], 'executing', `{"node": ${JSON.stringify(lastNode)}${about}}`)
  }
}

/** Closes a connection. Its runs continue. */
export function closeSocket(world: World, id: number): void {
  const socket = world.state.sockets.get(id)
  if (socket === undefined) return
  world.state.sockets.delete(id)
  const isNewest = world.state.socketByClient.get(socket.clientId) === id
  if (isNewest || world.setup.quirks.has('local.zombie-socket'))
    world.state.socketByClient.delete(socket.clientId)
}

/** The first JSON object from a client may negotiate features; everything else is ignored. */
export function readMessage(world: World, id: number, text: string): void {
  const socket = world.state.sockets.get(id)
  if (socket === undefined || socket.negotiated) return
  let message: Json
  try {
    message = readJson(text)
  } catch {
    return
  }
  if (!isObject(message)) return
  socket.negotiated = true
  if (message.get('type') !== 'feature_flags') return
  const flags = message.get('data')
  // The flags apply to a client id: to the newest socket that has it [messages/older-socket].
  const meant = world.setup.traits.sharesMessages
    ? id
    : world.state.socketByClient.get(socket.clientId)
  const receiver = meant === undefined ? undefined : world.state.sockets.get(meant)
  if (receiver === undefined) return
  receiver.supportsPreviewMetadata =
    isObject(flags) && flags.get('supports_preview_metadata') === true
  send(world, [receiver.id], 'feature_flags', featuresText(world.setup))
}

/**
 * Whether a socket receives the previews of a run with this client id with metadata. On local only the run's own socket
 * can.
 */
export const receivesMetadata = (world: World, client_id: string | null, socket: number): boolean =>
  (client_id !== null || world.setup.traits.sharesMessages) &&
  (world.state.sockets.get(socket)?.supportsPreviewMetadata ?? false)
