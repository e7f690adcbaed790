// The form of a request in which a replay compares: without what changes from session to session, with the values of the
// recording in place of present ones.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { getMultipartBoundary, parseMultipart } from '@remix-run/multipart-parser'
import { secretKeys } from '../../../spec/server/access.ts'
import { isFloat, isObject, type Json, readJson } from '../../lib/json.ts'
import { decodePart, splitTarget } from '../../http/requests.ts'
import { withoutPrefix } from '../../session/endpoints.ts'
import type { Replacement } from '../identities.ts'

/** A request without what changes from session to session. Objects have their members in order. */
export type CanonicalRequest = {
  readonly method: string
  readonly path: string
  /** Pairs of names and values, in order. */
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly body: unknown
}

/** What need not be as it was: names of members and parameters, such as `seed`, or with the type or id of a node, `KSampler.seed`. */
export type AnyMembers = ReadonlySet<string>

type AnyRequest = {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly contentType: string
  readonly body: Uint8Array
}

/** Parameters without a meaning for the answer: credentials, who asks, and what keeps caches away. */
const ignoredParameters: ReadonlySet<string> = new Set(['token', 'rand', 'clientId'])

/** Members that say who asks, and those of a submit that each client chooses; credentials anywhere. */
const clientMembers: ReadonlySet<string> = new Set(['client_id', 'clientId'])
const submitMembers: ReadonlySet<string> = new Set([...clientMembers, 'prompt_id'])
const secretMembers: ReadonlySet<string> = new Set(secretKeys)

/** @param replacement the values of the recording for present ones. */
export function canonicalRequest(
  { method, target, contentType, body }: AnyRequest,
  replacement: Replacement,
  any: AnyMembers,
): CanonicalRequest {
  const [whole, query] = splitTarget(target)
  const valueOf = (text: string): string => replacement.get(text) ?? text
  const parts = withoutPrefix(whole)
    .split('/')
    .map((part) => valueOf(decodePart(part)))
  const path = parts.join('/')
  const parameters = Array.from(
    new URLSearchParams(query),
    ([name, value]) => [name, valueOf(value)] as const,
  )
  return {
    method: method === 'HEAD' ? 'GET' : method,
    path,
    query: parameters
      .filter(([name]) => !ignoredParameters.has(name) && !any.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
    body: bodyOf(body, contentType, {
      valueOf,
      ignored: path === '/prompt' ? submitMembers : clientMembers,
      any,
    }),
  }
}

/** Whether a path has the prefix that local servers accept and hosted ones require. */
export const isPrefixed = (target: string): boolean => target.startsWith('/api/')

/** Equal requests have equal keys. */
export const keyOf = (request: CanonicalRequest): string => JSON.stringify(request)

/** The key of a submit by its workflow alone; undefined for other requests. */
export function workflowKey({ method, path, body }: CanonicalRequest): string | undefined {
  if (method !== 'POST' || path !== '/prompt') return undefined
  return typeof body === 'object' && body !== null && 'prompt' in body
    ? JSON.stringify(body.prompt)
    : undefined
}

/** The key of a request by all but its body. */
export const targetKey = (request: CanonicalRequest): string =>
  keyOf({ ...request, body: undefined })

const noMembers: ReadonlySet<string> = new Set()

/** How a body is read: with the values of the recording, and without some members of the whole and of any part. */
type Reading = {
  readonly valueOf: (text: string) => string
  readonly ignored: ReadonlySet<string>
  readonly any: AnyMembers
}

function bodyOf(bytes: Uint8Array, contentType: string, reading: Reading): unknown {
  if (bytes.length === 0) return null
  const fields = fieldsOf(bytes, contentType, reading)
  if (fields !== undefined) return fields
  const text = textOf(bytes)
  if (text === undefined) return { sha256: bytesToHex(sha256(bytes)) }
  try {
    return plain(readJson(text), reading, [])
  } catch {
    return text
  }
}

/** The fields of a form: texts, and files by their bytes, as a client chooses their names; undefined for another body. */
function fieldsOf(bytes: Uint8Array, contentType: string, { valueOf, any }: Reading): unknown {
  const boundary = /^multipart\//i.test(contentType) ? getMultipartBoundary(contentType) : null
  if (boundary === null) return undefined
  const maxSize = bytes.length + 1
  try {
    const limits = { maxFileSize: maxSize, maxTotalSize: maxSize }
    const parts = Array.from(parseMultipart(bytes, { boundary, ...limits }), (part) => {
      const isFile = part.filename !== undefined
      const text = isFile ? undefined : textOf(part.bytes)
      const value = text === undefined ? { sha256: bytesToHex(sha256(part.bytes)) } : valueOf(text)
      return [part.name ?? '', value] as const
    })
    const compared = parts.filter(([name]) => !any.has(name))
    return Object.fromEntries(compared.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * A JSON value as plain data. Members are sorted by name; 1 and 1.0 are equal.
 * @param owners the names by which a member of the value can be named: that of the value, and for inputs, those of their node.
 */
function plain(value: Json, reading: Reading, owners: readonly string[]): unknown {
  const { valueOf, ignored, any } = reading
  if (typeof value === 'string') return valueOf(value)
  if (typeof value === 'bigint') return `${value}`
  if (isFloat(value)) return value.float
  const inner = { ...reading, ignored: noMembers }
  if (Array.isArray(value)) return value.map((item) => plain(item, inner, owners))
  if (!isObject(value)) return value
  const isCompared = (name: string): boolean =>
    !ignored.has(name) &&
    !secretMembers.has(name) &&
    !any.has(name) &&
    !owners.some((owner) => any.has(`${owner}.${name}`))
  const type = value.get('class_type')
  const node = typeof type === 'string' ? [...owners, type] : []
  const members = [...value]
    .filter(([name]) => isCompared(name))
    .map(([name, member]) => [valueOf(name), plain(member, inner, [name, ...node])] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
