// Defines machines, and the inputs and effects of the server: plain data, the same behind every edge.

import type { keyHeader } from '../spec/server/access.ts'
import type { ScriptChange } from '../spec/scenario/scenario.ts'
import type { Picture, MediaFile, PictureFormat, Preview } from './pictures/picture.ts'

/** An input of a machine with its effects. */
export type Entry<I = Input, E = Effect> = { readonly input: I; readonly effects: readonly E[] }

/**
 * A machine as drivers, recorders and replays see it. Its state is plain data that only its step function changes:
 * synchronous and deterministic.
 */
export type Machine<I, E> = {
  /** Start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** Its time, in milliseconds since its start. */
  readonly nowMs: () => number
  /** Applies an input and returns the effects in order. First fires the timers that are due before the input. */
  readonly step: (input: I) => readonly E[]
  /** The input for a request, whose number the edge has chosen. */
  readonly request: (atMs: number, request: number, arrived: IncomingRequest) => I
  /** The input for time that passes. */
  readonly wake: (atMs: number) => I
  /** The input for a client that leaves the stream of a request; absent without streams. */
  readonly leave?: (atMs: number, request: number) => I
  /** The input for a change of its whole state. */
  readonly changeWorld: (atMs: number, change: WorldChange) => I
  /** When its next timer is due; undefined if it waits for an input. */
  readonly nextWakeMs: () => number | undefined
  /**
   * Whether the next timer times out external work. The clock never jumps to such a time: external work runs in
   * real time, and would always be late.
   */
  readonly isWaitingForOthers: () => boolean
  /** Whether timers that an input makes due immediately fire in the same turn, after its effects have been emitted. */
  readonly isEager: boolean
  /** The approximate size of an entry, in bytes. Texts count by their characters. */
  readonly entryBytes: (entry: Entry<I, E>) => number
  /** The secrets in its options. */
  readonly ownSecrets: () => readonly string[]
  /** The secrets that an input contains, which no journal contains from then on. */
  readonly newSecrets: (input: I) => readonly string[]
  /** What an effect says about a request; undefined if nothing. */
  readonly answerOf: (effect: E) => Answer | undefined
  /** A short name for an effect, such as `message progress`, for counting. */
  readonly nameOf: (effect: E) => string
}

/** The number of a request, or that of the socket whose handshake it is. */
export type Answered = { readonly request: number } | { readonly socket: number }

/** What an effect says about a request: the run that it started, and at the end the status of the reply. */
export type Answer = Answered & {
  readonly status?: number | undefined
  readonly run?: string | undefined
}

/** The reply to a request. */
export type ReplyEffect = {
  readonly kind: 'reply'
  readonly request: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  readonly reason?: string
  /** The body is a file: the edge handles conditional and range requests. */
  readonly file?: FileFacts
  /** What a fault does to the response on its way; absent without one. */
  readonly transport?: Transport
  /** The body goes on with `chunk` effects, until one of them ends it. */
  readonly stream?: true
}

/** The next part of a stream. `then` ends it: whole, cut off without its end, or with a reset connection. */
export type ChunkEffect = {
  readonly kind: 'chunk'
  readonly request: number
  /** ASCII. */
  readonly text: string
  readonly then?: 'end' | 'cut' | 'reset'
}

/**
 * A response that does not arrive whole, or not immediately. With `parts`, the head and the first of so many equal parts
 * of the body are sent now, each other one with a `part` effect. Otherwise the connection ends or is reset after so many
 * bytes of the body, at the latest before its last one.
 */
export type Transport =
  | { readonly parts: number; readonly everyMs: number }
  | { readonly afterBytes: number; readonly then: 'end' | 'reset' }

/** Request headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** What stands before the body of a request: all that access and the choice of an endpoint depend on. */
export type RequestHead = {
  readonly method: string
  /** Path and query, as they stand in the request line. */
  readonly target: string
  readonly headers: Headers
}

