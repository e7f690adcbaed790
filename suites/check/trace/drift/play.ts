// Sends what a recorded client sent, each request when what had come before it has come again: replies, and messages of its runs.
// It asks again until the server is as far as it was, for a while, so that what never comes is found missing.

import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedExchange, Recording } from '../../../../dist/emulator/internal.js'
import type { Deployment } from '../../../../spec/language.ts'
import type { Session } from '../../../judge/client.ts'
import type { Message } from '../../../judge/judge.ts'
import { type Reply, replyOf } from '../../../judge/reply.ts'
import { endsRun } from '../../../judge/responses.ts'
import { Skip } from '../../../judge/skip.ts'
import type { Subject } from '../../../judge/subject.ts'
import {
  jsonIn,
  responseHeader,
  type Trace,
  type TracedExchange,
  type TracedRun,
  type TracedSocket,
} from '../../../../dist/emulator/session/index.js'
import { credentialsOf } from './credentials.ts'
import { createIdentities, type Identities } from './identities.ts'
import { obstacleTo } from './obstacles.ts'
import { type Compared, comparedStates, isAhead, isBehind, isPoll, statesIn } from './states.ts'
import { listedIds } from '../../../judge/responses.ts'
import { fetchLink } from '../../../judge/http-client.ts'

/** What came now in the place of a recorded response. */
export type Replayed = {
  readonly exchange: TracedExchange
  /** How far the runs are in it. */
  readonly states: readonly Compared[]
  /** Runs that the queue does not list any more, and nothing else either. */
  readonly lost: readonly string[]
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
  /** All that was sent and received now. */
  readonly recording: Recording
  /** Whether the submit of a run was accepted again. */
  readonly isAccepted: (run: TracedRun) => boolean
}

type Step =
  | { readonly atMs: number; readonly exchange: TracedExchange }
  | { readonly atMs: number; readonly socket: TracedSocket; readonly text?: string }

/** Everything that the client did, in its order. */
function stepsOf({ exchanges, links, sockets }: Trace): readonly Step[] {
  const opened = sockets.flatMap((socket): readonly Step[] => [
    { atMs: socket.recorded.openMs, socket },
    ...socket.recorded.messages.flatMap(({ from, atMs, data }) =>
      from === 'client' && typeof data === 'string' ? [{ atMs, socket, text: data }] : [],
    ),
  ])
  const sent = [...exchanges, ...links].map((exchange) => ({
    atMs: exchange.recorded.startMs,
    exchange,
  }))
  return [...opened, ...sent].toSorted((a, b) => a.atMs - b.atMs)
}

/** What a message of the time of a request can be an effect of: it is not waited for. */
const isEnding = ({ type, data }: Message): boolean =>
  ['execution_success', 'execution_error', 'execution_interrupted'].includes(type) ||
  (type === 'executing' && data['node'] === null)

