// What a machine is, and what goes into the server and comes out of it: plain data, the same behind every edge.

import type { keyHeader } from '../spec/server/access.ts'
import type { Picture, PictureFile, PictureFormat, Preview } from './pictures/picture.ts'

/** An input of a machine with the effects that it had. */
export type Entry<I = Input, E = Effect> = { readonly input: I; readonly effects: readonly E[] }

/**
 * A machine as everything sees it that drives, records or replays one. Behind it is a state of plain data that only its
 * step changes: synchronous and deterministic.
 */
export type Machine<I, E> = {
  /** Start of its time, in milliseconds since 1970. */
  readonly epochMs: number
  /** Its time, in milliseconds since its start. */
  readonly nowMs: () => number
  /** Applies an input and returns the effects in their order. Whatever is due before the input happens first. */
  readonly step: (input: I) => readonly E[]
  /** The input of time that passes. */
  readonly wake: (atMs: number) => I
  /** When it does something by itself next; undefined when it waits for an input. */
  readonly nextWakeMs: () => number | undefined
  /**
   * Whether what it does next is to give up work that others do for it. Such a time is never jumped to: they work in
   * real time, and would always be late.
   */
  readonly isWaitingForOthers: () => boolean
  /** Whether what an input makes due at once is done in the same turn, after its effects have been emitted. */
  readonly isEager: boolean
  /** About how many bytes an entry holds. Texts count by their characters. */
  readonly entryBytes: (entry: Entry<I, E>) => number
  /** Secrets that an input brings, which no journal shows from then on. */
  readonly newSecrets: (input: I) => readonly string[]
  /** One or two words for what an effect is, such as `message progress`, for those who count them. */
  readonly nameOf: (effect: E) => string
}

/** The answer to a request. */
export type ReplyEffect = {
  readonly kind: 'reply'
  readonly request: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  readonly reason?: string
  /** The body is a file: the edge answers conditional requests and those for a part of it. */
  readonly file?: FileFacts
}

/** Request headers by lower-case name; only those that the protocol looks at reach the machine. */
export type Headers = Readonly<Record<string, string>>

/** Something that happens to a world. `atMs` is the world's time in milliseconds since its start. */
export type Input =
  | {
      readonly kind: 'request'
      readonly atMs: number
      /** Set where it came to the host of the signed links. */
      readonly links?: true | undefined
      /** Chosen by the edge; the reply carries it back. */
      readonly request: number
      readonly method: string
      /** Path and query as they stand in the request line. */
      readonly target: string
      readonly headers: Headers
      readonly body: Uint8Array
      /** Why the body is not here: it is above the limit, or its encoding is broken. */
      readonly fault?: 'tooLarge' | 'unreadable' | undefined
    }
  | {
      readonly kind: 'open'
      readonly atMs: number
      /** Chosen by the edge, never used twice. */
      readonly socket: number
      /** Path and query; the edge lets handshakes in only where sockets open (see routes.ts). */
      readonly target: string
      readonly headers: Headers
      /** What the edge found wrong with the handshake: the refusal, and the value that it names. */
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
  /** Time passes. Whatever is due until `atMs` happens. */
  | { readonly kind: 'wake'; readonly atMs: number }

/** A body: text, bytes, or a picture that the edge encodes. */
export type Body = string | Uint8Array | PictureFile

/** What is known of a file before its bytes are. */
export type FileFacts = {
  /** When it was modified, in milliseconds since 1970. */
  readonly modifiedMs: number
  /** What of its entity tag does not depend on its size. */
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

/** Something that a world does. The edge carries the effects of a step out in their order. */
export type Effect =
  | ReplyEffect
  /** The handshake of the socket succeeds; it precedes all that is sent to the socket. */
  | { readonly kind: 'accept'; readonly socket: number }
  /** The handshake of the socket is answered like a request instead. */
  | {
      readonly kind: 'refuse'
      readonly socket: number
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: Body
    }
  | { readonly kind: 'send'; readonly sockets: readonly number[]; readonly text: string }
  | { readonly kind: 'frame'; readonly sockets: readonly number[]; readonly content: FrameContent }
  /** A client has sent a credential along with a signed link, which needs none; `where` is the header that carried it. */
  | {
      readonly kind: 'leak'
      readonly request: number
      readonly where: typeof keyHeader | 'Authorization' | 'address'
    }
  /** A run begins or ends. Nothing is sent for it: it tells those who watch the world. */
  | {
      readonly kind: 'run'
      readonly prompt_id: string
      readonly state: 'started' | 'success' | 'error' | 'interrupted'
    }
