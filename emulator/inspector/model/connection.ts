// Talks to the control API of the server that the page comes from. All addresses are relative to the page, so that it also
// works below the path of a world.

import { request } from './token.ts'

export async function readText(path: string): Promise<string> {
  const reply = await request(path, { cache: 'no-store' })
  const text = await reply.text()
  if (!reply.ok) throw new Refused(errorIn(text) ?? `${path} answered ${reply.status}.`)
  return text
}

/** What a path returns, as a URL with the data. */
export async function dataOf(path: string): Promise<string> {
  const reply = await request(path)
  if (!reply.ok) throw new Refused(path)
  const bytes = new Uint8Array(await reply.arrayBuffer())
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return `data:${reply.headers.get('content-type') ?? ''};base64,${btoa(letters)}`
}

export const read = async <T>(path: string): Promise<T> => JSON.parse(await readText(path)) as T

/** Sends a control request; throws what the server says against it. */
export async function send(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const init =
    body === undefined
      ? { method }
      : { method, body: typeof body === 'string' ? body : JSON.stringify(body) }
  const reply = await request(path, init)
  const text = await reply.text()
  if (!reply.ok) throw new Refused(errorIn(text) ?? `${path} answered ${reply.status}.`)
  return JSON.parse(text)
}

/** The server has refused a control request, and says why. */
export class Refused extends Error {}

function errorIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/** How long a request for news waits at the server, and how long the page waits before it tries again. */
const WAIT_MS = 25_000
const RETRY_MS = 1000

/**
 * Follows the journal, and never ends.
 * @param received takes the lines from an entry on; returns the number of the next one.
 * @param lost is called when the server does not answer.
 */
export async function follow(
  received: (lines: string, from: number) => Promise<number>,
  lost: (error: unknown) => void,
): Promise<never> {
  let from = 0
  for (;;)
    try {
      const wait = from === 0 ? 0 : WAIT_MS
      from = await received(await readText(`journal?from=${from}&waitMs=${wait}`), from)
      if (wait === 0 && from === 0) await pause(RETRY_MS / 4)
    } catch (error) {
      lost(error)
      // Another server may answer then, whose journal begins anew.
      from = 0
      await pause(RETRY_MS)
    }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))