/** The last message that came about each run before a time, with its socket. */
function causesAt({ runs }: Trace, atMs: number) {
  return runs.flatMap((run) =>
    run.submit === undefined
      ? []
      : run.received.flatMap(({ socket, items }) => {
          const last = items.findLast(
            (item) => item.atMs < atMs || (item.atMs === atMs && !isEnding(item.message)),
          )
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

const pathIn = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname.replace(/^\/w\/[^/]+(?=\/)/, '') + search
}

/** Plays a recorded session on a server. */
export async function play(subject: Subject, trace: Trace): Promise<Played> {
  const identities = createIdentities()
  const credentials = credentialsOf(trace)
  const replayed: Replayed[] = []
  const sessions = new Map<TracedSocket, Session>()
  const done = new Set<TracedExchange>()
  /** What each signed link of then is now. */
  const links = new Map<string, string>()

  const isAccepted = ({ submit }: TracedRun): boolean => submit !== undefined && done.has(submit)
  const idNow = (run: TracedRun): string | undefined =>
    isAccepted(run) ? identities.valueOf(run.prompt_id) : undefined
  const wait = async (atMs: number): Promise<void> => {
    for (const { run, socket, message } of causesAt(trace, atMs)) {
      const [session, id] = [sessions.get(socket), idNow(run)]
      if (session === undefined || id === undefined) continue
      // What does not come is found when the messages are compared.
      await Promise.race([
        session.next(isDue(subject.deployment, id, message)).catch(() => undefined),
        delay(MAX_WAIT_MS, undefined, { ref: false }),
      ])
    }
  }
  const sendOnce = (exchange: TracedExchange): Promise<Reply> => {
    const { recorded } = exchange
    const headers = recorded.headers.filter(([name]) => !left.has(name.toLowerCase()))
    return subject.raw(
      recorded.method,
      identities.replace(pathIn(recorded.url)),
      bodyOf(recorded, identities),
      { ...Object.fromEntries(headers), ...credentials(exchange) },
    )
  }
  const statesIn =
    (exchange: TracedExchange) =>
    (reply: Reply): readonly Compared[] =>
      comparedStates(exchange, reply.status === 200 ? jsonIn(reply.text) : undefined, trace, {
        idNow,
      })
  const follow = async (exchange: TracedExchange): Promise<Replayed> => {
    const link = links.get(exchange.recorded.url)
    const none = { exchange, states: [], lost: [] }
    if (link === undefined)
      return { ...none, skip: new Skip('not-made', 'The server has returned no link now.') }
    const { status, headers, bytes } = await fetchLink(link)
    return { ...none, reply: replyOf({ status, headers: Object.fromEntries(headers), bytes }) }
  }
  const send = async (exchange: TracedExchange): Promise<Replayed> => {
    const none = { exchange, states: [], lost: [] }
    try {
      if (trace.links.includes(exchange)) return await follow(exchange)
      const skip = obstacleTo(exchange, trace, done)
      if (skip !== undefined) return { ...none, skip }
      const { reply, states }: Polled = isPoll(exchange)
        ? await poll(() => sendOnce(exchange), statesIn(exchange))
        : { reply: await sendOnce(exchange), states: [] }
      identities.learn(exchange.reply(), jsonIn(reply.text))
      if (exchange.status === 200 && reply.status === 200) done.add(exchange)
      const [then, now] = [responseHeader(exchange.recorded, 'location'), reply.headers['location']]
      if (then !== undefined && now !== undefined && URL.canParse(then))
        links.set(new URL(then).href, now)
      const isQueue = exchange.endpoint?.name === 'readQueue'
      return { exchange, reply, states, lost: isQueue ? await lostOf(subject, states) : [] }
    } catch (error) {
      return error instanceof Skip ? { ...none, skip: error } : { ...none, error }
    }
  }
  // What has been sent before is not part of it.
  subject.recording()
  for (const step of stepsOf(trace)) {
    await wait(step.atMs)
    if ('exchange' in step) replayed.push(await send(step.exchange))
    else if (step.text === undefined)
      sessions.set(step.socket, await subject.connect(step.socket.clientId ?? undefined))
    else {
      const session = sessions.get(step.socket)
      session?.send(identities.replace(step.text))
      // The server has read it before the next request, as it had then.
      await session?.settled().catch(() => undefined)
    }
  }
  await wait(Infinity)
  return { replayed, sessions, identities, recording: subject.recording(), isAccepted }
}

/** The longest time that one cause or one state is waited for, in milliseconds. */
const MAX_WAIT_MS = 15_000
/** How long a history may lag behind the queue. A run that is not over after that is nowhere. */
const MAX_LAG_MS = 1000
/** The time between two attempts, which doubles, in milliseconds. */
const POLL_MS = { first: 5, most: 200 } as const

/** A reply, and how far the runs are in it. */
type Polled = { readonly reply: Reply; readonly states: readonly Compared[] }

/** Tries again until it succeeds or the time is over; resolves to the last result. */
async function patiently<T>(
  attempt: () => Promise<T>,
  isDone: (result: T) => boolean,
  forMs = MAX_WAIT_MS,
): Promise<T> {
  const endMs = performance.now() + forMs
  for (let waitMs: number = POLL_MS.first; ; waitMs = Math.min(2 * waitMs, POLL_MS.most)) {
    const result = await attempt()
    if (isDone(result) || performance.now() > endMs) return result
    await delay(waitMs)
  }
}

/** Sends a poll until the runs in its reply are as far as they were. */
const poll = (
  send: () => Promise<Reply>,
  statesIn: (reply: Reply) => readonly Compared[],
): Promise<Polled> =>
  patiently(
    async () => {
      const reply = await send()
      return { reply, states: statesIn(reply) }
    },
    ({ states }) => !states.some(isBehind),
  )

/** The runs that a queue does not list although it did, and that are not over either. */
async function lostOf(subject: Subject, states: readonly Compared[]): Promise<readonly string[]> {
  const lost: string[] = []
  for (const { idNow, run } of states.filter(isAhead))
    if (!(await patiently(() => isSomewhere(subject, idNow), Boolean, MAX_LAG_MS)))
      lost.push(run.prompt_id)
  return lost
}

async function isSomewhere(subject: Subject, id: string): Promise<boolean> {
  const { running, pending } = await listedIds(subject)
  if ([...running, ...pending].includes(id)) return true
  if (subject.deployment === 'local') {
    const { status, text } = await subject.get(`/history/${encodeURIComponent(id)}`)
    return status === 200 && text.includes(JSON.stringify(id))
  }
  const { status, json } = await subject.get(`/jobs/${encodeURIComponent(id)}`)
  return status === 200 && statesIn('job', json()).get(id) === 'over'
}
