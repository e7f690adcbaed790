// The runs of one case on a server that may also run those of others: what it sends about them, and how to place them.

import { type Graph, node, talking } from '../generate/graphs.ts'
import type { Session } from './client.ts'
import { expect } from './expect.ts'
import { isAtWork, runsAtATime } from './hosted/busy-account.ts'
import type { Message } from './judge.ts'
import { endsRun, listedIds } from './responses.ts'
import { nodesOf } from '../support/transcript.ts'
import { missing, Skip } from './skip.ts'
import type { Run, Subject } from './subject.ts'

/** A session of this case's own client. */
export const me = ({ connect, unique }: Subject): Promise<Session> => connect(unique('me'))

/** What a server says of its machine and of the flags that it was started with. */
const systemOf = ({ once, get }: Subject): Promise<{ os?: string; argv?: unknown }> =>
  once('system', async () => (await get('/system_stats')).json().system)

/** Ends a case on a server that was started with a flag that turns off what the case is about. */
export async function withoutFlag(subject: Subject, flag: RegExp): Promise<void> {
  const { argv } = await systemOf(subject)
  const found = Array.isArray(argv) ? argv.find((one) => flag.test(`${one}`)) : undefined
  if (found !== undefined) throw missing(`The server was started with ${found}.`)
}

/** Ends a case about paths on a server whose paths are those of Windows. */
export async function needsPosix(subject: Subject): Promise<void> {
  const { os } = await systemOf(subject)
  if (/^(nt|win)/i.test(os ?? '')) throw missing('The server runs on Windows.')
}

/** What a session has received about a run. */
export const messagesAbout = (session: Session, prompt_id: string): readonly Message[] =>
  session.messages().filter(({ data }) => data['prompt_id'] === prompt_id)

/** The messages about a run and the broadcasts of the queue: those that the order table is about. */
export const ordered = (messages: readonly Message[], prompt_id: string): readonly Message[] =>
  messages.filter(({ type, data }) => type === 'status' || data['prompt_id'] === prompt_id)

/** A part of a path that nothing else on the server has. */
export const uniqueId = ({ unique }: Pick<Subject, 'unique'>, name: string): string =>
  unique(name).replaceAll('/', '-')

/** A number below 2 ** 24 that no other case uses: a colour or a seed of nodes that are in no cache. */
export function uniqueNumber({ unique }: Subject, name: string): number {
  return unique(name)
    .split('')
    .reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 0x1000000, 7)
}

/** Two nodes that are in no cache: 1, a picture, and 2, which shows it. */
export const shown = (subject: Subject, name: string): Graph => ({
  '1': node('EmptyImage', {
    width: 64,
    height: 64,
    batch_size: 1,
    color: uniqueNumber(subject, name),
  }),
  '2': node('PreviewImage', { images: ['1', 0] }),
})

/** The nodes that the messages of a type name, in the order of their ids. */
export const sortedNodes = (
  type: 'executing' | 'executed',
  messages: readonly Message[],
): readonly string[] => nodesOf(type, messages).map(String).toSorted()

/** The nodes that a run took from the cache, in the order of their ids. */
export function cachedNodes({ messages }: Pick<Run, 'messages'>): readonly string[] | undefined {
  const cached = messages.find(({ type }) => type === 'execution_cached')
  return (cached?.data['nodes'] as string[] | undefined)?.toSorted()
}

/**
 * A run that has to succeed for a rule about something else. Ends the case on a server that cannot do it: its models or
 * libraries do not suffice for the node.
 */
export function succeeded(run: Run): Run {
  const error = run.messages.find(({ type }) => type === 'execution_error')
  if (error === undefined) return run
  const { node_type, exception_type, exception_message } = error.data as Record<string, string>
  throw missing(`The run fails at ${node_type}: ${exception_type}: ${exception_message}`.trim())
}

/** Submits a graph for a session, and returns the id of its run. */
export async function submitFor(
  { submit }: Subject,
  session: Session,
  graph: Graph,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const reply = await submit(graph, { client_id: session.clientId, ...fields })
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 })
  return reply.json().prompt_id
}

/** A run at work: whatever is submitted after it stays pending until it is stopped. */
export type AtWork = {
  readonly prompt_id: string
  readonly graph: Graph
  /** The node that is running. */
  readonly node_id: string
  /** Interrupts it, and what else holds the others back. */
  readonly stop: () => Promise<void>
}

/**
 * Submits a slow run and waits until a node of it runs; `before` are outputs that it makes first. On hosted as many more slow
 * runs as the account has at work at a time.
 */
