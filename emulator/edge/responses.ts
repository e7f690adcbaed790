// The requests that wait for their replies, and how an edge writes its responses.

import type { Reply } from '../http/replies.ts'
import type { ChunkEffect, Effect, ReplyEffect } from '../machine.ts'
import type { ControlReply } from './control.ts'
import type { Caller } from './control-access.ts'

/** How an edge writes its responses, which are of type R. */
export type Responses<R> = {
  /** Writes a reply, unless the client has disconnected. `timeMs` is the machine's time since 1970. */
  readonly write: (response: R, reply: Reply | ReplyEffect, timeMs: number) => void
  /** Writes the next part of a response with `parts`. */
  readonly writePart: (response: R) => void
  /** Writes the next part of a stream. The stream of a client that is too far behind ends. */
  readonly writeChunk: (response: R, text: string, then: ChunkEffect['then']) => void
  /** Resets the connection of a response, whether or not it has begun. */
  readonly reset: (response: R) => void
  /** Ends a response without a reply. */
  readonly drop: (response: R) => void
  /** Calls back when the response is finished, or its client has disconnected. */
  readonly onceClosed: (response: R, closed: () => void) => void
  /** Who made the request. */
  readonly callerOf: (response: R) => Caller
  /** Writes the response to a control request, with additional headers. */
  readonly writeControl: (
    response: R,
    reply: ControlReply,
    headers: Readonly<Record<string, string>>,
  ) => void
}

/** What a fault does to the connection of a request. */
export type FaultEffect = Extract<Effect, { kind: 'part' | 'reset' }>

export type WaitingRequests<R> = {
  /** Applies a request, which waits from then on unless that answers it, and until its client disconnects. */
  readonly during: (request: number, response: R, apply: () => void) => void
  /** Writes a reply to its request, if that still waits. */
  readonly reply: (effect: ReplyEffect) => void
  /** Writes the next part of a stream, if its client is still there. */
  readonly chunk: (effect: ChunkEffect) => void
  /** Writes the next part of a response, or resets its connection. */
  readonly disturb: (effect: FaultEffect) => void
  /** Ends all requests: those whose responses have begun without a reply, the others with this one. */
  readonly end: (reply: Reply) => void
  readonly count: () => number
}

/**
 * @param write writes a reply to a response.
 * @param leave reports that the client of a stream has disconnected.
 */
export function createWaiting<R>(
  responses: Responses<R>,
  write: (response: R, reply: Reply | ReplyEffect) => void,
  leave: (request: number) => void,
): WaitingRequests<R> {
  const waiting = new Map<number, R>()
  /** The request that is being applied: most are answered meanwhile, and need no place among those that wait. */
  let current: { readonly request: number; readonly response: R } | undefined
  /** The requests whose responses are sent in parts. */
  const begun = new Set<number>()
  /** Those of them that are streams. */
  const streams = new Set<number>()
  const find = (request: number): R | undefined =>
    current?.request === request ? current.response : waiting.get(request)
  const forget = (request: number): boolean => {
    if (current?.request !== request) return waiting.delete(request)
    current = undefined
    return true
  }
  /** Lets the current request wait with the others. */
  const letWait = (): void => {
    if (current === undefined) return
    const { request, response } = current
    waiting.set(request, response)
    current = undefined
    responses.onceClosed(response, () => {
      if (waiting.delete(request) && streams.delete(request)) leave(request)
    })
  }
  return {
    during: (request, response, apply) => {
      letWait()
      current = { request, response }
      apply()
      letWait()
    },
    reply: (effect) => {
      const { request, transport, stream } = effect
      const response = find(request)
      if (stream) {
        if (response === undefined) leave(request)
        else streams.add(request)
      }
      // A response in parts goes on.
      if (stream || (transport !== undefined && 'parts' in transport)) begun.add(request)
      else forget(request)
      if (response !== undefined) write(response, effect)
    },
    chunk: ({ request, text, then }) => {
      const response = find(request)
      if (response === undefined) return
      if (then !== undefined) {
        streams.delete(request)
        forget(request)
      }
      responses.writeChunk(response, text, then)
    },
    disturb: ({ kind, request }) => {
      const response = find(request)
      if (response === undefined) return
      if (kind === 'part') return responses.writePart(response)
      forget(request)
      streams.delete(request)
      responses.reset(response)
    },
    end: (reply) => {
      letWait()
      for (const [request, response] of waiting) {
        if (begun.has(request)) responses.drop(response)
        else write(response, reply)
      }
      waiting.clear()
      begun.clear()
      streams.clear()
    },
    count: () => waiting.size + (current === undefined ? 0 : 1),
  }
}
