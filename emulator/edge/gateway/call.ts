// One call of a configured URL: sends JSON and returns the reply. Errors contain no secret.

import http from 'node:http'
import https from 'node:https'
import { usageError } from '../../options/usage.ts'

export type Reply = {
  readonly status: number
  readonly type: string
  readonly text: string
  /** How long the reply asks to wait before the next call, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Its header Date, in milliseconds since 1970; NaN without one. */
  readonly dateMs: number
}

/** A call that failed, with what its reply says about another one. */
export class CallError extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined
  constructor(message: string, status: number, retryAfterMs: number | undefined) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * The abort signal, the method (POST by default), and the largest reply: a larger one is cut off, or fails. `isAlone` takes a
 * connection for this call: a kept one may end under a call that cannot be repeated.
 */
type CallOptions = {
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly method?: string
  readonly cutsReply?: boolean
  readonly isAlone?: boolean
}

/** The error for a reply that is too large. */
const tooLarge = 'the reply is too large'

/**
 * Parses the URL of a call. Throws a usage error that does not repeat it: a path or query can be a credential.
 * @param where how the error names the source.
 */
export function readAddress(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError(`${where} must begin with http:// or https://.`)
  if (url.username + url.password !== '')
    throw usageError(`${where} must not contain a user name or password.`)
  return url
}

/**
 * Sends JSON once, by POST by default. Follows no redirect, and waits until the signal is aborted. Rejects with an error
 * that contains no part of the URL, also if the reply is larger than `maxBytes`.
 */
export function postJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  options: CallOptions,
): Promise<Reply> {
  const own = { 'Content-Type': 'application/json; charset=utf-8' }
  return postBytes(url, { ...own, ...headers }, Buffer.from(JSON.stringify(body)), options)
}

/** The same for bytes. Any port works: `fetch` rejects some of them. */
export function postBytes(
  url: URL,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  { signal, maxBytes, method = 'POST', cutsReply = false, isAlone = false }: CallOptions,
): Promise<Reply> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(new Error(`network error ${error.code ?? 'without a code'}`))
    const own = {
      'Content-Length': bytes.length,
      'User-Agent': 'flowdouble',
    }
    const connection = isAlone ? { agent: false as const } : {}
    const call = request(url, { method, headers: { ...own, ...headers }, signal, ...connection })
    call.on('error', failed)
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      const end = (): void => {
        const { statusCode: status = 0, headers: replyHeaders } = response
        const text = Buffer.concat(chunks).subarray(0, maxBytes).toString()
        const type = replyHeaders['content-type'] ?? ''
        const dateMs = Date.parse(replyHeaders.date ?? '')
        resolve({ status, type, text, retryAfterMs: readRetryAfter(replyHeaders), dateMs })
      }
      response.on('data', (chunk: Buffer) => {
        length += chunk.length
        chunks.push(chunk)
        if (length <= maxBytes) return
        if (cutsReply) end()
        else reject(new Error(tooLarge))
        call.destroy()
      })
      response.on('error', failed)
      response.on('end', end)
    })
    call.end(bytes)
  })
}

/** The pause that Retry-After asks for: in seconds, or until a time, by the clock of whoever replies. */
function readRetryAfter({ 'retry-after': text = '', date = '' }: http.IncomingHttpHeaders) {
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Math.ceil(Number(text) * 1000)
  const untilMs = Date.parse(text)
  const nowMs = Date.parse(date)
  if (Number.isNaN(untilMs)) return undefined
  return Math.max(0, untilMs - (Number.isNaN(nowMs) ? Date.now() : nowMs))
}

/** Whether a status means success. */
export const isDone = (status: number): boolean => status >= 200 && status < 300

/** Parses a text as a JSON object; undefined for anything else. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
