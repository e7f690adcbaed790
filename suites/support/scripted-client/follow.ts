// How the scripted client follows its run to the end: by messages, and by the records of the server.

import { listenAgain, type Listener, type Message } from './listen.ts'
import { GivesUp, Hangs, insist, pause, type Session } from './session.ts'

export type Outputs = Readonly<Record<string, Readonly<Record<string, any>>>>

type RunRecord = {
  readonly state: 'success' | 'error' | 'interrupted' | 'running' | 'unknown'
  readonly outputs: Outputs
  readonly why: string
}

/** How often a run may be unknown to the server before it counts as lost. */
const LOST_AFTER = 10

/** Follows a run, and returns its outputs. Gives up if it fails. */
export async function follow(
  session: Session,
  prompt_id: string,
  clientId: string,
  opened: Listener | undefined,
): Promise<{ readonly outputs: Outputs; readonly ends: number }> {
  let listener = opened
  let unknown = 0
  const own = (): readonly Message[] =>
    (listener?.messages ?? []).filter(
      ({ data }) => session.has('foreign-messages') || data['prompt_id'] === prompt_id,
    )
  for (;;) {
    const isQuiet = listener === undefined ? await pause().then(() => true) : await listener.next()
    if (listener !== undefined && !listener.isOpen()) {
      listener = await listenAgain(session, clientId, await listener.code)
    }
    judgeMessages(session, own())
    const ends = own().filter(({ type }) => type === 'execution_success').length
    const isOver = own().some(isEnd)
    // What trusts the order of messages waits for all of them, however late they come.
    if (!isOver && (!isQuiet || session.has('order'))) continue
    // What counts ends waits for the others.
    if (isOver && !isQuiet && session.has('repeated-end')) continue
    const record = await readRecord(session, prompt_id)
    if (record.state === 'error' || record.state === 'interrupted') fail(session, record)
    if (record.state === 'success') {
      requireMessages(session, listener, own())
      listener?.close()
      return { outputs: session.has('missing-executed') ? listed(own()) : record.outputs, ends }
    }
    if (isOver && session.has('late-record')) throw new GivesUp('the record is missing')
    unknown = record.state === 'unknown' ? unknown + 1 : 0
    if (unknown > LOST_AFTER)
      throw session.has('lost-run') ? new Hangs() : new GivesUp('the run is lost')
    if (isOver) await pause()
  }
}

const isEnd = ({ type, data }: Message): boolean =>
  /^execution_(success|error|interrupted)$/.test(type) ||
  (type === 'executing' && data['node'] === null)

/** Gives up for messages that say so. */
function judgeMessages({ has }: Session, messages: readonly Message[]): void {
  for (const { type, data } of messages) {
    if (type === 'execution_error' && !has('failed-run') && !has('status-first'))
      throw new GivesUp(`${data['node_type']}: ${data['exception_message']}`)
    if (type === 'execution_interrupted' && !has('interrupted-run'))
      throw new GivesUp('interrupted')
  }
  const nodes = messages.flatMap(({ type, data }) => (type === 'executing' ? [data['node']] : []))
  if (has('order') && nodes.length > 1 && nodes[0] !== '1') throw new GivesUp('nodes out of order')
}

/** What clients with these flaws wait for in vain. */
function requireMessages(
  { has }: Session,
  listener: Listener | undefined,
  own: readonly Message[],
): void {
  if (
    has('silent-socket') &&
    listener !== undefined &&
    !own.some(({ type }) => type === 'executing')
  )
    throw new Hangs()
  if (has('missing-end') && !own.some(isEnd)) throw new Hangs()
  if (has('late-socket') && own.length === 0) throw new Hangs()
  if (
    has('cached-run') &&
    !own.some(({ type, data }) => type === 'executing' && data['node'] !== null)
  )
    throw new GivesUp('no node was executed')
}

/** The outputs that messages list. */
function listed(messages: readonly Message[]): Outputs {
  const executed = messages.filter(({ type }) => type === 'executed')
  return Object.fromEntries(executed.map(({ data }) => [data['node'], data['output']]))
}

function fail({ has }: Session, { state, why }: RunRecord): void {
  if (has(state === 'error' ? 'failed-run' : 'interrupted-run')) throw new Accepted()
  throw new GivesUp(`${state} ${why}`)
}

/** A flawed client takes the run as successful. */
export class Accepted extends Error {}

const readRecord = (session: Session, prompt_id: string): Promise<RunRecord> =>
  session.deployment === 'local' ? readHistory(session, prompt_id) : readJob(session, prompt_id)

async function readHistory(session: Session, prompt_id: string): Promise<RunRecord> {
  const times = session.has('poll-pace') ? 40 : 1
  const [reply] = await Promise.all(
    Array.from({ length: times }, () =>
      insist(session, 'retry-after-poll', `/history/${prompt_id}`),
    ),
  )
  const entry = ((await reply?.json()) as Record<string, any> | undefined)?.[prompt_id]
  if (entry === undefined) {
    const queue = (await (await insist(session, 'retry-after-poll', '/queue')).json()) as Record<
      string,
      any[]
    >
    const isQueued = Object.values(queue)
      .flat()
      .some((item) => item[1] === prompt_id)
    return { state: isQueued ? 'running' : 'unknown', outputs: {}, why: '' }
  }
  const { status_str, completed, messages } = entry.status
  if (session.has('status-first') && completed === true) throw new Accepted()
  const isInterrupted = messages.some(([type]: [string]) => type === 'execution_interrupted')
  const state = status_str === 'success' ? 'success' : isInterrupted ? 'interrupted' : 'error'
  return { state, outputs: entry.outputs, why: JSON.stringify(messages.at(-1)) }
}

const states: Readonly<Record<string, RunRecord['state']>> = {
  completed: 'success',
  success: 'success',
  failed: 'error',
  error: 'error',
  cancelled: 'interrupted',
}

async function readJob(session: Session, prompt_id: string): Promise<RunRecord> {
  const { has } = session
  const unknown: RunRecord = { state: 'unknown', outputs: {}, why: '' }
  const token = has('key-in-header') ? `?token=${session.apiKey}` : ''
  const path = `/job/${prompt_id}/status${token}`
  if (has('poll-pace')) await Promise.all(Array.from({ length: 40 }, () => session.ask(path)))
  const reply = await askJob(session, path)
  if (reply === undefined) return unknown
  const { status } = (await reply.json()) as { status: string }
  if (has('raw-states') && !/^(pending|in_progress|completed|failed|cancelled)$/.test(status))
    throw new GivesUp(`unknown status ${status}`)
  const state = states[status] ?? 'running'
  if (state === 'running') return { ...unknown, state }
  const job = await askJob(session, `/jobs/${prompt_id}`)
  if (job === undefined) return unknown
  const { outputs, execution_error } = (await job.json()) as Record<string, any>
  return { state, outputs: outputs ?? {}, why: JSON.stringify(execution_error) }
}

/** The reply about a job; undefined if it is not known yet. */
async function askJob(session: Session, path: string): Promise<Response | undefined> {
  try {
    return await insist(session, 'retry-after-poll', path)
  } catch (error) {
    const isMissing = error instanceof GivesUp && error.message.includes(' 404 ')
    if (!isMissing || session.has('job-not-yet')) throw error
  }
}
