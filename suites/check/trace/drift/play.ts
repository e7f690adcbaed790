// Sends what a recorded client sent, each request when what had come before it has come again: replies, and messages of its runs.

import { v2Root } from '../../../../spec/v2/v2-access.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedExchange } from '../../../../dist/emulator/internal.js'
import type { Deployment } from '../../../../spec/language.ts'
import type { Session } from '../../../judge/client.ts'
import type { Message } from '../../../judge/judge.ts'
import type { Reply } from '../../../judge/reply.ts'
import { endsRun } from '../../../judge/responses.ts'
import { Skip } from '../../../judge/skip.ts'
import type { Subject } from '../../../judge/subject.ts'
import type { Trace, TracedExchange, TracedRun, TracedSocket } from '../trace.ts'
import { createIdentities, type Identities } from './identities.ts'

/** What came now in the place of a recorded response. */
export type Replayed = {
  readonly exchange: TracedExchange
  /** The reply, or why it is missing. */
  readonly reply?: Reply
  readonly skip?: Skip
  readonly error?: unknown
}

export type Played = {
  readonly replayed: readonly Replayed[]
  /** What each recorded socket received now. */
  readonly sessions: ReadonlyMap<TracedSocket, Session>
  readonly identities: Identities
}

type Step =
  | { readonly atMs: number; readonly exchange: TracedExchange }
  | { readonly atMs: number; readonly socket: TracedSocket; readonly text?: string }

/** Everything that the client did, in its order. */
function stepsOf({ exchanges, sockets }: Trace): readonly Step[] {
  const opened = sockets.flatMap((socket): readonly Step[] => [
    { atMs: socket.recorded.openMs, socket },
    ...socket.recorded.messages.flatMap(({ from, atMs, data }) =>
      from === 'client' && typeof data === 'string' ? [{ atMs, socket, text: data }] : [],
    ),
  ])
  const sent = exchanges.map((exchange) => ({ atMs: exchange.recorded.startMs, exchange }))
  return [...opened, ...sent].toSorted((a, b) => a.atMs - b.atMs)
}

/** The last message that came about each run before a time, with its socket. */
function causesAt({ runs }: Trace, atMs: number) {
  return runs.flatMap((run) =>
    run.submit === undefined
      ? []
      : run.received.flatMap(({ socket, items }) => {
          const last = items.findLast((item) => item.atMs < atMs)
          return last === undefined ? [] : [{ run, socket, message: last.message }]
        }),
  )
}

/** Whether a message of now is what was waited for, or the end of the run, after which it cannot come. */
const isDue = (deployment: Deployment, prompt_id: string, then: Message) => {
  const isEnd = endsRun(deployment, prompt_id)
  return (message: Message): boolean => {
    const { type, data } = message
    const isOfRun = data?.['prompt_id'] === prompt_id
    const isSame = type === then.type && (data?.['node'] ?? null) === (then.data['node'] ?? null)
    return isOfRun && (isSame || isEnd(message))
  }
}

/** The longest time that one cause is waited for, in milliseconds. */
const MAX_WAIT_MS = 15_000

/** Headers that belong to the connection of then, or to what the client knew of files of then. */
const left: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'cookie',
  'authorization',
  'x-api-key',
  'origin',
  'referer',
  'user-agent',
  'if-none-match',
  'if-modified-since',
  // Each works once.
  'idempotency-key',
])

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A body with the values of now; bytes that are not text stay. */
function bodyOf({ body }: RecordedExchange, { replace }: Identities): string | Buffer {
  try {
    return replace(decoder.decode(body))
  } catch {
    return Buffer.from(body)
  }
}

/** The key of hosted as the API of a path takes it. */
const keyFor = (path: string): Readonly<Record<string, string>> =>
  path.startsWith(`/api${v2Root}/`)
    ? { Authorization: 'Bearer test-key' }
    : { 'X-API-Key': 'test-key' }

/** Plays a recorded session on a server. */
export async function play(subject: Subject, trace: Trace): Promise<Played> {
  const identities = createIdentities()
  const replayed: Replayed[] = []
  const sessions = new Map<TracedSocket, Session>()
  const done = new Set<TracedExchange>()

  const idNow = (run: TracedRun): string => identities.valueOf(run.prompt_id)
  const wait = async (atMs: number): Promise<void> => {
    for (const { run, socket, message } of causesAt(trace, atMs)) {
      const session = sessions.get(socket)
      if (session === undefined || run.submit === undefined || !done.has(run.submit)) continue
      // What does not come is found when the messages are compared.
      await Promise.race([
        session.next(isDue(subject.deployment, idNow(run), message)).catch(() => undefined),
        delay(MAX_WAIT_MS, undefined, { ref: false }),
      ])
    }
  }
  const send = async (exchange: TracedExchange): Promise<Replayed> => {
    const { recorded } = exchange
    const { pathname, search } = new URL(recorded.url)
    const headers = recorded.headers.filter(([name]) => !left.has(name.toLowerCase()))
    const path = identities.replace(pathname.replace(/^\/w\/[^/]+(?=\/)/, '') + search)
    const key: Readonly<Record<string, string>> = trace.place === 'hosted' ? keyFor(pathname) : {}
    try {
      const reply = await subject.raw(recorded.method, path, bodyOf(recorded, identities), {
        ...Object.fromEntries(headers),
        ...key,
      })
      const now = jsonIn(reply)
      identities.learn(exchange.reply(), now)
      if (exchange.status === 200 && reply.status === 200) done.add(exchange)
      return { exchange, reply }
    } catch (error) {
      return error instanceof Skip ? { exchange, skip: error } : { exchange, error }
    }
  }
  for (const step of stepsOf(trace)) {
    await wait(step.atMs)
    if ('exchange' in step) replayed.push(await send(step.exchange))
    else if (step.text === undefined)
      sessions.set(step.socket, await subject.connect(step.socket.clientId ?? undefined))
    else sessions.get(step.socket)?.send(identities.replace(step.text))
  }
  await wait(Infinity)
  return { replayed, sessions, identities }
}

export function jsonIn(reply: Reply): unknown {
  try {
    return reply.json()
  } catch {
    return undefined
  }
}
