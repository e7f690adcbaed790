// What the target and the body of a request say.

import { type Json, readJson } from '../lib/json.ts'
import type { Headers, IncomingRequest } from '../machine.ts'

/** A request on its way to a handler. */
export type Request = {
  readonly method: string
  readonly path: string
  readonly query: string
  /** The first variable part of the path, decoded, else empty. */
  readonly segment: string
  /** All variable parts of the path in their order, decoded. */
  readonly segments: readonly string[]
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The request at the end of its path: what of it does not depend on its variable parts comes as it is. */
export const requestAt = (
  { method, headers, body }: IncomingRequest,
  path: string,
  query: string,
  segments: readonly string[],
): Request => ({ method, path, query, segment: segments[0] ?? '', segments, headers, body })

/** The path and the query of a request line; the query is empty if absent. */
export function splitTarget(target: string): [path: string, query: string] {
  const cut = target.indexOf('?')
  return cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut + 1)]
}

/** Percent-decoding that leaves what is malformed as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The first value of a query parameter, or undefined. */
export function parameter(query: string, name: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get(name) ?? undefined)
}

/** The same, where an empty one counts as none [http/hosted-empty-parameter]. */
export const filledParameter = (query: string, name: string): string | undefined =>
  parameter(query, name) || undefined

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A whole number of a query parameter, in decimal digits; undefined when it is none or out of its range. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

/**
 * The body as text in the charset of its content type, whose media type does not matter.
 * Throws TypeError for bytes that are no text in it, and RangeError for an unknown charset.
 */
export function bodyText({ body, headers }: Pick<Request, 'body' | 'headers'>): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return decodeText(body, charset?.toLowerCase() || 'utf-8')
}

/** The body as JSON, or undefined when it is none. */
export function bodyJson(request: Pick<Request, 'body' | 'headers'>): Json | undefined {
  try {
    return readJson(bodyText(request))
  } catch {
    return undefined
  }
}

function decodeText(bytes: Uint8Array, charset: string): string {
  if (/^utf[-_]?8$/.test(charset)) return decoder.decode(bytes)
  // These two mean something else in a browser's list of charsets, which TextDecoder goes by.
  if (/^(us-)?ascii$/.test(charset) && bytes.some((byte) => byte > 127))
    throw new TypeError('no ASCII')
  if (/^(latin-?1|iso-?8859-1)$/.test(charset)) {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    }
    return text
  }
  return new TextDecoder(charset, { fatal: true }).decode(bytes)
}

/** A target in which `replace` has changed the query's tokens, however their name is spelled. */
export function replaceToken(target: string, replace: (token: string) => string): string {
  const [path, query] = splitTarget(target)
  if (path === target) return target
  const shown = query.split('&').map((pair) => {
    const token = parameter(pair, 'token')
    return token === undefined ? pair : `token=${replace(token)}`
  })
  return `${path}?${shown.join('&')}`
}
