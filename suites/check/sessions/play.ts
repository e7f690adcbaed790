// Plays a session on a server, and writes down what its clients see.

import { randomBytes } from 'node:crypto'
import type { Session as Socket } from '../../judge/client.ts'
import { endsRun } from '../../judge/responses.ts'
import { jsonIn, traceAt } from '../../../dist/emulator/session/index.js'
import { Skip } from '../../judge/skip.ts'
import type { Subject } from '../../judge/subject.ts'
import { ownFolder } from '../guard.ts'
import { RECORDED_HOST } from '../../laws/recorder.ts'
import type { FileLog, Reply, RunLog, SessionLog, SocketLog } from './log.ts'
import { arrayOf } from './log.ts'
import type { Client, Session, Step } from './steps.ts'
import { planOf } from './works.ts'

/** How long the end of a run may take to arrive after the run has left the queue, in milliseconds. */
const GRACE_MS = 2000
/** How many ends may be missing before the session is given up. */
const MAX_LOST = 2

/** What the steps leave behind. */
type Played = Omit<SessionLog, 'trace' | 'isShared'>

/** What a step needs. */
type Stage = {
  readonly subject: Subject
  readonly salt: string
  readonly log: Played
  /** The open sockets; of each client the newest comes last. */
  readonly open: { readonly socket: Socket; readonly seen: SocketLog }[]
  /** The index of the step. */
  at: number
  lost: number
}

/** Plays a session. `salt` makes its graphs different from those that the server has seen. */
export async function play(subject: Subject, steps: Session, salt: string): Promise<SessionLog> {
  // What has been sent before is not part of it.
  subject.recording()
  const log: Played = {
    deployment: subject.deployment,
    steps,
    begunMs: [],
    sockets: [],
    runs: [],
    files: [],
    looks: [],
  }
  const stage: Stage = { subject, salt, log, open: [], at: 0, lost: 0 }
  for (const [at, step] of steps.entries()) {
    stage.at = at
    log.begunMs[at] = performance.now()
    if (stage.lost <= MAX_LOST) await perform(stage, step)
  }
  stage.at = steps.length
  await finish(stage)
  const server = { place: subject.deployment, host: RECORDED_HOST }
  const trace = traceAt(subject.recording(), 'session', server)
  for (const { socket } of stage.open) await socket.close()
  return { ...log, trace, isShared: isShared(log) }
}

const perform = async (stage: Stage, step: Step): Promise<void> => {
  switch (step.do) {
    case 'connect':
      return connect(stage, step.client, step.keepsOld === true)
    case 'disconnect':
      return disconnect(stage, step.client)
    case 'submit':
      return submit(stage, step)
    case 'begin':
      return begin(stage, step.run)
    case 'interrupt':
      return interrupt(stage, step.run)
    case 'delete':
      return remove(stage, step.runs)
    case 'rest':
      return rest(stage)
    case 'look':
      return look(stage)
    case 'upload':
      return upload(stage, step.bytes)
  }
}

/** The longest text of a reply that is kept, in characters. */
const MAX_TEXT = 500

async function ask(
  stage: Stage,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Reply> {
  const { subject } = stage
  const { status, text } =
    method === 'GET' ? await subject.get(path) : await subject.post(path, body)
  return { status, body: jsonIn(text) ?? text.slice(0, MAX_TEXT) }
}

/** Reads the queue. */
async function look(stage: Stage): Promise<void> {
  const { status, body } = await ask(stage, 'GET', '/queue')
  const [running, pending] = [arrayOf(body?.queue_running), arrayOf(body?.queue_pending)]
  if (status === 200) stage.log.looks.push({ step: stage.at, running, pending })
}

const clientIdOf = (salt: string, client: Client): string => `flowdouble-check-${salt}-${client}`

async function connect(stage: Stage, client: Client, keepsOld: boolean): Promise<void> {
  const { subject, salt, log, open, at } = stage
  if (!keepsOld) await disconnect(stage, client)
  for (const { seen } of open) if (seen.client === client) seen.replaced ??= at
  const clientId = clientIdOf(salt, client)
  const socket = await subject.connect(clientId)
  const seen: SocketLog = { client, clientId, opened: at, recorded: socket.recorded }
  log.sockets.push(seen)
  open.push({ socket, seen })
}

async function disconnect({ open, at }: Stage, client: Client): Promise<void> {
  const own = open.filter(({ seen }) => seen.client === client)
  for (const one of own) {
    open.splice(open.indexOf(one), 1)
    one.seen.closed = at
    await one.socket.close()
  }
}

async function submit(stage: Stage, step: Extract<Step, { do: 'submit' }>): Promise<void> {
  const { subject, salt, log, at } = stage
  const { run, client, work, variant } = step
  const planned = await planOf(subject, work, variant, salt).catch((error: unknown) => {
    // What the server cannot do is left out.
    if (error instanceof Skip && error.reason === 'no-workload') return undefined
    throw error
  })
  if (planned === undefined) return
  const body = {
    prompt: planned.graph,
    ...(client !== null && { client_id: clientIdOf(salt, client) }),
    extra_data: { session: `${salt} ${run}` },
    ...planned.fields,
  }
  const reply = await ask(stage, 'POST', '/prompt', body)
  const { prompt_id, error } = reply.body ?? {}
  if (error?.type === 'invalid_prompt' && work !== 'unknown')
    throw new Skip('no-workload', `The server lacks a node type of the work ${work}.`)
  log.runs.push({
    run,
    work,
    variant,
    client,
    planned,
    submitted: at,
    reply,
    prompt_id: reply.status === 200 && typeof prompt_id === 'string' ? prompt_id : '',
  })
}

const runIn = ({ log }: Stage, run: number): RunLog | undefined =>
  log.runs.find((one) => one.run === run && one.prompt_id !== '')

/** The newest socket on which the messages of a run arrive. */
const listenerOf = ({ open, subject }: Stage, { client }: RunLog): Socket | undefined =>
  open.findLast(({ seen }) => subject.deployment === 'hosted' || seen.client === client)?.socket

async function begin(stage: Stage, run: number): Promise<void> {
  const one = runIn(stage, run)
  const socket = one && listenerOf(stage, one)
  if (!one || !socket) return
  const isAtWork = endsOrExecutes(stage, one)
  await stage.subject.reach(socket, isAtWork).catch(() => stage.lost++)
}

const endsOrExecutes =
  ({ subject }: Stage, { prompt_id }: RunLog) =>
  (message: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }): boolean =>
    (message.type === 'executing' && message.data['prompt_id'] === prompt_id) ||
    endsRun(subject.deployment, prompt_id)(message)

