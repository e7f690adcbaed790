// Judges what came now in the place of a recording: one verdict for each exchange, and one for each run on each socket.

import type { Schema } from '../../../../spec/language.ts'
import { messages as specs, type MessageType } from '../../../../spec/server/messages.ts'
import { bodiesOn } from '../../../generate/replies-on.ts'
import type { Session } from '../../../judge/client.ts'
import { kindOf, type Message } from '../../../judge/judge.ts'
import type { Reply } from '../../../judge/reply.ts'
import {
  jsonIn,
  responseHeader,
  type RunMessages,
  type Trace,
  type TracedExchange,
  type TracedRun,
  type TracedSocket,
} from '../../../../dist/emulator/session/index.js'
import { type Difference, differencesOf, withSameCache } from './compare.ts'
import { fileDifferences } from './files.ts'
import type { Identities } from './identities.ts'
import type { Played, Replayed } from './play.ts'
import { comparable, type Compared, isAhead, isBack } from './states.ts'

/** The media type of a reply, without its parameters. */
const mediaOf = (type: string): string => type.split(';')[0]?.trim() ?? ''

const isSchema = (body: unknown): body is Schema => typeof body === 'object'

/** What differs in a reply. */
export function replyDifferences(
  one: Replayed,
  trace: Trace,
  identities: Identities,
): readonly Difference[] {
  const { exchange, reply, error, states } = one
  if (reply === undefined) return [{ drift: 'vanished', says: `no reply came: ${String(error)}` }]
  const { status } = exchange
  if (reply.status !== status) {
    // What is not over yet is not there on hosted, and the other way round.
    if (status >= 400 && states.some(isAhead)) return states.flatMap(aheadOf)
    const isGone = status < 400 && [404, 405, 501].includes(reply.status)
    return [
      {
        drift: isGone ? 'vanished' : 'breaking',
        says: `the status was ${status}, and is ${reply.status}`,
      },
    ]
  }
  const types = typeDifferences(exchange, reply.headers['content-type'] ?? '')
  return [...types, ...bodyDifferences(one, reply, trace, identities)]
}

const aheadOf = (one: Compared): readonly Difference[] =>
  isAhead(one)
    ? [
        {
          drift: 'cosmetic',
          says: `the run ${one.run.prompt_id} was ${one.then}, and is ${one.now} already`,
        },
      ]
    : []

/** Texts of refusals that a client shows, and does not read. */
const forPeople = /\/(?:message|details|extra_info|error_message)(?:\/| )/

function bodyDifferences(
  { exchange, states, lost }: Replayed,
  reply: Reply,
  trace: Trace,
  identities: Identities,
): readonly Difference[] {
  const { status, endpoint, hasBody } = exchange
  const isWhole = exchange.recorded.cut?.includes('response') !== true
  if (!hasBody || !isWhole || exchange.recorded.method === 'HEAD') return []
  const now = jsonIn(reply.text)
  if (exchange.reply() === undefined)
    return status === 200 ? fileDifferences(exchange, reply.bytes, trace) : []
  if (endpoint === undefined) return []
  if (now === undefined) return [{ drift: 'breaking', says: 'the body is not JSON any more' }]
  const schema = bodiesOn(trace.place, endpoint.spec)[status]?.find(isSchema)
  const { then, now: own, hasOthers } = comparable(exchange, now, trace, states)
  const [a, b] = withSameCache(then, own)
  const found = differencesOf(a, b, sameIn(identities), schema)
  return [
    ...lost.map((id) => ({ drift: 'vanished', says: `the run ${id} is nowhere` }) as const),
    ...states.filter(isBack).map(
      ({ run }) =>
        ({
          drift: 'breaking',
          says: `it lists the run ${run.prompt_id}, which was removed`,
        }) as const,
    ),
    ...states.flatMap(aheadOf),
    ...(hasOthers ? [{ drift: 'cosmetic', says: 'it lists runs of others' } as const] : []),
    ...(a === then
      ? []
      : [{ drift: 'cosmetic', says: 'other nodes of a run are cached' } as const]),
    ...(status < 400
      ? found
      : found.map(({ drift, says }) => ({
          drift: forPeople.test(`${says} `) ? ('cosmetic' as const) : drift,
          says,
        }))),
  ]
}

