// A hand-made workflow server that misbehaves like real servers on bad days. Its options choose the misbehaviour.

import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { listening } from '../../support/for-test.ts'
import { readRecord, refuseAtGate } from './misbehaving-hosted.ts'
import type { HostedBehaviour, HostedReads } from './misbehaving-hosted.ts'

/**
 * Sent on the socket: an object as JSON, a text or bytes as they are; `drop` cuts the connection.
 */
type Step = object | string | Uint8Array

/** What a path answers. Without `length` the body is complete. */
type Answer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The announced length; a longer one than the body's cuts the transfer short. */
  readonly length?: number
}

export type Behaviour = {
  /** The answer to the submit; by default it is accepted. */
  readonly reply?: { readonly status: number; readonly json: unknown }
  /** Arrives before the answer to the submit. */
  readonly early?: readonly Step[]
  /** Follows the answer to the submit. */
  readonly steps?: readonly Step[]
  /** Follows the first status of a later connection. */
  readonly again?: readonly Step[]
  /** The history entry; null means that there never is one. */
  readonly entry?: unknown
  /** Which read of the history is the first to find the entry. */
  readonly entryAtRead?: number
  /** How many reads of the queue list the run. */
  readonly queueReads?: number
  /** How many sockets are accepted before all others are rejected. */
  readonly sockets?: number
  readonly views?: Readonly<Record<string, Answer>>
  /** It is a hosted server; then `entry`, `entryAtRead` and `queueReads` have no effect. */
  readonly hosted?: HostedBehaviour
  /** The first answers to requests for a path, before its regular ones. */
  readonly first?: Readonly<Record<string, readonly Answer[]>>
  readonly stored?: (name: string) => object
}

type RecordedRequest = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
}
type Upload = {
  readonly name: string
  readonly text: string
  readonly fields: Record<string, unknown>
}

export type MisbehavingServer = {
  readonly url: string
  readonly requests: RecordedRequest[]
  readonly submits: string[]
  readonly uploads: Upload[]
  /** Client ids of the sockets that were open when each submit arrived. */
  readonly listeners: (string | null)[]
  readonly reads: { history: number; queue: number } & HostedReads
}

type World = Omit<MisbehavingServer, 'url'> & {
  readonly behaviour: Behaviour
  readonly sockets: Map<WebSocket, string | null>
  connections: number
}

export const promptId = 'run-1'
/** A message of the run, as real servers write it. */
export const message = (type: string, data: object = {}): object => ({
  type,
  data: { ...data, prompt_id: promptId },
})
export const picture = { filename: 'a.png', subfolder: '', type: 'output' }
export const end = message('executing', { node: null })
export const succeeded = [message('execution_success'), end]
/** A history entry of a run with these outputs, which was successful or has another status. */
export const entryOf = (outputs: object, status: object = {}): object => ({
  outputs,
  status: { status_str: 'success', completed: true, messages: [], ...status },
})
/** The status of a run that failed with this error, if its entry has one. */
export const failedWith = (error?: object): object => ({
  status_str: 'error',
  completed: false,
  messages: error === undefined ? [] : [['execution_error', error]],
})

/** It listens until the test is over. */
export async function startMisbehaving(behaviour: Behaviour = {}): Promise<MisbehavingServer> {
  const world: World = {
    behaviour,
    requests: [],
    submits: [],
    uploads: [],
    listeners: [],
    reads: { history: 0, queue: 0, words: 0, jobs: 0 },
    sockets: new Map(),
    connections: 0,
  }
  const server = createServer((request, response) => void answer(world, request, response))
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    note(world, request)
    world.connections += 1
    if (behaviour.hosted !== undefined && refuseAtGate(request) !== undefined) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      return
    }
    if (world.connections > (behaviour.sockets ?? Infinity)) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (opened) => welcome(world, opened, request))
  })
  return { ...world, url: (await listening(server)).url }
}

/** Another host: `localhost` by name. It records its requests, and answers each path with `body`. */
export async function startOtherHost(
  body: string,
): Promise<Pick<MisbehavingServer, 'url' | 'requests'>> {
  const requests: RecordedRequest[] = []
  const server = createServer((request, response) => {
    note({ requests }, request)
    response.end(body)
  })
  return { url: `http://localhost:${(await listening(server)).port}`, requests }
}

