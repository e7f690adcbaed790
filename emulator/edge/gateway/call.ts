// One call of an address that the operator has given: JSON goes out, and what comes back is told without a secret.

import http from 'node:http'
import https from 'node:https'
import { usageError } from '../../options/usage.ts'

export type Reply = { readonly status: number; readonly type: string; readonly text: string }

/** Who stops a call, by which method it goes (POST), and how large its reply can be: a larger one is cut off, or fails. */
type CallOptions = {
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly method?: string
  readonly cutsReply?: boolean
}

/** Why a reply that is too large fails. */
const tooLarge = 'the reply is too large'

/**
 * Reads the address of a call. Throws a usage error, which does not repeat it: a path or a query can be a credential.
 * @param where the words for the place where it was given.
 */
export function readAddress(text: string, where: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageError(`${where} needs an address that begins with http:// or https://.`)
  if (url.username + url.password !== '')
    throw usageError(`${where} takes no user name and no password.`)
  return url
}

/**
 * Sends JSON once, by POST unless told otherwise, follows no redirect, and waits until the signal is aborted. Rejects with an error that tells no part
 * of the address, also where the reply has more than `maxBytes`.
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

/** The same for bytes as they are. Any port will do: `fetch` refuses some of them. */
export function postBytes(
  url: URL,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  { signal, maxBytes, method = 'POST', cutsReply = false }: CallOptions,
): Promise<Reply> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void =>
      reject(new Error(`network error ${error.code ?? 'without a code'}`))
    const own = {
      'Content-Length': bytes.length,
      'User-Agent': 'flowdouble',
    }
    const call = request(url, { method, headers: { ...own, ...headers }, signal })
    call.on('error', failed)
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      let length = 0
      const end = (): void => {
        const { statusCode: status = 0, headers: replyHeaders } = response
        const text = Buffer.concat(chunks).subarray(0, maxBytes).toString()
        resolve({ status, type: replyHeaders['content-type'] ?? '', text })
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

/** Whether a status means that a call has done what it is for. */
export const isDone = (status: number): boolean => status >= 200 && status < 300

/** A text as a JSON object; undefined where it is none. */
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
