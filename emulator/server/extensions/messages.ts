// Messages of the scenario [scenario/message-*]: what is sent, when and to whom.

import { limits } from '../../../spec/limits.ts'
import type { MessageRule } from '../../../spec/scenario/messages.ts'
import { type Json, readJson, writeJson } from '../../lib/json.ts'
import { cancelTimer, setTimer } from '../../lib/timers.ts'
import { isForUser, runNumber } from '../nodes/script.ts'
import { contentOf } from '../nodes/file-contents.ts'
import type { Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { everyone, sendFrame, socketsOfClient } from '../world/sockets.ts'

/** The ids that stand for themselves in the texts of a message. */
type Ids = { readonly prompt_id: string; readonly node: string }

/** Sends the messages of a socket that has opened [scenario/message-socket]. */
export function greet(world: World, socket: number): void {
  for (const rule of world.script.messages)
    if (rule.at === 'socket-open' && isForUser(world, rule.user))
      sendRule(world, rule, rule.to === 'everyone' ? everyone(world) : [socket])
}

/** The moments of a node at which messages are sent. */
export type NodeMoment = Exclude<NonNullable<MessageRule['at']>, 'socket-open'>

/** Sends the messages at a node of a run [scenario/message-node]. */
export function sendAtNode(
  world: World,
  { run, types }: Running,
  node: string,
  at: NodeMoment,
): void {
  const { messages } = world.script
  const { prompt_id, client_id } = run
  for (const rule of messages) {
    const applies =
      rule.at === at &&
      (rule.class_type ?? types.get(node)?.class_type) === types.get(node)?.class_type &&
      (rule.node_id ?? node) === node &&
      (rule.run ?? runNumber(run)) === runNumber(run) &&
      isForUser(world, rule.user)
    if (!applies) continue
    const sockets = rule.to === 'everyone' ? everyone(world) : socketsOfClient(world, client_id)
    sendRule(world, rule, sockets, { prompt_id, node })
  }
}

/** Sends the message of a timer that fires, and sets the timer again [scenario/message-every]. */
export function fireMessage(world: World, index: number): void {
  const { chatter } = world.state
  const rule = world.script.messages[index] as MessageRule
  chatter.timers[index] = null
  chatter.sent++
  sendRule(world, rule, everyone(world))
  tendTimers(world)
}

/**
 * Sets the timers of messages of a world that has clients, and removes them from one without. They rest after so many
 * messages: a clock that is moved by a year stays quick [scenario/message-every-rest].
 */
export function tendTimers(world: World): void {
  const { messages } = world.script
  const { chatter, sockets } = world.state
  if (sockets.size === 0 || chatter.sent >= limits.timedMessages.value) return removeTimers(world)
  for (const [index, { everyMs, user }] of messages.entries()) {
    if (everyMs === undefined || !isForUser(world, user)) continue
    chatter.timers[index] ??= setTimer(world.timers, nextMs(world, everyMs), {
      kind: 'chatter',
      world: world.setup.index,
      message: index,
    })
  }
}

/** Removes the timers of messages. */
export function removeTimers({ state: { chatter }, timers }: World): void {
  for (const timer of chatter.timers) if (timer) cancelTimer(timers, timer)
  chatter.timers = []
}

/** The next multiple of a time since the start. */
const nextMs = ({ script: { startedMs }, state }: World, everyMs: number): number =>
  startedMs + (Math.floor((state.nowMs - startedMs) / everyMs) + 1) * everyMs

function sendRule(world: World, rule: MessageRule, sockets: readonly number[], ids?: Ids): void {
  if (sockets.length === 0) return
  const { type, data = {}, frame } = rule
  if (frame !== undefined)
    return sendFrame(world, sockets, {
      frame: 'scripted',
      event: frame.event,
      bytes: contentOf(frame),
    })
  const plain = readJson(JSON.stringify(data))
  const text = writeJson(ids === undefined ? plain : withIds(plain, ids))
  world.effects.push({
    kind: 'send',
    sockets,
    text: `{"type": ${JSON.stringify(type)}, "data": ${text}}`,
  })
}

/** A value with ids for their names in texts [scenario/message-ids]. */
function withIds(value: Json, ids: Ids): Json {
  if (typeof value === 'string')
    return value.replace(/\{(prompt_id|node)\}/g, (_, name: keyof Ids) => ids[name])
  if (Array.isArray(value)) return value.map((item) => withIds(item, ids))
  return value instanceof Map
    ? new Map(Array.from(value, ([name, member]) => [name, withIds(member, ids)]))
    : value
}
