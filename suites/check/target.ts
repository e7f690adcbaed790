// A server elsewhere that `check` judges: every request to it is looked at before it leaves, what it makes is written
// down, and waiting for it has an end.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type SessionOptions, type TargetOptions, usualSessions } from '../../spec/check.ts'
import { createHttpClient, type HttpClient } from '../judge/http-client.ts'
import { type Patience, TimedOut } from '../judge/client.ts'
import { createOnce, type Subject, subjectFor } from '../judge/subject.ts'
import { createRecorder } from '../laws/recorder.ts'
import { type Outgoing, type Watcher, watchTraffic } from '../judge/traffic.ts'
import type { WireLine } from './events.ts'
import { putBack } from './kept.ts'
import { keysOf, mapValues } from './keys.ts'
import type { Ledger } from './ledger.ts'
import { createPermissions } from './permissions.ts'
import { type CheckedServer, newRunning, type Running, type Target } from './running.ts'
import { seedsOf } from './sessions/judge-sessions.ts'
import { Skip } from '../judge/skip.ts'
import { createWorkloads } from './workloads.ts'
import { listedIds } from '../judge/responses.ts'

/** The longest time that a case waits for a message, in milliseconds. */
const MAX_WAIT_MS = 15_000
/** After so many cases that waited in vain for a kind of message, others wait less for it: in milliseconds. */
const MAX_MISSED = 2
const SHORT_WAIT_MS = 2000
/** How often a case that waits looks whether anything has arrived. */
const LOOK_MS = 250
/** How many of the latest runs show whether somebody else uses the server. */
const RECENT_RUNS = 30

/** So many of the last replies to a case are kept. */
const MAX_REPLIES = 100

/** How long a session takes at most, in milliseconds. */
const SESSION_MS = 20_000

