// The clients of a session: their sockets, what each has received and sent, and what each has missed.

import { membersOf, textOf, type Members, valueOf } from '../../lib/loose.ts'
import type { Entry } from './journal.ts'
import { parameterOf } from './requests.ts'
import type { Run } from './runs.ts'

export type Message = {
  /** The number of its entry, a dot, and that of the effect; the number alone if the client has sent it. */
  readonly key: string
  readonly at: number
  readonly type: string
  readonly data: unknown
  /** `part`: cut off or shortened on its way. `lost`: kept from the client by a fault. */
  readonly state: 'sent' | 'received' | 'part' | 'lost'
  readonly isFrame: boolean
  readonly sockets: readonly number[]
  /** The faults that kept it from the client, or changed it. */
  readonly faults: readonly string[]
}

/** Whether a fault has kept a message from its client, or a part of it. */
export const isMissed = ({ state }: Pick<Message, 'state'>): boolean =>
  state === 'lost' || state === 'part'

export type Connection = {
  readonly socket: number
  readonly entry: number
  readonly from: number
  to: number | null
  endEntry: number | null
  /** How it ended. */
  how: string | null
}

export type Client = {
  readonly name: string
  readonly connections: Connection[]
  readonly messages: Message[]
}

/** A time in which a client had no socket while its runs went on. */
export type Gap = {
  readonly from: number
  readonly to: number
  /** What it has missed, in words. */
  readonly missed: string
}

export function clientsOf(entries: readonly Entry[]): readonly Client[] {
  const clients = new Map<string, Client>()
  const bySocket = new Map<number, { client: Client; connection: Connection }>()
  for (const entry of entries) {
    const { n, at, input, effects } = entry
    if (input['kind'] === 'open') open(clients, bySocket, entry)
    const own = bySocket.get(Number(input['socket']))
    if (own && input['kind'] === 'close') close(own.connection, entry, 'closed by the client')
    if (own && input['kind'] === 'message')
      own.client.messages.push(messageOf(`${n}`, at, input, 'received', [own.connection.socket]))
    for (const [index, effect] of effects.entries()) {
      const { kind, sockets } = effect
      if (kind === 'end')
        for (const socket of sockets as readonly number[]) {
          const ended = bySocket.get(socket)
          if (ended) close(ended.connection, entry, endText(effect['how']))
        }
      const message = kind === 'lost' ? membersOf(effect['message']) : effect
      if (kind !== 'lost' && kind !== 'send' && kind !== 'frame') continue
      const isPart = 'cutBytes' in effect || 'shortBytes' in effect
      const state = kind === 'lost' ? 'lost' : isPart ? 'part' : 'sent'
      const to = message['sockets'] as readonly number[]
      const faults = state === 'sent' ? [] : faultsOf(effects)
      const one = { ...messageOf(`${n}.${index}`, at, message, state, to), faults }
      const reached = new Set(to.flatMap((socket) => bySocket.get(socket)?.client ?? []))
      for (const client of reached) client.messages.push(one)
    }
  }
  return [...clients.values()]
}

/** The faults that applied in a step. */
const faultsOf = (effects: readonly Members[]): readonly string[] =>
  effects.flatMap(({ kind, id }) => (kind === 'fault' ? String(id) : []))

function open(
  clients: Map<string, Client>,
  bySocket: Map<number, { client: Client; connection: Connection }>,
  { n, at, input, effects }: Entry,
): void {
  const socket = Number(input['socket'])
  const name =
    parameterOf(String(input['target']), 'clientId') || sidIn(effects) || `socket ${socket}`
  const client = clients.get(name) ?? { name, connections: [], messages: [] }
  clients.set(name, client)
  const refused = effects.find(({ kind }) => kind === 'refuse')
  const connection: Connection = { socket, entry: n, from: at, to: null, endEntry: null, how: null }
  if (refused)
    Object.assign(connection, { to: at, endEntry: n, how: `refused ${String(refused['status'])}` })
  client.connections.push(connection)
  bySocket.set(socket, { client, connection })
}

/** The id that the server has given a client without one. */
function sidIn(effects: readonly Members[]): string | null {
  for (const { kind, text } of effects) {
    const sid = kind === 'send' ? membersOf(membersOf(valueOf(text))['data'])['sid'] : null
    if (typeof sid === 'string') return sid
  }
  return null
}

function close(connection: Connection, { n, at }: Entry, how: string): void {
  if (connection.to !== null) return
  Object.assign(connection, { to: at, endEntry: n, how })
}

const endText = (how: unknown): string =>
  typeof how === 'object'
    ? `closed with ${String(membersOf(how)['close'])}`
    : how === 'silence'
      ? 'silent'
      : 'reset'

function messageOf(
  key: string,
  at: number,
  message: Members,
  state: Message['state'],
  sockets: readonly number[],
): Message {
  const content = membersOf(message['content'])
  const isFrame = 'content' in message
  const common = { key, at, state, isFrame, sockets, faults: [] }
  if (isFrame) {
    const { frame, image: _, ...fields } = content
    return { ...common, type: String(frame), data: fields }
  }
  const value = valueOf(message['text'])
  const { type, data } = membersOf(value)
  return { ...common, type: textOf(type) ?? 'text', data: data ?? value }
}

/** The times between the sockets of a client in which its runs went on. `now` is the present time. */
export function gapsOf(
  { name, connections }: Client,
  runs: readonly Run[],
  now: number,
): readonly Gap[] {
  const own = runs.filter(({ client }) => client === name)
  return connections.flatMap(({ to: from }, index) => {
    const to = connections[index + 1]?.from ?? now
    if (from === null || from >= to) return []
    const isIn = (at: number | null): boolean => at !== null && at >= from && at < to
    const active = own.filter(
      (run) => run.from !== null && run.from < to && (run.to ?? now) >= from,
    )
    const ends = active.flatMap(({ nodes }) =>
      [...nodes.values()].flatMap((one) => [one.from, one.to]),
    )
    const nodes = ends.filter(isIn).length
    const words = [
      ...(nodes > 0 ? [`${nodes} node events`] : []),
      ...active.map((run) =>
        isIn(run.to) ? `the end of run ${run.number}` : `a part of run ${run.number}`,
      ),
    ]
    return active.length === 0 ? [] : [{ from, to, missed: words.join(', ') }]
  })
}
