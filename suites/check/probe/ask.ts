// Asks a server of which nothing is known yet: one request on a separate connection, which is never repeated, and one
// deadline for all requests of a probe. The fetch of Node connects again and again to a server that drops each socket.

import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { unreachable } from './unreachable.ts'

/** The longest time for all answers together, in seconds. */
export const MAX_PROBE_SECONDS = 8
/** What is left of it for a command that took long to start, in milliseconds. */
const LEAST_PROBE_MS = 4000
/** The largest answer: the node types of a server with many custom nodes take some 10 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Thrown where there is no server that can be judged. */
export class NotMeasured extends Error {}

export type Reply = {
  readonly path: string
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
}

/** The deadline of a probe that begins now. */
export const probeDeadline = (): AbortSignal => AbortSignal.timeout(MAX_PROBE_SECONDS * 1000)

/** The same for a command: what it took to start on a busy machine counts. */
export const commandDeadline = (): AbortSignal =>
  AbortSignal.timeout(
    Math.max(LEAST_PROBE_MS, Math.round(MAX_PROBE_SECONDS * 1000 - process.uptime() * 1000)),
  )

type Init = { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal }

/** The reply to a GET, however it turns out; redirects are not followed. Throws {@link NotMeasured} without one. */
export async function ask(url: string, path: string, init: Init): Promise<Reply> {
  let hasBegun = false
  const began = (): void => {
    hasBegun = true
  }
  return inTime(
    { url, path },
    init.signal,
    () => receive(url, path, init, began),
    () => hasBegun,
  )
}

/** What a request results in, or {@link NotMeasured} with the reason why it came to nothing. */
export async function inTime<T>(
  { url, path }: { readonly url: string; readonly path: string },
  signal: AbortSignal,
  send: () => Promise<T>,
  hasBegun: () => boolean = () => false,
): Promise<T> {
  let giveUp = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason as Error)
  })
  signal.addEventListener('abort', giveUp)
  try {
    signal.throwIfAborted()
    return await Promise.race([send(), late])
  } catch (thrown) {
    const error: unknown = signal.aborted ? signal.reason : thrown
    // The command ends, whatever the server does.
    if (error instanceof NotMeasured) throw error
    const attempt = { url, path, error, hasBegun: hasBegun(), seconds: MAX_PROBE_SECONDS }
    throw new NotMeasured(unreachable(attempt))
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function receive(
  url: string,
  path: string,
  { headers, signal }: Init,
  began: () => void,
): Promise<Reply> {
  const to = new URL(url + path)
  const request = to.protocol === 'https:' ? requestSecurely : requestPlain
  return new Promise((resolve, reject) => {
    const take = async (response: IncomingMessage): Promise<Reply> => {
      began()
      const header = (name: string): string | null => {
        const value = response.headers[name]
        return value === undefined ? null : String(value)
      }
      return { path, status: response.statusCode ?? 0, header, text: await bodyOf(response) }
    }
    request(to, { headers, signal, agent: false }, (response) => {
      take(response).then(resolve, reject)
    })
      .on('error', reject)
      .end()
  })
}

/** The body of a reply; nothing of one that is too large. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    size += (part as Buffer).length
    if (size > MAX_ANSWER_BYTES) return ''
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString()
}
