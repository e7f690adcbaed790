// One reading of a recorded session: its exchanges with their endpoints, its sockets with decoded messages, and its runs with
// all that was received of them. Whatever looks at a session begins here.

import type { Place } from '../../spec/language.ts'
import { addTo } from '../lib/add-to.ts'
import { exchangeOf, responseHeader, type TracedExchange } from './exchanges.ts'
import { ofServer, type RecordedExchange, type Recording } from './recording.ts'
import { type Runs, runsOf } from './runs.ts'
import { isSocketPath, type RecordedServer, serverOf, softwareOf } from './server-of.ts'
import { type Item, type Message, socketOf, type TracedSocket } from './sockets.ts'

/** A message with its socket. */
export type TypedMessage = {
  readonly socket: TracedSocket
  readonly item: Item
  readonly message: Message
}

export type Trace = Runs & {
  /** The file, for messages. */
  readonly name: string
  readonly place: Place
  readonly software: string | null
  readonly recording: Recording
  /** With the server itself, and with the host of signed links. */
  readonly exchanges: readonly TracedExchange[]
  readonly links: readonly TracedExchange[]
  readonly sockets: readonly TracedSocket[]
  /** All messages by their types, socket by socket. */
  readonly byType: ReadonlyMap<string, readonly TypedMessage[]>
}

/** The trace of a recording; undefined if nothing in it is of a server that the spec knows. */
export function traceOf(recording: Recording, name: string, wanted?: Place): Trace | undefined {
  const found = serverOf(recording)
  if (found === undefined) return undefined
  return traceAt(recording, name, {
    place: recording.info?.place ?? wanted ?? found.place,
    host: found.host,
  })
}

/** The trace of a recording of a server that is known. What faults answered in its place is left out. */
export function traceAt(whole: Recording, name: string, { place, host }: RecordedServer): Trace {
  const recording = ofServer(whole)
  const exchanges: TracedExchange[] = []
  const links: TracedExchange[] = []
  const signed = new Set<string>()
  for (const recorded of recording.exchanges) {
    const url = new URL(recorded.url)
    const one = exchangeOf(place, recorded, url)
    if (url.host === host) exchanges.push(one)
    else if (signed.has(url.href)) links.push(one)
    const location = place === 'hosted' ? locationOf(recorded) : undefined
    if (location !== undefined) signed.add(location)
  }
  const sockets = recording.sockets.filter(({ url }) => isSocket(url, host)).map(socketOf)
  const statistics = exchanges.find(
    ({ endpoint, status }) => endpoint?.name === 'systemStats' && status === 200,
  )
  return {
    name,
    place,
    software: softwareOf(recording, statistics?.reply()),
    recording,
    exchanges,
    links,
    sockets,
    ...runsOf(place, exchanges, sockets),
    byType: messagesByType(sockets),
  }
}

function messagesByType(sockets: readonly TracedSocket[]): Trace['byType'] {
  const byType = new Map<string, TypedMessage[]>()
  for (const socket of sockets)
    for (const item of socket.items) {
      const { message } = item
      if (message !== undefined) addTo(byType, message.type, { socket, item, message })
    }
  return byType
}

const isSocket = (text: string, host: string): boolean => {
  const url = new URL(text)
  return url.host === host && isSocketPath(url.pathname)
}

function locationOf(recorded: RecordedExchange): string | undefined {
  const text = responseHeader(recorded, 'location')
  return text !== undefined && URL.canParse(text) ? new URL(text).href : undefined
}
