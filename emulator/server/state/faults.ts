// The types of faults at work: what they hold back, and what their timers trigger.

import type { FaultThen } from '../../../spec/scenario/faults.ts'
import type { ChunkEffect, Input, ReplyEffect, SentFrame, SentMessage } from '../../machine.ts'
import type { ActiveFault } from './scenario.ts'

export type OutgoingMessage = SentMessage | SentFrame
export type Handshake = Extract<Input, { kind: 'open' }>
/** A response, or the reset of its connection. */
export type Response = ReplyEffect | { readonly kind: 'reset'; readonly request: number }

/** What faults do to one request, handshake or message. */
export type Hit = {
  /** The faults that apply. */
  readonly faults: readonly ActiveFault[]
  /** What happens, apart from the delay. */
  readonly then: FaultThen
  /** How much later it happens, in milliseconds; 0 for immediately. */
  readonly delayMs: number
}

/** What faults do to a response that comes later than its request. */
export type HeldBack = Pick<Hit, 'then' | 'delayMs'>

/** What a timer of a fault triggers. */
export type FaultTimer =
  /** A fault with `atMs`, by its serial number. */
  | { readonly kind: 'time'; readonly serial: number }
  | { readonly kind: 'response'; readonly response: Response }
  /** The next part of a response, of those that are left. */
  | {
      readonly kind: 'part'
      readonly request: number
      readonly left: number
      readonly everyMs: number
    }
  | { readonly kind: 'handshake'; readonly input: Handshake; readonly then: FaultThen }
  | { readonly kind: 'message'; readonly message: OutgoingMessage; readonly then: FaultThen }
  /** An event of a stream that comes later. */
  | {
      readonly kind: 'event'
      readonly request: number
      readonly text: string
      readonly then: FaultThen
    }
  /** The end of a silence of a stream. */
  | { readonly kind: 'flow'; readonly request: number }
  | { readonly kind: 'restart'; readonly then: FaultThen }
  /** The end of the time for which the server is down. */
  | { readonly kind: 'listen' }

/** What faults hold back of a stream, until its end or that of its client. */
export type Flow = {
  /** Until when it sends nothing, in milliseconds of the world's time; infinite for a silence without an end. */
  quietUntilMs: number
  /** What follows a silence. */
  held: string
  /** What follows the next event. */
  swapped: string
  /** When the last delayed event is sent, and how many are not sent yet. */
  delayedUntilMs: number
  delayed: number
  /** How it ends once nothing is held back; null before its end. */
  end: NonNullable<ChunkEffect['then']> | null
}

/** What faults have begun and not ended. */
export type Wire = {
  /** Messages that follow the next one to their sockets. */
  swapped: OutgoingMessage[]
  /** When the last delayed message of a socket is sent, in milliseconds of the world's time. */
  readonly delayedUntilMs: Map<number, number>
  /** Requests whose responses are not complete. */
  readonly waiting: Set<number>
  /** What happens to the replies of requests that wait for a call; absent until one does. */
  held?: Map<number, HeldBack>
  /** Sockets whose handshakes are not answered yet. */
  readonly opening: Set<number>
  /** Until when sockets that are silent for a time send nothing, in milliseconds of the world's time. */
  readonly quietUntilMs: Map<number, number>
  /** By the number of the request of the stream. */
  readonly flows: Map<number, Flow>
}