/** Opens a server. */
export function openTarget(
  target: Target,
  options: TargetOptions & Partial<SessionOptions>,
  ledger: Ledger,
  kept: Subject['kept'] = [],
): CheckedServer {
  const { url, deployment, types } = target
  const store = new AsyncLocalStorage<Running>()
  const startMs = performance.now()
  const keys = keysOf(options)
  const current = (): Running | undefined => store.getStore()
  const permissions = createPermissions(target, options, ledger, current)
  const { permit, guard: allow, guardMessage, take, runs, isOwn } = permissions

  const note = (direction: WireLine['direction'], text: string): void => {
    const atMs = Math.round(performance.now() - startMs)
    const running = current()
    if (!running?.hasEnded) running?.wire.push({ atMs, direction, text: keys.hide(text) })
  }
  /** The token, unless the case is about it. */
  const bearer = (): Readonly<Record<string, string>> =>
    options.token === undefined || current()?.isAboutToken
      ? {}
      : { Authorization: `Bearer ${options.token}` }

  const guard: Watcher['guard'] = async (request, isWhole) => {
    const running = current()
    try {
      if (running && !running.hasEnded && !isHandshake(request)) {
        running.last = keys.hideIn({ ...request, headers: ownHeaders(request) })
      }
      await allow(request, isWhole)
    } catch (error) {
      running?.refuse(error)
      throw error
    }
    if (isWhole) noteSent(request)
  }
  const noted = new WeakSet<Outgoing>()
  const noteSent = (request: Outgoing): void => {
    if (!noted.has(request)) note('sent', lineOf(request))
    noted.add(request)
  }
  watchTraffic(url, {
    request: (request) => {
      const headers = mapValues({ ...options.headers, ...request.headers }, keys.insert)
      for (const [name, value] of Object.entries(bearer())) headers[name] ??= value
      const body = keys.insertPartner(request.body)
      return { ...request, headers, path: keys.insert(request.path), body }
    },
    guard,
    reply: (request, status, body) => {
      // Its body may never have been sent.
      noteSent(request)
      note('received', `${status} ${body}`)
      const running = current()
      try {
        take(request, status, body)
      } catch (error) {
        // Nobody waits for this call: an error of a case ends the case.
        if (running === undefined) throw error
        running.refuse(error)
      }
    },
    socket: (_, path) => keys.insert(path),
    socketHeaders: () => ({ ...bearer(), ...options.headers }),
    guardMessage: (message) => {
      try {
        guardMessage(message)
      } catch (error) {
        current()?.refuse(error)
        throw error
      }
    },
    message: note,
  })

  /** Waits until none of these runs is in the queue. */
  const idle = async (subject: Subject, { runs: mine }: Running): Promise<void> => {
    const endMs = performance.now() + MAX_WAIT_MS
    for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 200)) {
      const { running, pending } = await listedIds(subject)
      if (![...running, ...pending].some((id) => mine.has(id))) return
      if (performance.now() > endMs)
        throw new Error(`A run has not ended in ${MAX_WAIT_MS / 1000} s.`)
      await delay(waitMs)
    }
  }
  /** Stops what a case has left in the queue. */
  const stopRuns = async (subject: Subject, { runs: mine }: Running): Promise<void> => {
    if (mine.size === 0) return
    const { running, pending } = await listedIds(subject)
    const ours = (ids: readonly string[]): readonly string[] => ids.filter((id) => mine.has(id))
    if (ours(pending).length > 0) await subject.post('/queue', { delete: ours(pending) })
    for (const prompt_id of ours(running)) await subject.post('/interrupt', { prompt_id })
    await idle(subject, { ...newRunning(), runs: mine })
  }
  /** How often cases have ended since a message of this kind did not arrive. */
  const missed = new Map<string, number>()
  const patience: Patience = async (_, quietMs, awaited) => {
    const isKnown = awaited !== undefined && (missed.get(awaited.kind) ?? 0) >= MAX_MISSED
    const waitMs = isKnown ? SHORT_WAIT_MS : MAX_WAIT_MS
    if (quietMs >= waitMs) return `It did not arrive within ${waitMs / 1000} s.`
    await delay(Math.min(waitMs - quietMs, LOOK_MS), undefined, { ref: false })
    return null
  }

  const workloads = createWorkloads(types)
  const seeds = seedsOf({ ...usualSessions, ...options })
  const made = createOnce()
  /** Sessions beyond the usual number do not count as time of the case that plays all of them. */
  const once: Subject['once'] = async (name, make) => {
    const { value, files } = await made(name, async () => {
      const running = current()
      const more = Math.max(0, seeds.length - usualSessions.sessions) + kept.length
      if (running) running.waitedMs = (running.waitedMs ?? 0) + more * SESSION_MS
      const before = new Set(running?.made)
      return {
        value: await make(),
        files: [...(running?.made ?? [])].filter((one) => !before.has(one)),
      }
    })
    // Whichever case comes first makes them: each is known to leave them.
    for (const one of files) current()?.made.add(one)
    return value
  }
  const use: CheckedServer['use'] = (running, body) =>
    store.run(running, async () => {
      const { folder, refusal } = running
      const client = noting(createHttpClient(url), running)
      const shared = {
        url,
        deployment,
        client,
        recorder: createRecorder(deployment),
        sessions: [],
        get emulator(): never {
          throw new Skip('own-world', 'It looks into the world or moves its clock.')
        },
        time: {
          patience,
          reach: (session, matches, withinMs) =>
            withinMs === undefined
              ? session.next(matches)
              : Promise.race([session.next(matches), tooLate(withinMs)]),
          idle: () => forEachKey((one) => idle(one, running)),
        },
        workloads,
        token: options.token ?? '',
        unique: (path) => (path === '' ? folder : `${folder}/${path}`),
        permit: (...needs) => permit(needs),
        isOwn: false,
        seeds,
        kept,
        once,
        close: async () => undefined,
      } satisfies Parameters<typeof subjectFor>[0]
      const subject: Subject = subjectFor(shared, deployment === 'hosted' ? 'test-key' : '')
      /** Looks after the runs of both accounts that cases use. */
      const forEachKey = async (look: (one: Subject) => Promise<void>): Promise<void> => {
        await look(subject)
        if (deployment === 'hosted' && options.secondKey !== undefined)
          await look(subject.as('other-key'))
      }
      try {
        // A case cannot go on, nor pass, without what it must not send. A recording is judged request by request.
        await (running.isRecorded ? body(subject) : Promise.race([body(subject), refusal]))
      } catch (error) {
        const kind = error instanceof TimedOut ? error.awaited?.kind : undefined
        if (kind !== undefined) missed.set(kind, (missed.get(kind) ?? 0) + 1)
        throw error
      } finally {
        running.hasEnded = true
        // What cannot be stopped or put back says nothing about the rule of the case; the ledger keeps it.
        await forEachKey((one) => stopRuns(one, running)).catch(() => undefined)
        await putBack(running.files, ledger, folder).catch(() => undefined)
        await subject.close()
      }
    })
  const foreign = new Set<string>()
  const learnForeign = async (subject: Subject): Promise<void> => {
    const { running, pending } = await listedIds(subject)
    const history = (await subject.get(`/history?max_items=${RECENT_RUNS}`)).json()
    const over: readonly string[] =
      subject.deployment === 'hosted'
        ? history.history.map(({ prompt_id }: { prompt_id: string }) => prompt_id)
        : Object.keys(history)
    for (const id of [...running, ...pending, ...over]) if (!isOwn(id)) foreign.add(id)
  }
  const isDisturbed = async (): Promise<boolean> => {
    const before = foreign.size
    // A server whose listings cannot be read is judged by what the case saw.
    await use(newRunning(), learnForeign).catch(() => undefined)
    return foreign.size > before
  }
  return { use, runs, isDisturbed }
}

/** A client whose replies are kept for the judgement on a case that fails. */
const noting = (client: HttpClient, { replies }: Running): HttpClient => ({
  ...client,
  send: async (method, path, ...rest) => {
    const answer = await client.send(method, path, ...rest)
    const { status, headers, bytes } = answer
    replies.push({ method, path, status, type: headers['content-type'] ?? '', bytes })
    if (replies.length > MAX_REPLIES) replies.shift()
    return answer
  },
})

const tooLate = async (withinMs: number): Promise<never> => {
  await delay(withinMs, undefined, { ref: false })
  throw new Error(`It did not arrive within ${withinMs / 1000} s.`)
}

/** Whether a request opens a socket. */
const isHandshake = ({ headers }: Outgoing): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'sec-websocket-key')

/** The headers that a client does not add by itself. */
const ownHeaders = ({ url, headers }: Outgoing): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) =>
      /^host$/i.test(name)
        ? value !== new URL(url).host
        : !/^(content-length|connection|transfer-encoding)$/i.test(name),
    ),
  )

/** A request as a line of the log of the wire. */
function lineOf(request: Outgoing): string {
  const { method, path, body } = request
  if (method === '') return Buffer.from(body.slice(0, 2000) as Uint8Array).toString()
  return `${method} ${path}${isHandshake(request) ? ' (WebSocket)' : bodyText(body)}`
}

/** The beginning of a body for the log of the wire. */
function bodyText(body: string | Uint8Array): string {
  if (body.length === 0) return ''
  return ` ${Buffer.from(body.slice(0, 2000) as Uint8Array).toString()}`
}
