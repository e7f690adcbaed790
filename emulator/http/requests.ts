// Requests: their targets, query parameters and bodies.

import { type Json, readJson } from '../lib/json.ts'
import type { Headers, IncomingRequest } from '../machine.ts'

/** A request on its way to a handler. */
export type Request = {
  readonly method: string
  readonly path: string
  readonly query: string
  /** The first path parameter, decoded; empty without any. */
  readonly segment: string
  /** All path parameters in order, decoded. */
  readonly segments: readonly string[]
  readonly headers: Headers
  readonly body: Uint8Array
}

/** The request with the parameters of its path; everything else is passed in ready. */
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

/** Percent-decoding that keeps malformed escapes. */
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

/** The same, but an empty value counts as absent [http/hosted-empty-parameter]. */
export const filledParameter = (query: string, name: string): string | undefined =>
  parameter(query, name) || undefined

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A query parameter as a whole number in decimal digits; undefined if it is malformed or out of range. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

/**
 * The body as text in the charset of its content type, whose media type does not matter. Throws TypeError if the bytes
 * are invalid in it, and RangeError for an unknown charset.
 */
export function bodyText({ body, headers }: Pick<Request, 'body' | 'headers'>): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  return decodeText(body, charset?.toLowerCase() || 'utf-8')
}

/** The body as JSON, or undefined if it is not valid JSON. */
export function bodyJson(request: Pick<Request, 'body' | 'headers'>): Json | undefined {
  try {
    return readJson(bodyText(request))
  } catch {
    return undefined
  }
}

function decodeText(bytes: Uint8Array, charset: string): string {
  if (/^utf[-_]?8$/.test(charset)) return decoder.decode(bytes)
  // TextDecoder uses the charset names of browsers, in which these two have another meaning.
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

/** A target in which `replace` has changed the tokens in the query, however their name is spelled. */
export function replaceToken(target: string, replace: (token: string) => string): string {
  const [path, query] = splitTarget(target)
  if (path === target) return target
  const shown = query.split('&').map((pair) => {
    const token = parameter(pair, 'token')
    return token === undefined ? pair : `token=${replace(token)}`
  })
  return `${path}?${shown.join('&')}`
}
