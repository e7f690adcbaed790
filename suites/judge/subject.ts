// The subject of a case: a new world on a manual clock, on the edge that SUBJECT_EDGE names (see edges.ts), or a server
// elsewhere that a host of the suites judges.

import type { Emulator, EmulatorOptions } from 'flowdouble'
import type { Allowance } from '../../spec/check.ts'
import { keyHeader } from '../../spec/server/access.ts'
import { onHosted } from '../../spec/hosted/surfaces.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { openSession, type Patience, type Session, untilStill } from './client.ts'
import { formOf, viewPath } from '../generate/form.ts'
import { type Graph, savingAt } from '../generate/graphs.ts'
import { type Edge, startOn, usualEdge } from './edges.ts'
import { createHttpClient, fetchLink, type HttpClient } from './http-client.ts'
import type { Message } from './judge.ts'
import { endsRun, type QueueEntry, type HistoryEntry, responsesOf } from './responses.ts'
import { createRecorder, type Recorder, type Traffic } from '../laws/recorder.ts'
import { pathOn } from '../generate/replies-on.ts'
import { type Reply, replyOf } from './reply.ts'
import { testWorkloads, type Workloads } from '../generate/workloads.ts'

export type Subject = Traffic & {
  readonly url: string
  readonly deployment: Deployment
  /** The world of this case. A server elsewhere has no world: reading it ends the case. */
  readonly emulator: Emulator | null
  /** Sends a request to a path in local form: on hosted it gets the prefix, its new name and the key. */
  readonly request: (
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Reply>
  /** Sends a request as it is: neither its path nor its headers are completed. */
  readonly raw: Subject['request']
  /** The same server for somebody with another key; an empty text means no key. Hosted only. */
  readonly as: (key: string) => Subject
  readonly get: (path: string) => Promise<Reply>
  /** The file for these values of a view, or for a whole path. On hosted its link is followed, without the key. */
  readonly view: (values: Readonly<Record<string, string>> | string) => Promise<Reply>
  /** The runs in the queue, running and pending, in its order. */
  readonly queue: () => Promise<{
    readonly running: readonly QueueEntry[]
    readonly pending: readonly QueueEntry[]
  }>
  /** The ids in the history, oldest first. */
  readonly history: () => Promise<readonly string[]>
  /** The history entry of a finished run, or undefined without one. */
  readonly finished: (prompt_id: string) => Promise<HistoryEntry | undefined>
  /** Posts a value as JSON. */
  readonly post: (path: string, value: unknown) => Promise<Reply>
  /** Posts a form to /upload/image; `file` goes into the field `image`. */
  readonly upload: (
    file: { readonly name: string; readonly bytes: Uint8Array } | null,
    fields?: Readonly<Record<string, string>>,
    path?: string,
  ) => Promise<Reply>
  readonly connect: (clientId?: string, path?: string) => Promise<Session>
  /** The key that requests carry; empty on local. */
  readonly key: string
  /** The bearer token that requests of a server with one carry; empty without. */
  readonly token: string
  /**
   * A path for what a case makes: of files, folders, userdata and prefixes. In a world of the suites it stays as it is; on a
   * server elsewhere it is below a folder that nobody else uses. An empty path is that folder.
   */
  readonly unique: (path: string) => string
  /** Runs that cases need, made of what the server has. */
  readonly workloads: Workloads
  /** A graph as `submit` sends it: whatever it saves is below a folder that nobody else uses, as of `unique`. */
  readonly placed: (graph: Graph) => Graph
  /** Submits a graph, placed; `fields` are further members of the body. */
  readonly submit: (graph: Graph, fields?: Readonly<Record<string, unknown>>) => Promise<Reply>
  /**
   * Submits a graph that is valid for this session, waits for the end of its run, and returns its messages from the
   * submit on.
   */
  readonly run: (
    session: Session,
    graph: Graph,
    fields?: Readonly<Record<string, unknown>>,
  ) => Promise<Run>
  /**
   * Advances the clock until the session has received a message that matches. Fails if none arrives, on a server elsewhere
   * within this time.
   */
  readonly reach: (
    session: Session,
    matches: (message: Message) => boolean,
    withinMs?: number,
  ) => Promise<Message>
  /** Advances the clock until nothing is due. */
  readonly idle: () => Promise<void>
  /** Ends the case unless the operator of the server has allowed this. In worlds of the suites all is allowed. */
  readonly permit: (...needs: readonly Allowance[]) => void
  /** Whether it is a world of the suites, which nobody else uses. */
  readonly isOwn: boolean
  /** The seeds of the sessions that cases play on this server. */
  readonly seeds: readonly number[]
  /** Sessions that broke a rule before: they are played first. */
  readonly kept: readonly { readonly seed: number; readonly steps: readonly any[] }[]
  /** What was made under this name: once for all cases on a server elsewhere, once for each world of the suites. */
  readonly once: <T>(name: string, make: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

export type Run = {
  readonly prompt_id: string
  /** Messages of the socket from the submit to the end of the run. */
  readonly messages: readonly Message[]
  readonly entry: HistoryEntry
}

const hostedKey = 'test-key'

/** Starts a world with these options, and returns it as a subject. */
export async function startSubject(
  options: EmulatorOptions = {},
  edge: Edge = usualEdge,
): Promise<Subject> {
  const deployment = options.deployment ?? 'local'
  const emulator = await startOn(edge, { clock: 'manual', preview: 'none', ...options })
  return ownSubject(emulator, deployment, createHttpClient(emulator.url))
}

/** The subject of a world below the address of a server that this process has started. */
export function subjectOf(emulator: Emulator): Subject {
  const { url } = emulator
  const { deployment } = emulator.options
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/$/, '')
  const { send, close } = createHttpClient(origin)
  const client: HttpClient = {
    send: (method, path, ...rest) => send(method, base + path, ...rest),
    close,
  }
  return ownSubject(emulator, deployment, client)
}

function ownSubject(emulator: Emulator, deployment: Deployment, client: HttpClient): Subject {
  const { url } = emulator
  const workloads = testWorkloads()
  const shared: SharedServer = {
    url,
    deployment,
    client,
    recorder: createRecorder(deployment),
    sessions: [],
    emulator,
    time: clockOf(emulator),
    workloads: () => workloads,
    token: emulator.options.token ?? '',
    unique: (path) => path,
    permit: () => undefined,
    isOwn: true,
    // Each case has its own world: more would take long.
    seeds: [1],
    kept: [],
    once: createOnce(),
    close: () => emulator.close(),
  }
  return subjectFor(shared, deployment === 'hosted' ? hostedKey : '')
}

/** Makes each value once. */
export function createOnce(): Subject['once'] {
  const made = new Map<string, Promise<unknown>>()
  return <T>(name: string, make: () => Promise<T>): Promise<T> => {
    const value = (made.get(name) as Promise<T> | undefined) ?? make()
    made.set(name, value)
    return value
  }
}

/** How a subject waits for what its server does in time. */
export type SubjectTime = {
  /** How long a session waits for a message; without it to its end. */
  readonly patience?: Patience
  readonly reach: Subject['reach']
  readonly idle: Subject['idle']
}

/** The time of a world: a manual clock is advanced, any other passes by itself. */
function clockOf(emulator: Emulator): SubjectTime {
  const { clock } = emulator.options
  const isManual = clock === 'manual'
  const reach: Subject['reach'] = async (session, matches) => {
    if (isManual) await session.settled()
    if (isManual && !session.messages().some(matches)) {
      await emulator.until(
        (effect) => effect.kind === 'send' && matches(JSON.parse(effect.text) as Message),
      )
    }
    return session.next(matches)
  }
  const idle = async (): Promise<void> => {
    if (isManual) await emulator.until('idle')
  }
  const isStill = isManual || clock === 'instant'
  return { ...(isStill && { patience: untilStill }), reach, idle }
}

/** A server, as subjects with different keys share it. */
export type SharedServer = {
  readonly url: string
  readonly deployment: Deployment
  readonly client: HttpClient
  readonly recorder: Recorder
  readonly sessions: Session[]
  readonly emulator: Emulator | null
  readonly time: SubjectTime
  readonly workloads: (subject: Subject) => Workloads
  readonly token: string
  readonly unique: Subject['unique']
  readonly permit: Subject['permit']
  readonly isOwn: boolean
  readonly seeds: Subject['seeds']
  readonly kept: Subject['kept']
  readonly once: Subject['once']
  /** Called when the sockets are closed. */
  readonly close: () => Promise<void>
}

/** A server for somebody with this key. */
export function subjectFor(shared: SharedServer, key: string): Subject {
  const { url, deployment, client, recorder, sessions } = shared
  const { reach, idle } = shared.time
  const isHosted = deployment === 'hosted'
  const credentials: Readonly<Record<string, string>> =
    isHosted && key !== '' ? { [keyHeader]: key } : {}
  const pathOf = (method: string, path: string): string =>
    isHosted ? hostedPath(method, path) : path

  const raw: Subject['request'] = async (method, path, body, headers = {}) => {
    const answer = client.send(method, path, headers, body)
    await recorder.note(method, path, headers, body, answer)
    return replyOf(await answer)
  }
  const request: Subject['request'] = (method, path, body, headers = {}) =>
    raw(method, pathOf(method, path), body, { ...credentials, ...headers })
  const get: Subject['get'] = (path) => request('GET', path)
  const view: Subject['view'] = async (values) => {
    const reply = await get(typeof values === 'string' ? values : viewPath(values))
    const link = reply.headers['location']
    return link === undefined ? reply : fetched(link)
  }
  const responses = responsesOf(deployment, get)
  const post: Subject['post'] = (path, value) =>
    request('POST', path, JSON.stringify(value), { 'Content-Type': 'application/json' })
  const [ownFolder = ''] = shared.unique('').split('/')
  const placed: Subject['placed'] = (graph) =>
    savingAt(graph, (prefix) =>
      prefix.startsWith(`${ownFolder}/`) ? prefix : shared.unique(prefix),
    )
  const submit: Subject['submit'] = (graph, fields = {}) =>
    post('/prompt', { prompt: placed(graph), ...fields })
  const run: Subject['run'] = async (session, graph, fields = {}) => {
    const before = session.messages().length
    const reply = await submit(graph, { client_id: session.clientId, ...fields })
    if (reply.status !== 200)
      throw new Error(`The submit was answered ${reply.status}: ${reply.text}`)
    const { prompt_id } = reply.json() as { prompt_id: string }
    const isEnd = endsRun(deployment, prompt_id)
    await reach(session, isEnd)
    const messages = session.messages().slice(before)
    const entry = await responses.finished(prompt_id)
    if (entry === undefined) throw new Error(`The history has no entry of the run ${prompt_id}.`)
    return { prompt_id, messages: messages.slice(0, messages.findIndex(isEnd) + 1), entry }
  }
  const subject: Subject = {
    url,
    deployment,
    key,
    token: shared.token,
    unique: shared.unique,
    get workloads() {
      return shared.workloads(subject)
    },
    get emulator() {
      return shared.emulator
    },
    request,
    raw,
    as: (other) => subjectFor(shared, other),
    get,
    view,
    ...responses,
    post,
    upload: (file, fields = {}, path = '/upload/image') => {
      const texts = Object.entries(fields).map(([name, content]) => ({ name, content }))
      const image = { name: 'image', filename: file?.name ?? '', content: file?.bytes ?? '' }
      return request('POST', path, ...formOf(...texts, ...(file === null ? [] : [image])))
    },
    connect: async (clientId, path = '/ws') => {
      const query = new URLSearchParams({
        ...(clientId !== undefined && { clientId }),
        ...(isHosted && key !== '' && { token: key }),
      })
      const target = query.size === 0 ? path : `${path}?${query.toString()}`
      const session = await openSession(url, target, clientId, shared.time.patience, deployment)
      sessions.push(session)
      recorder.socket(target, session.recorded)
      return session
    },
    placed,
    submit,
    run,
    reach,
    idle,
    permit: shared.permit,
    isOwn: shared.isOwn,
    seeds: shared.seeds,
    kept: shared.kept,
    once: shared.once,
    ...recorder.traffic,
    close: async () => {
      const faults = sessions.flatMap((session) => session.faults)
      await Promise.all(sessions.map((session) => session.close()))
      client.close()
      await shared.close()
      if (faults.length > 0)
        throw new Error(`The server sent what the spec does not allow:\n${faults.join('\n')}`)
    },
  }
  return subject
}

const renamed = Object.values<Endpoint>(endpoints)
  .filter(({ hostedPath: to }) => to !== undefined)
  .map((endpoint) => ({
    method: endpoint.method,
    pattern: new RegExp(`^${endpoint.path.replace(/\{.*\}$/, '([^?]+)')}(?=\\?|$)`),
    to: pathOn('hosted', endpoint).replace(/\{.*\}$/, '$1'),
  }))

/** A path in local form as hosted serves it. */
export function hostedPath(method: string, path: string): string {
  if (path.startsWith('/_flowdouble')) return path
  const found = renamed.find((one) => one.method === method && one.pattern.test(path))
  return found === undefined ? onHosted(path) : path.replace(found.pattern, found.to)
}

/** What a link answers to a client without a key. */
async function fetched(link: string): Promise<Reply> {
  const { status, headers, bytes, text } = await fetchLink(link)
  const json = (): unknown => JSON.parse(text)
  return { status, headers: Object.fromEntries(headers), bytes, text, json }
}
