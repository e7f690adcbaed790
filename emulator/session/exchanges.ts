// A request of a recorded session with its response, as everyone reads it: its endpoint, its query, and its bodies as JSON.

import type { Endpoint, Place } from '../../spec/language.ts'
import { decodePart } from '../http/requests.ts'
import { findEndpoint, plainPath, withoutPrefix } from './endpoints.ts'
import { type ForeignJson, jsonIn } from '../lib/loose.ts'
import { headerOf, type RecordedExchange } from './recording.ts'

/** A request with its response, if one came. */
export type TracedExchange = {
  readonly recorded: RecordedExchange
  /** The path without the prefix of the place or of a world, */
  readonly path: string
  /** and in the form of scenarios, decoded and without `/api` on hosted too; */
  readonly localPath: string
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
  readonly asked: () => ForeignJson
  readonly reply: () => ForeignJson
}

/** The path of an address as it was sent: a URL resolves its dot segments. */
const pathIn = (url: string): string => /^\w+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ''

/** The value of a header of a response, in any letter case. */
export const responseHeader = ({ response }: RecordedExchange, name: string): string | undefined =>
  response === null ? undefined : headerOf(response.headers, name)

export function exchangeOf(place: Place, recorded: RecordedExchange, url: URL): TracedExchange {
  const path = plainPath(place, pathIn(recorded.url))
  const { response } = recorded
  const found = findEndpoint(place, recorded.method, path)
  const length = responseHeader(recorded, 'content-length')
  return {
    recorded,
    path,
    localPath: decodePart(withoutPrefix(path)),
    query: url.searchParams,
    endpoint: found && { name: found.name, spec: found.spec },
    parts: found?.parts ?? [],
    status: response?.status ?? 0,
    type: (responseHeader(recorded, 'content-type') ?? '').toLowerCase(),
    hasBody: (response?.body.length ?? 0) > 0 || length === '0',
    asked: once(() => jsonIn(recorded.body)),
    reply: once(() => jsonIn(response?.body ?? '')),
  }
}

/** Reads a value when it is first needed. */
function once(read: () => ForeignJson): () => ForeignJson {
  let known: { readonly value: unknown } | undefined
  return () => (known ??= { value: read() }).value
}
