// A recorded session as the laws see it: exchanges with their endpoints, sockets with decoded messages, runs with all that was
// received of them.

import type { RecordedExchange, RecordedSocket, Recording } from '../../dist/emulator/internal.js'
import type { Endpoint, Place } from '../../spec/language.ts'
import type { DecodedFrame } from '../judge/decode.ts'
import type { Message } from '../judge/judge.ts'

/** A request with its response, if one came. */
export type TracedExchange = {
  readonly recorded: RecordedExchange
  /** The path without the prefix of the place or of a world, */
  readonly path: string
  /** and its query. */
  readonly query: URLSearchParams
  /** The name and the description of its endpoint; undefined if the spec has none there. */
  readonly endpoint: { readonly name: string; readonly spec: Endpoint } | undefined
  /** Values of the variable parts of the path, decoded. */
  readonly parts: readonly string[]
  /** 0 without a response. */
  readonly status: number
  /** The Content-Type of the response in lower case; empty without one. */
  readonly type: string
  /** Whether the file holds the body of the response: some tools leave bodies out. */
  readonly hasBody: boolean
  /** The body of the request and of the response as JSON; undefined if they are not. */
  readonly asked: () => any
  readonly reply: () => any
}

/** What came on a socket, at its position among all that was sent and received there. */
export type Item = {
  readonly index: number
  readonly atMs: number
  /** What it is: one of these three, */
  readonly message?: Message
  readonly frame?: DecodedFrame
  /** or why it cannot be read. */
  readonly problem?: string
}

export type TracedSocket = {
  readonly recorded: RecordedSocket
  /** The client of the socket: the name in its address, or else the one that the server sent. */
  readonly clientId: string | null
  /** The name in its address. */
  readonly named: string | null
  /** The credential of a hosted socket. */
  readonly token: string | null
  /** What the server sent. */
  readonly items: readonly Item[]
  /** When it was certainly open: when its first message came. Infinity if none did. */
  readonly openMs: number
  /** Whether its client requested previews with metadata. */
  readonly wantsMetadata: boolean
}

/** What one socket received about a run. */
export type RunMessages = {
  readonly socket: TracedSocket
  readonly items: readonly (Item & { readonly message: Message })[]
  /** Whether the socket was open before the run was submitted. */
  readonly isFromStart: boolean
  /** Whether the end of the run came. */
  readonly isOver: boolean
}

/** A history entry or a job, and the reply that contained it. */
export type Listed = { readonly exchange: TracedExchange; readonly entry: any }

export type TracedRun = {
  readonly prompt_id: string
  /** The submit that was accepted; undefined for a run that began before the recording. */
  readonly submit: TracedExchange | undefined
  /** The workflow, if the submit was recorded. */
  readonly graph: Readonly<Record<string, any>> | undefined
  /** The client that receives its messages on a local server; null for none, undefined if unknown. */
  readonly client: string | null | undefined
  readonly received: readonly RunMessages[]
  /** Its history entries, */
  readonly entries: readonly Listed[]
  /** and its states as a job, in the order of the replies. */
  readonly jobs: readonly Listed[]
}

/** A message with its socket. */
export type TypedMessage = {
  readonly socket: TracedSocket
  readonly item: Item
  readonly message: Message
}

export type Trace = {
  /** The file, for messages. */
  readonly name: string
  readonly place: Place
  readonly software: string | null
  readonly recording: Recording
  /** With the server itself, and with the host of signed links. */
  readonly exchanges: readonly TracedExchange[]
  readonly links: readonly TracedExchange[]
  readonly sockets: readonly TracedSocket[]
  readonly runs: readonly TracedRun[]
  /** The ids that several accepted submits have in common. */
  readonly sharedIds: ReadonlySet<unknown>
  /** All messages by their types, socket by socket. */
  readonly byType: ReadonlyMap<string, readonly TypedMessage[]>
}