function typeDifferences({ type, recorded }: TracedExchange, now: string): readonly Difference[] {
  const then = responseHeader(recorded, 'content-type') ?? ''
  if (mediaOf(type) !== mediaOf(now.toLowerCase()))
    return [{ drift: 'breaking', says: `the media type was ${then}, and is ${now}` }]
  return then === now
    ? []
    : [{ drift: 'cosmetic', says: `the Content-Type was ${then}, and is ${now}` }]
}

/** Whether a text of then stands for one of now. */
const sameIn =
  ({ valueOf, replace }: Identities) =>
  (then: string, now: string): boolean =>
    then === now || valueOf(then) === now || replace(then) === now

/** The messages of a run on a socket: those of then and those of now. */
export type HeldRun = { readonly run: TracedRun; readonly received: RunMessages }

/** The runs whose submit was accepted again, with each socket that received their messages. */
export function* comparedRuns({ runs }: Trace, { isAccepted }: Played): Iterable<HeldRun> {
  for (const run of runs)
    if (isAccepted(run)) for (const received of run.received) yield { run, received }
}

const dataSchema = (type: string): Schema | undefined =>
  Object.hasOwn(specs, type) ? specs[type as MessageType].data : undefined

/** The nodes that a run takes from the cache. */
const cachedIn = (all: readonly Message[]): readonly string[] =>
  (all.find(({ type }) => type === 'execution_cached')?.data['nodes'] ?? []) as readonly string[]

const sorted = (nodes: readonly string[]): string => nodes.toSorted().join('\n')

/** What differs in the messages of a run. */
export function runDifferences(
  { run, received }: HeldRun,
  { sessions, identities }: Played,
): readonly Difference[] {
  const then = received.items.map(({ message }) => message)
  const prompt_id = identities.valueOf(run.prompt_id)
  const now = (sessions.get(received.socket)?.messages() ?? []).filter(
    ({ data }) => data?.['prompt_id'] === prompt_id,
  )
  if (now.length === 0)
    return [{ drift: 'vanished', says: `none of its ${then.length} messages came` }]
  // What is cached depends on what was run before.
  if (sorted(cachedIn(then)) !== sorted(cachedIn(now)))
    return uncachedDifferences(then, now, identities)
  if (isReordered(then, now)) return nodeDifferences(then, now, identities)
  const at = then.findIndex((one, index) => kindOf(one) !== (now[index] && kindOf(now[index])))
  const one = then[at]
  if (one !== undefined)
    return [
      {
        drift: now[at] === undefined ? 'vanished' : 'breaking',
        says: `message ${at} of the run was ${kindOf(one)}, and is ${now[at] === undefined ? 'missing' : kindOf(now[at])}`,
      },
    ]
  const found = then.flatMap((own, index) =>
    dataDifferences(`message ${index}, ${own.type}`, own, now[index], identities),
  )
  const next = received.isOver ? now[then.length] : undefined
  return next === undefined
    ? found
    : [...found, { drift: 'cosmetic', says: `after its end the run sends ${kindOf(next)} too` }]
}

/** The sockets on which frames came, and all runs of which executed what they executed then. */
export const comparedFrames = (
  { sockets, runs }: Trace,
  { sessions, identities, isAccepted }: Played,
): readonly TracedSocket[] =>
  sockets.filter((socket) => {
    const now = sessions.get(socket)
    const own = runs.filter(({ received }) => received.some((one) => one.socket === socket))
    const isSame = (run: TracedRun): boolean => {
      const then = run.received.find((one) => one.socket === socket)?.items ?? []
      const id = identities.valueOf(run.prompt_id)
      const messages = (now?.messages() ?? []).filter(({ data }) => data['prompt_id'] === id)
      return sorted(cachedIn(then.map(({ message }) => message))) === sorted(cachedIn(messages))
    }
    const hasFrames = socket.items.some(({ frame }) => frame !== undefined)
    return hasFrames && now !== undefined && own.every((run) => isAccepted(run) && isSame(run))
  })