async function interrupt(stage: Stage, run: number): Promise<void> {
  const one = runIn(stage, run)
  if (!one) return
  one.interrupted ??= stage.at
  await ask(stage, 'POST', '/interrupt', { prompt_id: one.prompt_id })
}

async function remove(stage: Stage, runs: readonly number[]): Promise<void> {
  const own = runs.flatMap((run) => runIn(stage, run) ?? [])
  if (own.length === 0) return
  for (const one of own) one.deleted ??= stage.at
  await ask(stage, 'POST', '/queue', { delete: own.map(({ prompt_id }) => prompt_id) })
}

/** Waits until the queue has none of our runs, and the clients have received their ends. */
async function rest(stage: Stage): Promise<void> {
  const { subject, log, open, at } = stage
  const mine = log.runs.filter(({ over, prompt_id }) => over === undefined && prompt_id !== '')
  await subject.idle()
  for (const run of mine) {
    const socket = listenerOf(stage, run)
    const isEnd = endsRun(subject.deployment, run.prompt_id)
    if (
      socket !== undefined &&
      run.client !== null &&
      run.deleted === undefined &&
      isOwed(stage, run)
    )
      await subject.reach(socket, isEnd, GRACE_MS).catch(() => stage.lost++)
  }
  for (const { socket } of open) await socket.settled().catch(() => undefined)
  for (const run of mine) {
    run.over = at
    const id = encodeURIComponent(run.prompt_id)
    const { status, body } = await ask(stage, 'GET', `/history/${id}`)
    run.historyStatus = status
    run.entry = body?.[run.prompt_id]
    await readFiles(stage, run)
  }
}

/** Whether the client of a run was there when it ended: all its sockets may have opened too late. */
const isOwed = ({ log, at }: Stage, run: RunLog): boolean =>
  log.sockets.some(
    ({ client, opened, closed }) =>
      (log.deployment === 'hosted' || client === run.client) &&
      opened < run.submitted &&
      closed === undefined,
  ) && at > run.submitted

async function readFiles(stage: Stage, run: RunLog): Promise<void> {
  if (!run.planned.hasFiles) return
  const images = Object.values<any>(run.entry?.outputs ?? {}).flatMap((output) =>
    arrayOf(output?.images),
  )
  for (const { filename, subfolder, type } of images)
    await readFile(stage, { filename, subfolder, type }, { run: run.run })
}

async function readFile(
  stage: Stage,
  named: Readonly<Record<'filename' | 'subfolder' | 'type', string>>,
  more: Pick<FileLog, 'run' | 'sent'>,
): Promise<void> {
  const { status, headers, bytes } = await stage.subject.view(named)
  const contentType = headers['content-type'] ?? ''
  const name = `${named.subfolder}/${named.filename}`
  stage.log.files.push({ ...more, type: named.type, name, status, contentType, bytes })
}

async function upload(stage: Stage, size: number): Promise<void> {
  const sent = Buffer.from(Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) % 256))
  const name = `session-${stage.salt}.bin`
  const fields = { subfolder: ownFolder, overwrite: 'true' }
  const reply = await stage.subject.upload({ name, bytes: sent }, fields)
  const { name: filename = '', subfolder = '', type = '' } = jsonIn(reply.text) ?? {}
  await readFile(stage, { filename, subfolder, type }, { sent })
}

/** Stops what is left, and reads the history and the queue. */
async function finish(stage: Stage): Promise<void> {
  const { subject, log, open } = stage
  for (const { run, over, interrupted } of log.runs)
    if (over === undefined && interrupted === undefined) await interrupt(stage, run)
  await rest(stage)
  await subject.history()
  await look(stage)
  for (const { socket } of open) await socket.settled().catch(() => undefined)
}

/** Whether somebody else has submitted: the numbers of our submits then have gaps, or the queue lists others. */
function isShared({ runs, looks, deployment }: Played): boolean {
  const own = new Set(runs.map(({ prompt_id }) => prompt_id))
  const listed = looks.flatMap(({ running, pending }) => [...running, ...pending])
  if (listed.some(([, id]) => !own.has(id))) return true
  if (deployment === 'hosted') return false
  // A rejected submit uses a number too.
  const numbers = runs.map(({ reply }): number | undefined => reply.body?.number)
  const first = numbers[0]
  return (
    first === undefined || numbers.some((number, at) => number !== undefined && number > first + at)
  )
}

/** A text that no session before had. */
export const freshSalt = (): string => randomBytes(4).toString('hex')
