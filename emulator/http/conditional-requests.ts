// Handles conditional and range requests for files [files/view-conditional], and builds and compares entity tags.

import type { FileFacts, Headers } from '../machine.ts'
import { partOf } from './ranges.ts'
import { refuse } from './replies.ts'

/** The bytes of a file, in memory or elsewhere. */
export type FileBytes<B> = {
  readonly length: number
  readonly subarray: (start: number, end: number) => B
}

/** The part of a file to send, and its status and headers. */
export type FileReply<B> = {
  readonly status: number
  readonly reason?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: B
}

/** The reply to a request with these headers for a file of these bytes; `own` are the headers of the file. */
export function answerFile<B extends FileBytes<B>>(
  own: Headers,
  { modifiedMs, tag }: FileFacts,
  bytes: B,
  asked: Headers,
): FileReply<B> {
  const none = bytes.subarray(0, 0)
  const size = bytes.length
  const etag = `${tag}-${size.toString(16)}`
  if (isPreconditionFailed(asked, etag, modifiedMs)) return refusal('preconditionFailed', own, none)
  // The header contains whole seconds only: round up, so that the file is not newer than its date.
  const secondMs = Math.ceil(modifiedMs / 1000) * 1000
  const headers: Record<string, string> = Object.assign({}, own)
  headers['ETag'] = `"${etag}"`
  headers['Last-Modified'] = new Date(secondMs).toUTCString()
  if (isNotModified(asked, etag, modifiedMs)) return { status: 304, headers, body: none }
  headers['Accept-Ranges'] = 'bytes'
  const { range } = asked
  // Only dates in If-Range count, as on the real server.
  if (range === undefined || modifiedMs > parseDate(asked['if-range'])) {
    return { status: 200, headers, body: bytes }
  }
  const part = partOf(range, size)
  if (part === null) return refusal('rangeNotSatisfiable', own, none, { size: `${size}` })
  const [start, end] = part
  headers['Content-Range'] = `bytes ${start}-${end - 1}/${size}`
  return { status: 206, headers, body: bytes.subarray(start, end) }
}

/** A refusal that includes the headers of the file. */
function refusal<B>(
  name: Parameters<typeof refuse>[0],
  own: Headers,
  body: B,
  values: Readonly<Record<string, string>> = {},
): FileReply<B> {
  const { status, reason, headers } = refuse(name, {}, values)
  return {
    status,
    headers: Object.assign({}, own, headers),
    body,
    ...(reason !== undefined && { reason }),
  }
}

function isPreconditionFailed(asked: Headers, etag: string, modifiedMs: number): boolean {
  const tags = asked['if-match']
  if (tags !== undefined && tags !== '') return !lists(tags, etag, false)
  return modifiedMs > parseDate(asked['if-unmodified-since'])
}

function isNotModified(asked: Headers, etag: string, modifiedMs: number): boolean {
  const tags = asked['if-none-match']
  if (tags !== undefined && tags !== '') return lists(tags, etag, true)
  return modifiedMs <= parseDate(asked['if-modified-since'])
}

/** Whether a list of entity tags contains this one, or is `*`; weak tags match if `weak` is set. */
function lists(tags: string, etag: string, weak: boolean): boolean {
  if (tags.trim() === '*') return true
  const found = tags.matchAll(/(W\/)?"([^"]*)"/g)
  return [...found].some(([, isWeak, value]) => value === etag && (weak || isWeak === undefined))
}

/** The time in a header, in milliseconds since 1970; NaN, which fails every comparison, if it is not a date. */
const parseDate = (header: string | undefined): number =>
  header?.endsWith(' GMT') ? Date.parse(header) : NaN