/** Which kinds of frames a socket does not receive any more. How many come depends on the time. */
export function frameDifferences(
  { items }: TracedSocket,
  now: Session | undefined,
): readonly Difference[] {
  const received = new Set(now?.frames().map(({ frame }) => frame))
  return [...new Set(items.flatMap(({ frame }) => frame?.frame ?? []))]
    .filter((kind) => !received.has(kind))
    .map((kind) => ({ drift: 'vanished', says: `no frame of the kind ${kind} came` }))
}

/** The node that a message is about; empty for the run as a whole. */
const nodeOf = ({ data }: Message): string => (typeof data['node'] === 'string' ? data['node'] : '')

/** What a run sent of each node, and of itself, in its order. What it says of all nodes depends on their order. */
function byNode(all: readonly Message[]): ReadonlyMap<string, readonly Message[]> {
  const nodes = new Map<string, Message[]>()
  for (const message of all) {
    if (message.type === 'progress_state') continue
    const node = nodeOf(message)
    nodes.set(node, [...(nodes.get(node) ?? []), message])
  }
  return nodes
}

const kindsOf = (all: readonly Message[] = []): string => all.map(kindOf).join(' ')

/** Whether a run sent the same of each node, but of the nodes in another order. */
function isReordered(then: readonly Message[], now: readonly Message[]): boolean {
  const [a, b] = [byNode(then), byNode(now)]
  const order = (nodes: ReadonlyMap<string, unknown>): string => [...nodes.keys()].join('\n')
  return (
    a.size === b.size &&
    order(a) !== order(b) &&
    [...a].every(([node, own]) => kindsOf(own) === kindsOf(b.get(node)))
  )
}

/** What differs of each node of a run whose nodes ran in another order. */
function nodeDifferences(
  then: readonly Message[],
  now: readonly Message[],
  identities: Identities,
): readonly Difference[] {
  const others = byNode(now)
  const found = [...byNode(then)].flatMap(([node, own]) =>
    own.flatMap((message, at) =>
      dataDifferences(`${message.type} ${node}`, message, others.get(node)?.[at], identities),
    ),
  )
  return [{ drift: 'cosmetic', says: 'the nodes of the run have another order' }, ...found]
}

/** What differs in the data of a message. */
const dataDifferences = (
  name: string,
  then: Message,
  now: Message | undefined,
  identities: Identities,
): readonly Difference[] =>
  differencesOf(then.data, now?.data, sameIn(identities), dataSchema(then.type)).map(
    ({ drift, says }) => ({ drift, says: `${name}: ${says}` }),
  )

/** Of a run of which other nodes are cached, the nodes are compared that it executed both times, and its end. */
function uncachedDifferences(
  then: readonly Message[],
  now: readonly Message[],
  identities: Identities,
): readonly Difference[] {
  const cached = new Set([...cachedIn(then), ...cachedIn(now)])
  const note = { drift: 'cosmetic', says: 'other nodes of the run are cached' } as const
  const executed = (all: readonly Message[]): readonly Message[] =>
    all.filter(
      (one) =>
        !cached.has(nodeOf(one)) &&
        one.type !== 'execution_cached' &&
        one.type !== 'progress_state',
    )
  const [a, b] = [byNode(executed(then)), byNode(executed(now))]
  const other = [...a].find(([node, own]) => kindsOf(own) !== kindsOf(b.get(node)))
  if (other === undefined)
    return [note, ...nodeDifferences(executed(then), executed(now), identities).slice(1)]
  const [node, own] = other
  const what = node === '' ? 'the run itself' : `node ${node}`
  return [
    note,
    {
      drift: 'breaking',
      says: `${what} sent ${kindsOf(own)}, and sends ${kindsOf(b.get(node)) || 'nothing'}`,
    },
  ]
}
