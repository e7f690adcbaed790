// The responses of the fetch API: how a host writes replies to them.

import { type EncodeFile, respond } from '../../http/respond.ts'
import type { Headers as HeaderValues } from '../../machine.ts'
import type { Responses } from '../host.ts'

/** A response that is still to come. */
export type PendingResponse = {
  readonly method: string
  /** The headers of the request that the protocol uses. */
  readonly headers: HeaderValues
  /** All headers of the request by lower-case name, for the guard of the control paths. */
  readonly allHeaders: HeaderValues
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

/** Statuses whose responses have no body. */
const bare = new Set([101, 103, 204, 205, 304])

/** `name` is the value of the response header Server. */
export const fetchResponses = (
  encodeFile: EncodeFile,
  name: string,
): Responses<PendingResponse> => ({
  write: ({ method, headers: asked, resolve }, reply, timeMs) => {
    const recipient = { method, headers: asked, takesChunks: true }
    const { status, reason, headers, body, isLast } = respond(
      reply,
      recipient,
      timeMs,
      encodeFile,
      name,
    )
    if (isLast) headers.push('Connection', 'close')
    const content = bare.has(status) || method === 'HEAD' ? null : contentOf(body)
    const init = { status, ...(reason !== undefined && { statusText: reason }) }
    resolve(new Response(content, { ...init, headers: pairsOf(headers) }))
  },
  drop: ({ reject }) => reject(networkError()),
  onceClosed: ({ signal }, closed) => signal.addEventListener('abort', closed, { once: true }),
  // The client is in this process.
  callerOf: ({ allHeaders }) => ({ address: '127.0.0.1', headers: allHeaders }),
  writeControl: ({ resolve }, { status, type, text }, headers) => {
    resolve(new Response(text, { status, headers: { 'Content-Type': type, ...headers } }))
  },
})

/** The error of a fetch whose connection breaks. */
const networkError = (): TypeError => new TypeError('Failed to fetch')

/** A body as bytes: a text would make the response claim a content type. */
const contentOf = (body: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? new TextEncoder().encode(body) : (body as Uint8Array<ArrayBuffer>)

/** Alternating names and values as pairs. */
const pairsOf = (headers: readonly string[]): [string, string][] =>
  headers.flatMap((name, at): [string, string][] =>
    at % 2 === 1 ? [] : [[name, headers[at + 1] as string]],
  )
