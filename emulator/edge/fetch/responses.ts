// The responses of the fetch API: how a host writes replies to them.

import { type EncodeFile, respond } from '../../http/respond.ts'
import { limits } from '../../../spec/limits.ts'
import type { ChunkEffect, Headers as HeaderValues, Transport } from '../../machine.ts'
import type { Responses } from '../responses.ts'
import { type BodyStream, createBodyStream } from './body-stream.ts'

/** A response that is still to come. */
export type PendingResponse = {
  readonly method: string
  /** The headers of the request. */
  readonly headers: HeaderValues
  readonly resolve: (response: Response) => void
  readonly reject: (error: unknown) => void
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  /** Called when the reader of its body cancels it. */
  onCancelled?: () => void
  /** The body of a response that does not arrive whole. */
  begun?: {
    readonly output: BodyStream
    readonly body: Uint8Array
    readonly count: number
    sent: number
  }
}

/** Statuses whose responses have no body. */
const bare = new Set([101, 103, 204, 205, 304])

/**
 * @param name the value of the response header Server.
 * @param callerAddress where the callers are.
 */
export const fetchResponses = (
  encodeFile: EncodeFile,
  name: string,
  callerAddress: string,
): Responses<PendingResponse> => ({
  write: (pending, reply, timeMs) => {
    // A response that has begun cannot become another one.
    if (pending.begun !== undefined) return breakOff(pending)
    const recipient = { method: pending.method, headers: pending.headers, takesChunks: true }
    const wire = respond(reply, recipient, timeMs, encodeFile, name)
    const { status, reason, headers, body, isLast } = wire
    if (isLast) headers.push('Connection', 'close')
    const content = bare.has(status) || pending.method === 'HEAD' ? null : contentOf(body)
    const transport = 'transport' in reply ? reply.transport : undefined
    const sent =
      content && 'stream' in reply && reply.stream
        ? beginStream(pending, content)
        : content && transport
          ? beginBroken(pending, content, transport)
          : content
    const init = { status, ...(reason !== undefined && { statusText: reason }) }
    pending.resolve(new Response(sent, { ...init, headers: pairsOf(headers) }))
  },
  writePart,
  writeChunk,
  reset: breakOff,
  drop: breakOff,
  onceClosed: (pending, closed) => {
    pending.signal.addEventListener('abort', closed, { once: true })
    pending.onCancelled = closed
  },
  callerOf: ({ headers }) => ({ address: callerAddress, headers }),
  writeControl: ({ resolve, method }, { status, type, body, headers }, more) => {
    const content = method === 'HEAD' ? null : body

    resolve(
      new Response(content, { status, headers: { 'Content-Type': type, ...headers, ...more } }),
    )
  },
})

/** Begins a response as far as its transport allows. Returns its body. */
function beginBroken(
  pending: PendingResponse,
  body: Uint8Array,
  transport: Transport,
): ReadableStream<Uint8Array> {
  const output = createBodyStream()
  const count = 'parts' in transport ? transport.parts : 1
  pending.begun = { output, body, count, sent: 0 }
  if ('parts' in transport) writePart(pending)
  else {
    // All of it would be a whole response.
    output.push(body.subarray(0, Math.min(transport.afterBytes, Math.max(0, body.length - 1))))
    output.fail(networkError())
  }
  return output.stream
}

/** Begins a stream with the first part of its body. */
function beginStream(pending: PendingResponse, body: Uint8Array): ReadableStream<Uint8Array> {
  const output = createBodyStream(() => pending.onCancelled?.())
  pending.begun = { output, body, count: 0, sent: 0 }
  output.push(body)
  pending.signal.addEventListener('abort', () => output.fail(networkError()), { once: true })
  return output.stream
}

/** Sends the next part of a stream. A reader that is too far behind loses it [v2-streams/behind]. */
function writeChunk(
  { begun, onCancelled }: PendingResponse,
  text: string,
  then: ChunkEffect['then'],
): void {
  if (begun === undefined) return
  const { output } = begun
  output.push(new TextEncoder().encode(text))
  if (then === 'end') output.end()
  else if (then !== undefined) output.fail(networkError())
  else if (output.waitingBytes() > limits.behind.value) {
    output.fail(networkError())
    onCancelled?.()
  }
}

/** Sends the next part of a response. */
function writePart({ begun }: PendingResponse): void {
  if (begun === undefined) return
  const { output, body, count } = begun
  const from = Math.floor((body.length * begun.sent) / count)
  const to = Math.floor((body.length * ++begun.sent) / count)
  output.push(body.subarray(from, to))
  if (begun.sent === count) output.end()
}

/** Breaks the connection of a response, whether or not it has begun. */
function breakOff({ begun, reject }: PendingResponse): void {
  if (begun === undefined) reject(networkError())
  else begun.output.fail(networkError())
}

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