/** Why a body is missing. */
export type BodyFault = 'tooLarge' | 'unreadable' | 'full'

/** A request as it comes in. */
export type IncomingRequest = RequestHead & {
  readonly body: Uint8Array
  /** The body as it came with its content coding, where the edge keeps both. */
  readonly packed?: Uint8Array | undefined
  /** Why the body is missing: it exceeds the limit, is incomplete or in a broken encoding, or memory is short. */
  readonly fault?: BodyFault | undefined
  /** The bound of unfinished requests that its body met, so that it is missing. */
  readonly bound?: 'unfinished-bodies' | 'slow-body' | undefined
  /** The address of the client, where that is of interest; of a request that was forwarded, the proxy's. */
  readonly address?: string | undefined
  /** Whether it came to the host of the signed links. */
  readonly links?: true | undefined
  /** When it came by the wall clock, in milliseconds since 1970, where that may differ from the time of the machine. */
  readonly wallMs?: number | undefined
}

/**
 * A change of a machine's whole state. A reset returns to the start, or with `keepsTime` to a start at the present time.
 * A snapshot keeps the state under a name, and a restore returns to it. A fork is the first input of a new machine with
 * the state of another. Except for a snapshot, all of them end the open sockets and the requests that wait.
 */
export type WorldChange =
  | { readonly do: 'reset'; readonly keepsTime?: true | undefined }
  | { readonly do: 'snapshot' | 'restore'; readonly name: string }
  | { readonly do: 'fork' }

/** How a socket ends: closed with a code, reset, or silent: it stays, but nothing flows. */
export type SocketEnd = { readonly close: number } | 'reset' | 'silence'

/** An input of a world. `atMs` is the world's time in milliseconds since its start. */
export type Input =
  | (IncomingRequest & {
      readonly kind: 'request'
      readonly atMs: number
      /** Chosen by the edge; the reply carries it back. */
      readonly request: number
    })
  | {
      readonly kind: 'open'
      readonly atMs: number
      /** Chosen by the edge, never reused. */
      readonly socket: number
      /** Path and query; the edge accepts handshakes only where sockets open (see routes.ts). */
      readonly target: string
      readonly headers: Headers
      /** What is wrong with the handshake: the refusal, and the value that it names. */
      readonly fault?: {
        readonly refusal: 'socketWithoutUpgrade' | 'socketVersion' | 'socketKey'
        readonly value: string
      }
    }
  | {
      readonly kind: 'message'
      readonly atMs: number
      readonly socket: number
      readonly text: string
    }
  | { readonly kind: 'close'; readonly atMs: number; readonly socket: number }
  /** The client of a stream has disconnected. */
  | { readonly kind: 'leave'; readonly atMs: number; readonly request: number }
  /** The whole state of the server changes (see WorldChange). */
  | ({ readonly kind: 'world'; readonly atMs: number } & WorldChange)
  /** The server ends all open sockets. */
  | { readonly kind: 'drop'; readonly atMs: number; readonly how: SocketEnd }
  /** The script of the server changes. */
  | { readonly kind: 'script'; readonly atMs: number; readonly change: ScriptChange }
  /** Memory is short: the oldest part of what has ended goes, from 0 to 1, and that of its journal. */
  | { readonly kind: 'trim'; readonly atMs: number; readonly part: number }
  /** Time passes: fires all timers that are due until `atMs`. */
  | { readonly kind: 'wake'; readonly atMs: number }

/** A body: text, bytes, or a picture that the edge encodes. */
export type Body = string | Uint8Array | MediaFile

/** What is known about a file without its bytes. */
export type FileFacts = {
  /** When it was modified, in milliseconds since 1970. */
  readonly modifiedMs: number
  /** The part of its entity tag that does not depend on its size. */
  readonly tag: string
}

