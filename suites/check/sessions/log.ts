// What happened in a session, as the clients saw it: what is compared with another server, and judged by the laws.

import type { RecordedMessage } from '../../../dist/emulator/internal.js'
import { endsRun, type Message, type Trace } from '../../../dist/emulator/session/index.js'
import type { Deployment } from '../../../spec/language.ts'
import type { Client, Session, Work } from './steps.ts'
import type { Planned } from './works.ts'

/** JSON, or the beginning of a text. */
export type Reply = { readonly status: number; readonly body: any }

/** A listing of the queue, and the step that read it. */
export type Look = {
  readonly step: number
  readonly running: readonly any[]
  readonly pending: readonly any[]
}

/** A socket while it was open. */
export type SocketLog = {
  readonly client: Client
  readonly clientId: string
  /** The step that opened it. */
  readonly opened: number
  /** The step that closed it, and the one that opened a newer one in its place. */
  closed?: number
  replaced?: number
  /** What was sent and received on it. */
  readonly recorded: readonly RecordedMessage[]
}

/** A submit, and its run if it was accepted. */
export type RunLog = {
  readonly run: number
  readonly work: Work
  readonly variant: number
  readonly client: Client | null
  readonly planned: Planned
  /** The step of the submit, */
  readonly submitted: number
  readonly reply: Reply
  /** its id; empty if it was rejected, */
  readonly prompt_id: string
  /** and the step after which it was over. */
  over?: number
  /** The steps that interrupted or deleted it. */
  interrupted?: number
  deleted?: number
  /** Its history entry in the form of the deployment, and whether reading it succeeded. */
  entry?: any
  historyStatus?: number
}

/** A file that was read. */
export type FileLog = {
  readonly run?: number
  readonly type: string
  readonly name: string
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
  /** What it should contain. */
  readonly sent?: Uint8Array
}

export type SessionLog = {
  readonly deployment: Deployment
  readonly steps: Session
  /** When each step began. */
  readonly begunMs: number[]
  readonly sockets: SocketLog[]
  readonly runs: RunLog[]
  readonly files: FileLog[]
  readonly looks: Look[]
  /** All that was sent and received. */
  readonly trace: Trace
  /** Whether somebody else was busy on the server. */
  readonly isShared: boolean
}

/** The messages of a socket before the beginning of a step. */
export const messagesOn = (
  { trace, begunMs }: SessionLog,
  { recorded }: SocketLog,
  step = Infinity,
): readonly Message[] =>
  trace.sockets
    .filter((one) => one.recorded.messages === recorded)
    .flatMap(({ items }) => items)
    .flatMap(({ message, atMs }) =>
      message !== undefined && atMs < (begunMs[step] ?? Infinity) ? message : [],
    )

/** Whether a message is about a run. */
export const isAbout =
  ({ prompt_id }: RunLog) =>
  ({ data }: Message): boolean =>
    prompt_id !== '' && data?.['prompt_id'] === prompt_id

/** Whether a socket is open, and the newest of its client, from the beginning of a step to the end of another. */
const isSteady = ({ opened, closed, replaced }: SocketLog, from: number, to: number): boolean =>
  opened < from && (closed ?? Infinity) > to && (replaced ?? Infinity) > to

/** The sockets that receive a whole run: on local that of its client, on hosted all. */
export const audienceOf = (
  { deployment, sockets }: SessionLog,
  run: RunLog,
): readonly SocketLog[] =>
  sockets.filter(
    (socket) =>
      (deployment === 'hosted' || socket.client === run.client) &&
      isSteady(socket, run.submitted, run.over ?? Infinity),
  )

/** How a run has to end. `any` where time decides. */
export type Outcome = 'success' | 'error' | 'interrupted' | 'removed' | 'rejected' | 'any'

/** The messages that end a run. */
const terminals = {
  success: 'execution_success',
  error: 'execution_error',
  interrupted: 'execution_interrupted',
} as const

/** Up to this part of a run an interrupt must take effect before its end. */
const SOON = 0.5

/** The part of a run that its messages before this step report as done, from 0 to 1: 1 if they do not say so. */
function partDone(log: SessionLog, run: RunLog, step: number): number {
  const seen = log.sockets.flatMap((socket) => messagesOn(log, socket, step).filter(isAbout(run)))
  const open = log.sockets.some(
    ({ client, closed, replaced }) =>
      (log.deployment === 'hosted' || client === run.client) &&
      Math.min(closed ?? Infinity, replaced ?? Infinity) >= step,
  )
  if (seen.length === 0 || !open || seen.some(endsRun(log.deployment, run.prompt_id))) return 1
  const { needed } = run.planned
  const steps = seen.findLast(({ type }) => type === 'progress')?.data
  const unreported = run.work === 'slow' ? 0 : 1
  const stepsDone = steps === undefined ? unreported : Number(steps['value']) / Number(steps['max'])
  const last = seen.findLast(({ type }) => type === 'executing')?.data['node']
  return needed.length > 10 ? needed.indexOf(last as string) / needed.length : stepsDone
}

/** Whether a run was seen to be interrupted, by a message or in the history. */
const wasInterrupted = (log: SessionLog, run: RunLog): boolean =>
  log.sockets.some((socket) =>
    messagesOn(log, socket).some((one) => one.type === terminals.interrupted && isAbout(run)(one)),
  ) || arrayOf(run.entry?.status?.messages).some(([type]) => type === terminals.interrupted)

/** How a run has to end, from what was done to it. */
export function outcomeOf(log: SessionLog, run: RunLog): Outcome {
  const { planned, interrupted, deleted } = run
  if (planned.targets.length === 0) return 'rejected'
  if (run.prompt_id === '') return 'any'
  if (deleted !== undefined) return wasWaiting(log, run, deleted) ? 'removed' : 'any'
  if (interrupted !== undefined)
    return wasInterrupted(log, run) || partDone(log, run, interrupted + 1) < SOON
      ? 'interrupted'
      : 'any'
  // A slow run that nobody stops is stopped at the end of the session.
  if (run.work === 'slow') return 'any'
  return planned.fails === undefined ? 'success' : 'error'
}

export const arrayOf = (value: unknown): readonly any[] => (Array.isArray(value) ? value : [])

/** Whether a run still waited when this step deleted it: the listing after it shows an earlier one at work. */
function wasWaiting(log: SessionLog, run: RunLog, deleted: number): boolean {
  const after = log.looks.find(({ step }) => step > deleted)
  const ahead = new Set(
    log.runs.filter(({ submitted }) => submitted < run.submitted).map(({ prompt_id }) => prompt_id),
  )
  return (
    log.deployment === 'local' &&
    after !== undefined &&
    after.running.some(([, id]) => ahead.has(id))
  )
}
