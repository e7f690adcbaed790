// What a replay knows of a recording before it starts: which requests are equal, what caused each message, and which moments
// of a run change the answers to polls.

import type { RunState } from '../../journal/run-states.ts'
import type { RecordedExchange, RecordedResponse } from '../../session/recording.ts'
import type { AnyMembers, CanonicalRequest } from './canonical.ts'

/** A recorded request with a response. */
export type ScriptExchange = Pick<RecordedExchange, 'entry' | 'startMs' | 'endMs' | 'body'> & {
  readonly request: CanonicalRequest
  readonly key: string
  readonly response: RecordedResponse
  /** The name of its endpoint; undefined if the spec has none there. */
  readonly endpoint: string | undefined
  /** The id of the run that it submitted. */
  readonly run: string | null
  /** The id of the client that it names. */
  readonly client: string | null
  readonly contentType: string
  /** Whether its path has the prefix that hosted servers require. */
  readonly isPrefixed: boolean
  /** Whether the recording does not hold the body of the response. */
  readonly lacksBody: boolean
}

/**
 * What a message waits for: a request that is not a GET, its own socket, or a message of the client, which can have come
 * through an earlier socket.
 */
export type Cause =
  | { readonly by: 'request'; readonly exchange: number }
  | { readonly by: 'open'; readonly socket: number }
  | { readonly by: 'message'; readonly socket: number; readonly message: number }

/** A message that the server sent, or the close of a socket. */
export type ScriptMessage = {
  readonly socket: number
  readonly cause: Cause
  /** The time from its cause, in milliseconds. */
  readonly offsetMs: number
  readonly data: string | Uint8Array | { readonly close: number }
  /** The run that it is about; null for what concerns no run. */
  readonly run: string | null
}

/** A moment that changes the state of the server: a request that is not a GET, or the start or end of a run. */
export type Moment = {
  readonly exchange: number
  readonly offsetMs: number
  readonly run: string | null
  readonly state: RunState | 'requested'
  /** Whether only a reply shows it: it came before that, at a time that nobody recorded. */
  readonly isLate: boolean
}

export type ScriptSocket = {
  /** The id that its client had: the one in its address, else the `sid` that the server sent. */
  readonly client: string | null
  /** Whether its client chose that id. */
  readonly namesClient: boolean
  /** The types of the messages that its client sent; null for what has none. */
  readonly sent: readonly (string | null)[]
  readonly openMs: number
  /** The first of the sockets that its client had one after the other: each opened after the one before had closed. */
  readonly line: number
}

export type Script = {
  readonly place: 'local' | 'hosted' | 'gateway'
  readonly software: string | null
  readonly exchanges: readonly ScriptExchange[]
  /** The equal requests by key, and the submits by their workflow alone; in the order of the recording. */
  readonly byKey: ReadonlyMap<string, readonly number[]>
  /** The requests whose bodies the recording lacks, by all but their bodies. */
  readonly byTarget: ReadonlyMap<string, readonly number[]>
  readonly byWorkflow: ReadonlyMap<string, readonly number[]>
  readonly sockets: readonly ScriptSocket[]
  /** What need not be as it was recorded. */
  readonly any: AnyMembers
  readonly messages: readonly ScriptMessage[]
  /** The messages by what they wait for, in order. */
  readonly byCause: ReadonlyMap<string, readonly number[]>
  /** In the order of the recording. */
  readonly moments: readonly Moment[]
  /** The positions of moments: those with an exact time, those of requests without a run, and those of each run. */
  readonly momentsOf: {
    readonly all: readonly number[]
    readonly others: readonly number[]
    readonly runs: ReadonlyMap<string, readonly number[]>
  }
  /** The positions of the starts and ends of runs that a request caused. */
  readonly momentsAfter: ReadonlyMap<number, readonly number[]>
  /** How many moments precede the response of each exchange. */
  readonly momentsBefore: readonly number[]
  /** The times at which answers to polls change, from the request before them; by that request. */
  readonly answersAfter: ReadonlyMap<number, readonly number[]>
  /** The submits by the ids of their runs. */
  readonly submits: ReadonlyMap<string, number>
  /** The text of the history entry of each run that the recording holds. */
  readonly historyEntries: ReadonlyMap<string, string>
  /** The addresses of the server, and of the hosts to which it redirects. */
  readonly origins: ReadonlySet<string>
  readonly startMs: number
}

/** The key of a cause in `byCause`. */
export const causeKey = (cause: Cause): string => Object.values(cause).join(' ')