/** A binary frame before it is encoded: the fields of its layout in spec/server/frames.ts by name. */
export type FrameContent =
  | {
      readonly frame: 'previewImage'
      readonly format: PictureFormat
      readonly image: Preview | Picture
    }
  | { readonly frame: 'text'; readonly node_id: string; readonly text: string }
  | {
      readonly frame: 'previewWithMetadata'
      readonly format: PictureFormat
      readonly image: Preview | Picture
      readonly metadata: Readonly<Record<string, string | null>>
    }
  /** A frame of the scenario: its event, and what follows. */
  | { readonly frame: 'scripted'; readonly event: number; readonly bytes: Uint8Array }
  /** The bytes of a frame that was recorded or passes through, and the progress message of its step where that is known. */
  | { readonly frame: 'recorded'; readonly bytes: Uint8Array; readonly progress?: string }

/** A message to sockets. With `cutBytes`, only so many bytes of its WebSocket frame are sent; an `end` effect follows. */
export type SentMessage = {
  readonly kind: 'send'
  readonly sockets: readonly number[]
  readonly text: string
  readonly cutBytes?: number
}

/** A binary message to sockets. With `shortBytes`, only so many bytes of its payload are sent. */
export type SentFrame = {
  readonly kind: 'frame'
  readonly sockets: readonly number[]
  readonly content: FrameContent
  readonly cutBytes?: number
  readonly shortBytes?: number
}

/** An effect of a world. The edge emits the effects of a step in order. */
export type Effect =
  | ReplyEffect
  /** The handshake of the socket succeeds; this precedes everything sent to the socket. */
  | { readonly kind: 'accept'; readonly socket: number }
  /** The handshake of the socket gets a reply like a request instead. */
  | {
      readonly kind: 'refuse'
      readonly socket: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: Body
    }
  | SentMessage
  | SentFrame
  /** These sockets end, accepted or not. */
  | { readonly kind: 'end'; readonly sockets: readonly number[]; readonly how: SocketEnd }
  /** The next part of a response with `parts`. */
  | { readonly kind: 'part'; readonly request: number }
  | ChunkEffect
  /** The connection of a request is reset, whether or not its response has begun. */
  | { readonly kind: 'reset'; readonly request: number }
  /** A fault applies. Nothing is sent: what follows shows its effect. */
  | { readonly kind: 'fault'; readonly id: string }
  /**
   * The scenario replies to a request, by an answer, or since a node rule names it. `replaces` is the endpoint that an
   * answer replaces, the first time that it does. Nothing is sent: observers of the world use it.
   */
  | {
      readonly kind: 'answered'
      readonly request: number
      readonly by: 'answer' | 'wait'
      readonly replaces?: string
    }
  /** The server has restarted: its connections have been reset. It is down until it listens again, if it says for how long. */
  | { readonly kind: 'restart'; readonly downMs?: number }
  | { readonly kind: 'listen' }
  /** The server has exited for good, like one that restarts. */
  | { readonly kind: 'exit'; readonly code: number }
  /** A client sent a credential to a signed link, which needs none; `where` is the header that carried it. */
  | {
      readonly kind: 'leak'
      readonly request: number
      readonly where: typeof keyHeader | 'Authorization' | 'address'
    }
  /** A fault keeps this message from its sockets. Nothing is sent: observers of the world use it. */
  | { readonly kind: 'lost'; readonly message: SentMessage | SentFrame }
  /** A node of a run begins, is served from the cache, or ends. Nothing is sent: observers of the world use it. */
  | {
      readonly kind: 'node'
      readonly prompt_id: string
      readonly node_id: string
      readonly state: 'started' | 'cached' | 'success' | 'error' | 'interrupted'
      /** Why it failed: the type of the exception and its message. */
      readonly error?: string
    }
  /** A run begins or ends. Nothing is sent: observers of the world use it. */
  | {
      readonly kind: 'run'
      readonly prompt_id: string
      readonly state: 'started' | 'success' | 'error' | 'interrupted'
    }
