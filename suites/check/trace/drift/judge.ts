// Judges what came now in the place of a recording: one verdict for each exchange, and one for each run on each socket.

import type { Schema } from '../../../../spec/language.ts'
import { messages as specs, type MessageType } from '../../../../spec/server/messages.ts'
import { bodiesOn } from '../../../generate/replies-on.ts'
import { kindOf, type Message } from '../../../judge/judge.ts'
import type { RunMessages, Trace, TracedExchange, TracedRun } from '../trace.ts'
import { type Difference, differencesOf } from './compare.ts'
import type { Identities } from './identities.ts'
import { jsonIn, type Played, type Replayed } from './play.ts'

/** The media type of a reply, without its parameters. */
const mediaOf = (type: string): string => type.split(';')[0]?.trim() ?? ''

const isSchema = (body: unknown): body is Schema => typeof body === 'object'

/** What differs in a reply. */
export function replyDifferences(
  { exchange, reply, error }: Replayed,
  { place }: Trace,
  identities: Identities,
): readonly Difference[] {
  if (reply === undefined) return [{ drift: 'vanished', says: `no reply came: ${String(error)}` }]
  const { status, endpoint } = exchange
  const isGone = status < 400 && [404, 405, 501].includes(reply.status)
  if (reply.status !== status)
    return [
      {
        drift: isGone ? 'vanished' : 'breaking',
        says: `the status was ${status}, and is ${reply.status}`,
      },
    ]
  return [...typeDifferences(exchange, reply.headers['content-type'] ?? ''), ...bodies()]

  function bodies(): readonly Difference[] {
    const [then, now] = [exchange.reply(), jsonIn(reply as NonNullable<typeof reply>)]
    if (!exchange.hasBody || then === undefined || endpoint === undefined || status >= 400)
      return []
    const schema = bodiesOn(place, endpoint.spec)[status]?.find(isSchema)
    if (now === undefined) return [{ drift: 'breaking', says: 'the body is not JSON any more' }]
    return differencesOf(then, now, sameIn(identities), schema)
  }
}

function typeDifferences({ type, recorded }: TracedExchange, now: string): readonly Difference[] {
  const then =
    recorded.response?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
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
export function* comparedRuns({ runs }: Trace, { replayed }: Played): Iterable<HeldRun> {
  const accepted = new Set(
    replayed.filter(({ reply }) => reply?.status === 200).map(({ exchange }) => exchange),
  )
  for (const run of runs)
    if (run.submit !== undefined && accepted.has(run.submit))
      for (const received of run.received) yield { run, received }
}

const dataSchema = (type: string): Schema | undefined =>
  Object.hasOwn(specs, type) ? specs[type as MessageType].data : undefined

const cachedIn = (all: readonly Message[]): string =>
  JSON.stringify(all.find(({ type }) => type === 'execution_cached')?.data['nodes'] ?? [])

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
  // What is cached depends on what others have run before.
  if (cachedIn(then) !== cachedIn(now)) return endDifferences(then, now)
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
  return then.flatMap((own, index) =>
    dataDifferences(`message ${index}, ${own.type}`, own, now[index], identities),
  )
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

/** Runs of which other nodes are cached are compared by their ends. */
function endDifferences(then: readonly Message[], now: readonly Message[]): readonly Difference[] {
  const [a, b] = [then.at(-1), now.at(-1)]
  if (a === undefined || b === undefined || kindOf(a) === kindOf(b))
    return [{ drift: 'cosmetic', says: 'other nodes of the run are cached' }]
  return [
    { drift: 'breaking', says: `the run ended with ${kindOf(a)}, and ends with ${kindOf(b)}` },
  ]
}
