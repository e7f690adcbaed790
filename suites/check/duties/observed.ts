// What a world has seen of the client under test: requests, messages, sockets, runs, and how its command ended.

import type { Emulator, Entry, ReceivedRequest, RunView, SocketMessage } from 'flowdouble'
import { keyHeader } from '../../../spec/server/access.ts'
import type { Deployment } from '../../../spec/language.ts'
import type { WireLine } from '../events.ts'

/** How the command of the client ended. */
export type ClientEnd = {
  /** Null if it did not end by itself within its time. */
  readonly exitCode: number | null
  /** Standard output and standard error. */
  readonly output: string
}

/** A socket that the client opened, or tried to. */
export type SeenSocket = {
  readonly atMs: number
  readonly clientId: string | null
  readonly isAccepted: boolean
}

export type Observed = {
  readonly deployment: Deployment
  readonly end: ClientEnd
  /** The requests but those for sockets, with paths in local form: without /api. Secrets are placeholders. */
  readonly requests: readonly ReceivedRequest[]
  /** The bodies of the submits as they were sent, with placeholders for secrets. */
  readonly submits: readonly string[]
  /** The messages that the world sent on sockets. */
  readonly messages: readonly SocketMessage[]
  readonly sockets: readonly SeenSocket[]
  /** How often a credential came to the host of the signed links. */
  readonly leaks: number
  /** The requests that came to that host. */
  readonly links: number
  readonly runs: readonly RunView[]
}

/** What a world on which nothing goes wrong has seen: it says what the client does at all. */
export type Ordinary = Observed & {
  /** The nodes of the runs that have outputs, one for each node type. */
  readonly outputNodes: readonly WorkflowNode[]
}

export type WorkflowNode = {
  readonly class_type: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/** Reads what a world has seen. */
export async function observe(world: Emulator, end: ClientEnd): Promise<Observed> {
  const [, ...lines] = await world.journal()
  const entries = lines.map((line) => JSON.parse(line) as Entry)
  const requests = await world.requests()
  const sent = (await world.messages()).filter(({ direction }) => direction === 'sent')
  const effects = entries.flatMap((entry) => entry.effects)
  const isSubmit = (entry: Entry): boolean =>
    entry.input.kind === 'request' &&
    entry.input.method === 'POST' &&
    localPath(entry.input.target) === '/prompt'
  return {
    deployment: world.options.deployment,
    end,
    requests: requests.map(inLocalForm).filter(({ path }) => path !== socketPath),
    submits: entries.filter(isSubmit).map(bodyOf),
    messages: sent,
    sockets: entries.flatMap(socketOf),
    leaks: effects.filter(({ kind }) => kind === 'leak').length,
    links: entries.filter(({ input }) => input.kind === 'request' && input.links).length,
    runs: world.runs(),
  }
}

/** The nodes with outputs, as the records of the runs list them; `key` is that of the account, on hosted. */
export async function outputNodes(
  world: Emulator,
  key: string,
  { requests }: Observed,
): Promise<readonly WorkflowNode[]> {
  const path = world.options.deployment === 'local' ? '/history/' : '/api/history_v2/'
  const found = new Map<string, WorkflowNode>()
  for (const { run, body } of requests) {
    const workflow = (body as { prompt?: Readonly<Record<string, WorkflowNode>> } | null)?.prompt
    if (run === null || workflow === undefined) continue
    const reply = await fetch(world.url + path + run, { headers: { [keyHeader]: key } })
    const record = (await reply.json()) as Readonly<Record<string, { outputs?: object }>>
    for (const id of Object.keys(record[run]?.outputs ?? {})) {
      const node = workflow[id]
      if (node !== undefined) found.set(node.class_type, node)
    }
  }
  return [...found.values()]
}

const inLocalForm = (request: ReceivedRequest): ReceivedRequest => ({
  ...request,
  path: localPath(request.path),
})

/** A path without its query and without the prefix of the hosted server. */
const localPath = (target: string): string =>
  (target.split('?')[0] ?? '').replace(/^\/api(?=\/)/, '')

/** The journal writes a body as a text, or as an object if it is not one. */
function bodyOf({ input }: Entry): string {
  const body: unknown = 'body' in input ? input.body : ''
  return typeof body === 'string' ? body : ''
}

function socketOf({ input, effects }: Entry): SeenSocket[] {
  if (input.kind !== 'open') return []
  const { searchParams } = new URL(input.target, 'http://host')
  const isAccepted = effects.some(({ kind }) => kind === 'accept')
  return [{ atMs: input.atMs, clientId: searchParams.get('clientId'), isAccepted }]
}

const socketPath = '/ws'

const MOST_LINES = 20
const MOST_TEXT = 200

/** Messages about steps are many, and say little. */
const isOfInterest = ({ type }: Observed['messages'][number]): boolean =>
  type !== 'progress' && type !== 'progress_state'

/** The last requests of the client and messages to it, in order. */
export function wireOf({ requests, messages }: Observed): readonly WireLine[] {
  const sent = requests.map(({ entry, nowMs, method, path, query, status }) => ({
    entry,
    atMs: nowMs,
    direction: 'sent' as const,
    text: `${method} ${path}${queryText(query)} -> ${status ?? 'no reply'}`,
  }))
  const received = messages.filter(isOfInterest).map(({ entry, nowMs, type, data }) => ({
    entry,
    atMs: nowMs,
    direction: 'received' as const,
    text: `${type} ${JSON.stringify(data)}`,
  }))
  return [...sent, ...received]
    .toSorted((a, b) => a.entry - b.entry)
    .slice(-MOST_LINES)
    .map(({ atMs, direction, text }) => ({ atMs, direction, text: text.slice(0, MOST_TEXT) }))
}

function queryText(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? '' : `?${text}`
}