function note(
  world: { readonly requests: RecordedRequest[] },
  request: IncomingMessage,
): RecordedRequest {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
  const path = pathname.replace(/^\/api\//, '/')
  const { method = '', headers } = request
  const recorded = { method, path, query: searchParams, headers }
  world.requests.push(recorded)
  return recorded
}

function welcome(world: World, socket: WebSocket, request: IncomingMessage): void {
  const clientId = new URL(request.url ?? '', 'http://here').searchParams.get('clientId')
  world.sockets.set(socket, clientId)
  socket.on('close', () => world.sockets.delete(socket))
  socket.send('{"type": "status", "data": {"status": {"exec_info": {"queue_remaining": 0}}}}')
  if (world.connections > 1) perform(socket, world.behaviour.again ?? [])
}

function perform(socket: WebSocket, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step === 'drop') socket.terminate()
    else if (typeof step === 'string' || step instanceof Uint8Array) socket.send(step)
    else socket.send(JSON.stringify(step))
  }
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse) {
  const { method, path, query } = note(world, request)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const json = (value: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  const { behaviour } = world
  const first = behaviour.first?.[path]?.[requestsOf(world, path) - 1]
  if (first !== undefined) return give(response, first, '')
  if (behaviour.hosted !== undefined) {
    const { hosted } = behaviour
    const found = refuseAtGate(request) ?? readRecord(path, hosted, world.reads)
    if (found !== undefined) return json(found.json, found.status)
  }
  if (path === '/prompt' && method === 'POST') return acceptSubmit(world, body.toString(), response)
  if (path === '/upload/image') return json(await store(world, request, body))
  if (path === '/view') return view(behaviour, query, response)
  if (path === '/queue') {
    const isQueued = ++world.reads.queue <= (behaviour.queueReads ?? 0)
    return json({ queue_running: isQueued ? [[1, promptId, {}, {}, []]] : [], queue_pending: [] })
  }
  if (path === `/history/${promptId}`) {
    const isThere = ++world.reads.history >= (behaviour.entryAtRead ?? 1)
    const { entry = entryOf({ '9': { images: [picture] } }) } = behaviour
    return json(isThere && entry !== null ? { [promptId]: entry } : {})
  }
  return json({}, 404)
}

async function acceptSubmit(world: World, body: string, response: ServerResponse): Promise<void> {
  const { early = [], hosted, reply } = world.behaviour
  const { steps = hosted === undefined ? succeeded : succeeded.slice(0, 1) } = world.behaviour
  world.submits.push(body)
  world.listeners.push(...world.sockets.values())
  const sockets = [...world.sockets.keys()]
  for (const socket of sockets) perform(socket, early)
  if (early.length > 0) await Promise.all(sockets.map(hasReceived))
  response.writeHead(reply?.status ?? 200, { 'content-type': 'application/json' })
  const accepted = { prompt_id: promptId, number: 1, node_errors: {} }
  response.end(JSON.stringify(reply?.json ?? accepted), () => {
    for (const socket of sockets) perform(socket, steps)
  })
}

/** Resolves when the other end has received everything that was sent to it so far. */
function hasReceived(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('pong', () => resolve())
    socket.ping()
  })
}

async function store(world: World, request: IncomingMessage, body: Buffer): Promise<object> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(body), { headers }).formData()
  const image = form.get('image') as File
  const { image: _, ...fields } = Object.fromEntries(form)
  world.uploads.push({ name: image.name, text: await image.text(), fields })
  const { stored = (name: string) => ({ name, subfolder: '', type: 'input' }) } = world.behaviour
  return stored(image.name)
}

function view({ views }: Behaviour, query: URLSearchParams, response: ServerResponse): void {
  const filename = query.get('filename') ?? ''
  give(response, views?.[filename] ?? {}, `bytes of ${query.get('subfolder')}/${filename}`)
}

/** Sends an answer, with `text` unless it has another body. */
function give(response: ServerResponse, answer: Answer, text: string): void {
  const { status = 200, headers, length } = answer
  const body = answer.body ?? text
  response.writeHead(status, {
    ...headers,
    'content-length': length ?? Buffer.byteLength(body),
  })
  if (length === undefined) response.end(body)
  else response.write(body, () => response.destroy())
}

const requestsOf = ({ requests }: World, path: string): number =>
  requests.filter((recorded) => recorded.path === path).length
