// The answered requests of recordings, as far as learning reads them.

import { decodePart, splitTarget } from '../../http/requests.ts'
import { headerOf, type RecordedExchange, type Recording, targetOf } from '../recording.ts'
import { jsonOf, type Members, membersOf } from './values.ts'

/** An answered request. Values of bodies are read when they are needed. */
export type Answered = {
  readonly method: string
  /** Decoded, without `/api`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly url: string
  readonly status: number
  readonly startMs: number
  readonly endMs: number
  readonly body: Uint8Array
  readonly sent: () => Members
  readonly received: () => unknown
  readonly header: (name: string) => string | undefined
  readonly sentHeader: (name: string) => string | undefined
}

/** The answered requests of a recording, in order, except those with a body that is not whole. */
export const answeredIn = ({ exchanges }: Recording): readonly Answered[] =>
  exchanges.flatMap((exchange) =>
    exchange.response === null || exchange.cut !== undefined ? [] : answeredOf(exchange),
  )

/** A request as learning reads it; one without a response has status 0. */
export function answeredOf({
  method,
  url,
  headers,
  body,
  startMs,
  endMs,
  response,
}: RecordedExchange): Answered {
  const { status = 0, headers: received = [], body: bytes = new Uint8Array() } = response ?? {}
  const [path, query] = splitTarget(targetOf(url))
  return {
    method,
    path: decodePart(path).replace(/^\/api(?=\/)/, ''),
    query: new URLSearchParams(query),
    url,
    status,
    startMs,
    endMs,
    body: bytes,
    sent: () => membersOf(jsonOf(body)),
    received: () => jsonOf(bytes),
    header: (name: string) => headerOf(received, name),
    sentHeader: (name: string) => headerOf(headers, name),
  } satisfies Answered
}
