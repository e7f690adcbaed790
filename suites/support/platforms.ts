// The platforms that senders call, without a network: every call is intercepted, recorded, and answered as a case says.

import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'

/** A call of a sender. */
export type Call = {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  /** Its body, parsed from JSON. */
  readonly body: unknown
}

export type PlatformAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Calls with a growing list of the calls that were made. An undefined answer means success everywhere; 'unreachable' is
 * a network error. Calls to this machine are not intercepted.
 */
export async function withPlatforms(
  answer: (call: Call) => PlatformAnswer | 'unreachable' | undefined,
  use: (calls: readonly Call[]) => Promise<void>,
): Promise<void> {
  const calls: Call[] = []
  const server = setupServer(
    http.all('https://*', async ({ request }) => {
      const { method, url, headers } = request
      const call = { method, url, headers, body: JSON.parse(await request.text()) as unknown }
      calls.push(call)
      const answered = answer(call) ?? {}
      if (answered === 'unreachable') return HttpResponse.error()
      const { status = 200, headers: own = {}, body = { ok: true } } = answered
      return HttpResponse.json(body as object, { status, headers: own })
    }),
  )
  server.listen({ onUnhandledRequest: 'bypass' })
  try {
    await use(calls)
  } finally {
    server.close()
  }
}

/** Collects items, and promises the next ones. */
export type Arrivals<T> = {
  readonly take: (one: T) => void
  /** Resolves to this many items after those of the last call, once they are there. */
  readonly next: (count: number) => Promise<readonly T[]>
}

export function createArrivals<T>(): Arrivals<T> {
  const held: T[] = []
  let look = (): void => {}
  return {
    take: (one) => {
      held.push(one)
      look()
    },
    next: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (held.length < count) return
          look = () => {}
          resolve(held.splice(0, count))
        }
        look()
      }),
  }
}
