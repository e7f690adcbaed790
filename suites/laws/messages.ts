// Laws about each message by itself, and about the first one on a socket.

import { messageRules } from '../../spec/answers.ts'
import type { Deployment, Message as MessageSpec } from '../../spec/language.ts'
import { messages } from '../../spec/server/messages.ts'
import { judgeMessage } from '../judge/judge.ts'
import { type Finding, law, type Law, shown, unless } from './law.ts'
import type { Item, Trace, TracedSocket, TypedMessage } from '../../dist/emulator/session/index.js'

type Received = { readonly socket: TracedSocket; readonly item: Item }

/** Everything that came on any socket. */
function* received({ sockets }: Trace): Iterable<Received> {
  for (const socket of sockets) for (const item of socket.items) yield { socket, item }
}

/** The messages of some types. */
export const ofType =
  (...types: readonly string[]) =>
  ({ byType }: Trace): readonly TypedMessage[] => {
    const [first = '', ...others] = types
    const own = byType.get(first) ?? []
    return others.length === 0 ? own : [...own, ...others.flatMap((type) => byType.get(type) ?? [])]
  }

const known: Readonly<Record<string, MessageSpec>> = messages

/** One law for each type of message: its data fits the schema. */
const fitting: readonly Law[] = Object.entries(messageRules)
  .filter(([type]) => type !== 'notification')
  .map(([type, rule]) =>
    law(rule, ofType(type), ({ socket, item, message }, { place }) =>
      judgeMessage(message, place as Deployment).map((says) => ({ at: { socket, item }, says })),
    ),
  )

const firsts = ({ sockets }: Trace): readonly TracedSocket[] =>
  sockets.filter(({ items }) => items.length > 0)

/** The sid in the first message of a socket. */
const sidOf = ({ items }: TracedSocket): unknown => items[0]?.message?.data['sid']

const begun = (socket: TracedSocket): { socket: TracedSocket; item?: Item } => {
  const [item] = socket.items
  return item === undefined ? { socket } : { socket, item }
}

const bad = (socket: TracedSocket, item: Item, says: string): readonly Finding[] => [
  { at: { socket, item }, says },
]

export const messageLaws: readonly Law[] = [
  ...fitting,
  law('messages/json-text', received, ({ socket, item }) => {
    if (item.problem === undefined) {
      const type = item.message?.type
      return type === undefined || Object.hasOwn(known, type)
        ? []
        : bad(socket, item, `There is no message type ${shown(type)}.`)
    }
    return typeof socket.recorded.messages[item.index]?.data === 'string'
      ? bad(socket, item, `The message cannot be read: ${item.problem}`)
      : []
  }),
  law('messages/type-first', ofType(...Object.keys(messages)), ({ socket, item, message }) => {
    for (const key in message)
      return unless(key === 'type', { socket, item }, () => `The first key is ${shown(key)}.`)
    return []
  }),
  law('messages/status-on-connect', firsts, (socket) =>
    unless(
      socket.items[0]?.message?.type === 'status' && typeof sidOf(socket) === 'string',
      begun(socket),
      () => `The first message is ${shown(socket.items[0]?.message ?? 'a frame')}.`,
    ),
  ),
  law(
    'messages/sid',
    (trace) => firsts(trace).filter((socket) => sidOf(socket) !== undefined),
    (socket) => {
      const sid = sidOf(socket)
      const { named } = socket
      return unless(
        // A redacted id is a placeholder in both places.
        named === null || named === ''
          ? typeof sid === 'string' && /^[0-9a-f]{32}$/.test(sid)
          : sid === named,
        begun(socket),
        () => `The sid of the client ${shown(named)} is ${shown(sid)}.`,
      )
    },
  ),
  law('messages/hosted-no-executing-null', ofType('executing'), ({ socket, item, message }) =>
    unless(
      message.data['node'] !== null,
      { socket, item },
      () => 'A hosted run sends executing with node null.',
    ),
  ),
  law(['messages/local-notification'], ofType('notification'), ({ socket, item, message }) =>
    judgeMessage(message, 'local').map((says) => ({ at: { socket, item }, says })),
  ),
  law(['messages/notification'], ofType('notification'), ({ socket, item, message }) =>
    judgeMessage(message, 'hosted').map((says) => ({ at: { socket, item }, says })),
  ),
]