export async function occupy(
  subject: Subject,
  session: Session,
  before: Graph = {},
  fields: Readonly<Record<string, unknown>> = {},
): Promise<AtWork> {
  const { deployment, workloads } = subject
  const graph = { ...before, ...(await workloads.slow()) }
  const prompt_id = await submitFor(subject, session, graph, fields)
  const ids = [prompt_id]
  const most = deployment === 'hosted' ? await runsAtATime(subject) : 1
  while (ids.length < most) ids.push(await submitFor(subject, session, await workloads.slow()))
  const { data } = await subject.reach(
    session,
    (message) => isAtWork(prompt_id)(message) && !(String(message.data['node']) in before),
  )
  const stop = async (): Promise<void> => {
    for (const id of ids) await subject.post('/interrupt', { prompt_id: id })
    await subject.reach(session, endsRun(deployment, prompt_id))
  }
  return { prompt_id, graph, node_id: String(data['node']), stop }
}

/** A client with a run at work, and a way to submit small runs that stay pending behind it. */
export async function busy(subject: Subject) {
  const session = await subject.connect(subject.unique('me'))
  const held = await occupy(subject, session)
  const pend = async (...names: readonly string[]): Promise<string[]> => {
    const ids: string[] = []
    for (const name of names)
      ids.push(await submitFor(subject, session, talking(subject.unique(name))))
    return ids
  }
  /** Those of these runs that are pending, in the order of their submits: a server may list them in another. */
  const pending = async (ours: readonly string[]): Promise<string[]> => {
    const listed = new Set((await listedIds(subject)).pending)
    return ours.filter((id) => listed.has(id))
  }
  return { session, held, pend, pending }
}

/** A pending or running run as the queue lists it. */
export async function listedRun({ queue }: Subject, id: string) {
  const { running, pending } = await queue()
  return [...running, ...pending].find(({ prompt_id }) => prompt_id === id)
}

/** Ends a case that counts what everyone causes if the queue lists runs of others. */
export async function onlyOurs(subject: Subject, ours: readonly string[]): Promise<void> {
  const { running, pending } = await listedIds(subject)
  if ([...running, ...pending].some((id) => !ours.includes(id)))
    throw new Skip('busy', 'The queue lists runs of others.')
}

/**
 * What a session receives from now on and this matches. A server may send messages after the answer to the request that
 * causes them: the returned function waits until there are so many, and returns all that there are, also when no more arrive.
 * A case compares all of them after a last one that is sure to come: what should not have been sent is then among them.
 */
export function watch(
  session: Session,
  matches: (message: Message) => boolean,
): (count: number) => Promise<readonly Message[]> {
  const from = session.messages().length
  const all = (): readonly Message[] => session.messages().slice(from).filter(matches)
  return async (count) => {
    await session.until(() => all().length >= count).catch(() => undefined)
    return all()
  }
}

/** The counts in the statuses that a session receives from now on, when there are so many. */
export function watchCounts(session: Session): (count: number) => Promise<readonly number[]> {
  const statuses = watch(session, ({ type }) => type === 'status')
  return async (count) => (await statuses(count)).map((message) => countIn(message))
}

/** The number of runs in the queue that a status says. */
const countIn = ({ data }: Message): number =>
  (data as { status: { exec_info: { queue_remaining: number } } }).status.exec_info.queue_remaining

/** How many entries of the history are read to find the latest. */
const LATEST = 100

/** The flags that keep other results than those of the last graph. */
const otherCache = /^--cache-(?!classic)/

/**
 * Runs graphs for a session, each directly behind the one before: their numbers leave no place between them. Local only.
 * Ends the case if a run of another client came between.
 */
export async function runInTurn(
  subject: Subject,
  session: Session,
  graphs: readonly Graph[],
): Promise<readonly Run[]> {
  const { submit, reach, finished, get } = subject
  await withoutFlag(subject, otherCache)
  const ids: string[] = []
  let number: number | undefined
  for (const [index, graph] of graphs.entries()) {
    const place = number === undefined ? {} : { number: number + index / 100 }
    const reply = await submit(graph, { client_id: session.clientId, ...place })
    expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 200 })
    const made = reply.json() as { readonly prompt_id: string; readonly number: number }
    number ??= made.number
    ids.push(made.prompt_id)
  }
  const done: Run[] = []
  for (const prompt_id of ids) {
    await reach(session, endsRun('local', prompt_id))
    const entry = await finished(prompt_id)
    if (entry === undefined) throw new Error(`The history has no entry of the run ${prompt_id}.`)
    done.push({ prompt_id, messages: messagesAbout(session, prompt_id), entry })
  }
  const latest = Object.keys((await get(`/history?max_items=${LATEST}`)).json())
  const first = latest.indexOf(ids[0] as string)
  if (ids.some((id, index) => latest[first + index] !== id))
    throw new Skip('busy', 'A run of another client came between.')
  return done
}

/** Runs small graphs of these names, one after the other, and returns their ids. */
export async function runAll(subject: Subject, ...names: readonly string[]): Promise<string[]> {
  const session = await subject.connect(subject.unique('runner'))
  const ids: string[] = []
  for (const name of names)
    ids.push((await subject.run(session, talking(subject.unique(name)))).prompt_id)
  return ids
}

/** The ids that the history of a local server lists. */
export const idsOf = async ({ get }: Subject, query = ''): Promise<string[]> =>
  Object.keys((await get(`/history${query}`)).json())
