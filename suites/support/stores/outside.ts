// What is around gateways that are killed: an agent and a target that hold some answers back, and a count of what happens.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listening } from '../for-test.ts'

/** Numbers from 0 to below 1, the same ones for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Events = {
  readonly happen: () => void
  /** Resolves when so many more events have happened. */
  readonly after: (count: number) => Promise<void>
  /** Resolves when something holds; false if nothing happens for a long time, so that it never will. */
  readonly until: (holds: () => boolean) => Promise<boolean>
}

/** How long nothing may happen before a wait gives up, in milliseconds: only what hangs is to end. */
const SILENCE_MS = 60_000

export function createEvents(): Events {
  let count = 0
  const waiting = new Set<() => void>()
  const next = (): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (hasHappened: boolean): void => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve(hasHappened)
      }
      const wake = (): void => end(true)
      const timer = setTimeout(end, SILENCE_MS, false)
      waiting.add(wake)
    })
  const until: Events['until'] = async (holds) => {
    while (!holds()) if (!(await next())) return false
    return true
  }
  return {
    happen: () => {
      count++
      for (const wake of waiting) wake()
    },
    after: async (more) => {
      const end = count + more
      if (!(await until(() => count >= end))) throw new Error('Nothing happens any more.')
    },
    until,
  }
}

/** A delivery that has reached the target. */
export type Arrival = {
  /** The process that has sent it. */
  readonly life: number
  readonly key: string
  readonly route: string
  readonly id: string
}

/** How many answers stay open at most: fewer than there are senders, so that one of them always goes on. */
const MAX_HELD = 3

export type Outside = {
  /** The flags of a process. */
  readonly flags: (life: number) => readonly string[]
  /** Answers everything from now on. */
  readonly release: () => void
  /** Holds some answers back again. */
  readonly hold: () => void
}

/** Starts the agent and the target. Some of their answers come only after those of others. */
export async function startOutside(
  random: () => number,
  { happen }: Events,
  arrive: (arrival: Arrival) => void,
): Promise<Outside> {
  const held: { readonly agent: (() => void)[]; readonly target: (() => void)[] } = {
    agent: [],
    target: [],
  }
  let isReleased = false
  const later = (of: (() => void)[], answer: () => void): void => {
    if (isReleased || random() < 0.6) return answer()
    of.push(answer)
    if (of.length > MAX_HELD) of.shift()?.()
  }
  const serve = (
    of: (() => void)[],
    answerTo: (request: IncomingMessage, body: any) => string,
  ): ReturnType<typeof listening> =>
    listening(
      createServer((request, response: ServerResponse) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          const answer = answerTo(request, JSON.parse(Buffer.concat(chunks).toString()))
          happen()
          later(of, () => {
            response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer, happen)
          })
        })
      }),
    )
  const agent = await serve(held.agent, (_, { prompt }) =>
    JSON.stringify({ answer: `done: ${prompt}` }),
  )
  const target = await serve(held.target, ({ url = '', headers }, { route, delivery_id }) => {
    const key = String(headers['idempotency-key'])
    arrive({ life: Number(url.slice(1)), key, route, id: delivery_id })
    return '{}'
  })
  return {
    flags: (life) => ['--agent-url', agent.url, '--deliver-url', `${target.url}/${life}`],
    release: () => {
      isReleased = true
      for (const answer of [...held.agent.splice(0), ...held.target.splice(0)]) answer()
    },
    hold: () => {
      isReleased = false
    },
  }
}
