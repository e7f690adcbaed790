// A recorded session: what clients and a server said to each other, on one timeline. All times are in milliseconds since 1970.

import type { CutBody, PlayedFault, RecordedClose, RecordingInfo } from '../../spec/recording.ts'

/** Headers in the order in which they were sent, with names as they were written. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/**
 * A request, and the response if one came. Bodies are without content encoding, as in every HAR file, although the headers
 * name it.
 */
export type RecordedExchange = {
  /** Its position among the entries of the file, for messages. */
  readonly entry: number
  readonly startMs: number
  readonly endMs: number
  readonly method: string
  /** The whole address: a signed link stands on another host. */
  readonly url: string
  readonly headers: HeaderList
  readonly body: Uint8Array
  readonly response: RecordedResponse | null
  /** The bodies that are left out, because they were too large or the connection broke off. */
  readonly cut?: readonly CutBody[]
  /** The faults that were played on it. */
  readonly fault?: PlayedFault
}

export type RecordedResponse = {
  readonly status: number
  readonly headers: HeaderList
  readonly body: Uint8Array
}

/** A text or binary message of a socket. */
export type RecordedMessage = {
  readonly from: 'client' | 'server'
  readonly atMs: number
  readonly data: string | Uint8Array
  /** The faults that were played on it. */
  readonly fault?: PlayedFault
}

/** A socket whose handshake succeeded. */
export type RecordedSocket = {
  readonly entry: number
  readonly openMs: number
  readonly url: string
  readonly headers: HeaderList
  readonly messages: readonly RecordedMessage[]
  readonly close: RecordedClose | null
}

/** Exchanges and sockets are in the order in which they began. */
export type Recording = {
  /** Null for a session that another tool exported. */
  readonly info: RecordingInfo | null
  readonly exchanges: readonly RecordedExchange[]
  readonly sockets: readonly RecordedSocket[]
}

/** One thing that happened. `exchange` and `socket` are positions in the lists of the recording. */
export type RecordedEvent = { readonly atMs: number } & (
  | { readonly kind: 'request' | 'response'; readonly exchange: number }
  | { readonly kind: 'open' | 'close'; readonly socket: number }
  | { readonly kind: 'message'; readonly socket: number; readonly message: RecordedMessage }
)

/** What happens first of what happens at the same time. */
const ranks = { open: 0, request: 1, response: 2, message: 3, close: 4 } as const

/** Everything that happened, in order. Messages of a socket keep their order even where their times do not. */
export function eventsOf({ exchanges, sockets }: Recording): readonly RecordedEvent[] {
  const events: RecordedEvent[] = []
  for (const [exchange, { startMs, endMs, response }] of exchanges.entries()) {
    events.push({ kind: 'request', atMs: startMs, exchange })
    if (response !== null) events.push({ kind: 'response', atMs: endMs, exchange })
  }
  for (const [socket, { openMs, messages, close }] of sockets.entries()) {
    events.push({ kind: 'open', atMs: openMs, socket })
    let lastMs = openMs
    for (const message of messages) {
      lastMs = Math.max(lastMs, message.atMs)
      events.push({ kind: 'message', atMs: lastMs, socket, message })
    }
    if (close !== null) events.push({ kind: 'close', atMs: Math.max(lastMs, close.atMs), socket })
  }
  return events.toSorted((a, b) => a.atMs - b.atMs || ranks[a.kind] - ranks[b.kind])
}

/** The recording in the order that its types promise. */
export const inOrder = ({ info, exchanges, sockets }: Recording): Recording => ({
  info,
  exchanges: exchanges.toSorted((a, b) => a.startMs - b.startMs),
  sockets: sockets.toSorted((a, b) => a.openMs - b.openMs),
})

/** What the server itself said: the recording without the answers of faults. */
export const ofServer = (recording: Recording): Recording => ({
  ...recording,
  exchanges: recording.exchanges.filter(({ fault }) => fault?.answers !== true),
})

/** How many answers of a recording are those of faults, and on how much of what the server sent faults were played. */
export function playedFaults({ exchanges, sockets }: Recording): {
  readonly answers: number
  readonly others: number
} {
  const marks = [...exchanges, ...sockets.flatMap(({ messages }) => messages)].flatMap(
    ({ fault }) => fault ?? [],
  )
  const answers = marks.filter((mark) => mark.answers === true).length
  return { answers, others: marks.length - answers }
}

/** Whether runs were submitted, and nothing of their sockets was recorded. */
export const lacksMessages = ({ exchanges, sockets }: Recording): boolean =>
  sockets.every(({ messages }) => messages.length === 0) &&
  exchanges.some(
    ({ method, url }) => method === 'POST' && new URL(url).pathname.endsWith('/prompt'),
  )

/** Path and query of an address. */
export function targetOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The value of a header, by its lower-case name. */
export const headerOf = (headers: HeaderList, name: string): string | undefined =>
  headers.find(([own]) => own.toLowerCase() === name)?.[1]
