// A complete run, from a workflow file to files on disk: upload, submit, follow, judge, download.

import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Deployment } from '../../spec/language.ts'
import { findServer } from './deployment.ts'
import { makeWritableFolder } from '../config/folders.ts'
import { download } from './download.ts'
import type { SavedFile } from './download.ts'
import { failure, isFailure, reasonOf } from './failure.ts'
import type { Outcome, RunError } from './failure.ts'
import { followRun } from './follow.ts'
import { absence, awaitEntry } from './history.ts'
import { judge } from './outcome.ts'
import type { OutputText, Verdict } from './outcome.ts'
import { newProgress, noteMessage } from './progress.ts'
import type { NodeProgress } from './progress.ts'
import { redactor } from './redact.ts'
import type { Redact } from './redact.ts'
import { readAddress } from './server.ts'
import type { Pause, Server } from './server.ts'
import { connect, disconnect, newFeed, realClock } from './socket.ts'
import type { Clock, Feed, Message } from './socket.ts'
import { nodeErrorLines, refused } from './refusals.ts'
import { submit } from './submit.ts'
import type { Submission } from './submit.ts'
import { uploadInputs } from './uploads.ts'
import { readWorkflow, submitBody, titleOf } from './workflow.ts'
import type { Workflow } from './workflow.ts'

/**
 * Events to display while a run is in progress. `file` is a local path; `title` the display name of the node.
 */
export type RunEvent =
  | { readonly kind: 'uploaded'; readonly file: string; readonly name: string }
  | { readonly kind: 'submitted'; readonly prompt_id: string }
  | { readonly kind: 'cached'; readonly nodes: readonly string[] }
  | ({ readonly kind: 'node'; readonly title: string } & NodeProgress)
  | { readonly kind: 'saved'; readonly file: SavedFile }
  | { readonly kind: 'warning' | 'hint'; readonly text: string }

export type RunOptions = {
  /** See `readAddress` for the accepted forms. */
  readonly url: string
  /** Detected by a request to the server if absent; a key implies hosted. */
  readonly deployment?: Deployment
  /** The key of a hosted server; no event and no result contains it. */
  readonly apiKey?: string
  readonly workflowPath: string
  /** Created if it does not exist. */
  readonly outDir: string
  /** A random UUID if absent. */
  readonly clientId?: string
  /** The overall time limit, in milliseconds; absent or 0 for none. */
  readonly timeoutMs?: number
  /** Sent as `extra_data.api_key_partner_org`; no event and no result contains it. */
  readonly partnerKey?: string
  readonly onProgress?: (event: RunEvent) => void
  /** Stops following the run; the server continues it. */
  readonly signal?: AbortSignal
  /** A substitute for real time, for tests. */
  readonly clock?: Clock
}

/**
 * `prompt_id` is null if nothing was accepted. `error` is present for every outcome but success.
 */
export type RunResult = {
  readonly prompt_id: string | null
  readonly outcome: Outcome
  readonly files: readonly SavedFile[]
  readonly texts: readonly OutputText[]
  readonly error?: RunError
}

/** A run in progress: its context, and its result so far. */
type Job = {
  readonly server: Server
  readonly workflow: Workflow
  readonly feed: Feed
  readonly outDir: string
  readonly partnerKey: string | undefined
  readonly report: (event: RunEvent) => void
  readonly redact: Redact
  readonly known: PartialResult
  /** The invalid responses so far, as sentences. */
  readonly senseless: string[]
}
type PartialResult = { prompt_id: string | null; files: SavedFile[]; texts: readonly OutputText[] }

/**
 * Runs a workflow on a server and downloads its outputs, including those of a failed run.
 * Resolves for every expected end, including an invalid file or a missing server; rejects only for
 * bugs in this program.
 */
export async function runWorkflow(options: RunOptions): Promise<RunResult> {
  const { clock = realClock, timeoutMs = 0 } = options
  const known: PartialResult = { prompt_id: null, files: [], texts: [] }
  const senseless: string[] = []
  const limit = new AbortController()
  const over = new AbortController()
  const stop = () => limit.abort()
  options.signal?.addEventListener('abort', stop, { once: true })
  if (options.signal?.aborted) stop()
  if (timeoutMs > 0) {
    void clock.wait(timeoutMs, over.signal).then(() => over.signal.aborted || limit.abort())
  }
  const keys = [options.partnerKey ?? '', options.apiKey ?? '']
  let redact = redactor(keys)
  try {
    const address = readAddress(options.url)
    redact = redactor([...keys, ...address.secrets])
    const workflow = await readWorkflow(options.workflowPath)
    const outDir = resolve(options.outDir)
    // Check before anything runs: without a writable folder the run would be in vain.
    await makeFolder(outDir)
    const report = (event: RunEvent) => options.onProgress?.(redact(event))
    const pause = newPause(report, clock)
    const server = await findServer(address, { ...options, pause, signal: limit.signal })
    const clientId = options.clientId ?? randomUUID()
    const feed = newFeed({ server, clientId, clock, signal: limit.signal })
    const { partnerKey } = options
    const job: Job = {
      server,
      workflow,
      feed,
      outDir,
      partnerKey,
      report,
      redact,
      known,
      senseless,
    }
    const verdict = await perform(job)
    return { ...redact({ ...known, ...errorMember(verdict) }), outcome: verdict.outcome }
  } catch (error) {
    const ended = options.signal?.aborted
      ? stopped(known.prompt_id)
      : timedOut(timeoutMs, known.prompt_id, senseless.at(-1))
    const reason = limit.signal.aborted ? ended : error
    if (!isFailure(reason)) throw reason
    return { ...redact({ ...known, error: reason.error }), outcome: reason.outcome }
  } finally {
    options.signal?.removeEventListener('abort', stop)
    over.abort()
  }
}

function errorMember({ error }: Verdict): { error?: RunError } {
  return error === undefined ? {} : { error }
}

async function perform(job: Job): Promise<Verdict> {
  const { server, feed, workflow } = job
  const messages: Message[] = []
  try {
    const text = await uploadInputs(server, workflow, {
      signal: feed.signal,
      onUpload: (upload) => job.report({ kind: 'uploaded', ...upload }),
    })
    const lack = await open(job)
    const body = submitBody({ text, clientId: feed.clientId, partnerKey: job.partnerKey })
    const submitted = await submit(server, body, feed.signal)
    job.known.prompt_id = submitted.promptId
    job.report({ kind: 'submitted', prompt_id: submitted.promptId })
    // Not earlier: if the server is unreachable, the submit reports it.
    if (lack !== undefined) job.report({ kind: 'hint', text: `${lack} Polling the job instead.` })
    warnOfNodeErrors(job, submitted)
    await follow(job, submitted, messages)
  } finally {
    disconnect(feed)
  }
  return conclude(job, messages)
}

async function makeFolder(path: string): Promise<void> {
  await makeWritableFolder(path).catch((error: unknown) => {
    throw failure(
      'usage',
      `Cannot write to the folder ${path} (${reasonOf(error)}): give another --out.`,
    )
  })
}

const newPause =
  (report: (event: RunEvent) => void, clock: Clock): Pause =>
  async (seconds, signal) => {
    report({ kind: 'hint', text: `The server requests a wait of ${seconds} s.` })
    await clock.wait(seconds * 1000, signal)
  }

/** Whether a server refuses a socket only for now. */
const isPassing = ({ message }: Error): boolean => /server response: 5\d\d/.test(message)

/**
 * Opens the socket. A hosted run, or one on a server that refuses sockets only for now, can be followed without one:
 * resolves to why it failed.
 */
async function open({ feed }: Job): Promise<string | undefined> {
  try {
    await connect(feed)
    return undefined
  } catch (error) {
    feed.signal.throwIfAborted()
    if (!isFailure(error)) throw error
    if (feed.server.deployment !== 'hosted' && !isPassing(error)) throw error
    return `${feed.server.shown} does not open a WebSocket at /ws (${reasonOf(error)}).`
  }
}

function warnOfNodeErrors({ report }: Job, { nodeErrors }: Submission): void {
  const lines = nodeErrorLines(nodeErrors)
  if (lines.length === 0) return
  report({
    kind: 'warning',
    text: ['A part of the workflow is invalid and will not run:', ...lines].join('\n'),
  })
}

async function follow(job: Job, submitted: Submission, messages: Message[]): Promise<void> {
  const progress = newProgress()
  const isDoubtful = Object.keys(submitted.nodeErrors).length > 0
  const onMessage = (message: Message) => {
    if (message.type === 'executed' || message.type.startsWith('execution_')) messages.push(message)
    for (const node of noteMessage(progress, message)) {
      job.report({ kind: 'node', title: titleOf(job.workflow, originOf(node.node)), ...node })
    }
    if (message.type === 'execution_cached') reportCached(job, message)
  }
  const onSilence = (seconds: number) =>
    job.report({ kind: 'hint', text: `No progress for ${seconds} s; still waiting.` })
  const onSenseless = (said: string) => {
    const sentence = said.replace(/[^.?]$/, '$&.')
    job.senseless.push(sentence)
    job.report({ kind: 'hint', text: `${sentence} Retrying.` })
  }
  const { promptId } = submitted
  try {
    await followRun(job.feed, { promptId, isDoubtful, onMessage, onSilence, onSenseless })
  } catch (error) {
    const isForgotten = isFailure(error) && error.error.type === 'run_lost'
    // Some servers accept a workflow that never runs, and report it only by node errors.
    throw isForgotten && isDoubtful && messages.length === 0
      ? refused('the workflow', undefined, submitted.nodeErrors)
      : error
  }
}

/** Nodes of an expanded graph are called `<node>.<call>.<graph>.<id>`. */
function originOf(node: string): string {
  return node.split('.')[0] ?? node
}

function reportCached({ report }: Job, { data }: Message): void {
  const nodes = Array.isArray(data['nodes']) ? data['nodes'].map(String) : []
  if (nodes.length > 0) report({ kind: 'cached', nodes })
}

async function conclude(job: Job, messages: readonly Message[]): Promise<Verdict> {
  const { server, feed, known } = job
  const { signal, clock } = feed
  const promptId = known.prompt_id ?? ''
  const entry = await awaitEntry({ server, promptId, signal, clock })
  if (entry === undefined) {
    job.report({ kind: 'warning', text: 'The server has no record of this run.' })
  }
  const verdict = judge(entry, messages)
  if (verdict === undefined) {
    const why = absence(server, promptId)
    throw failure(
      'protocol',
      `${server.shown} ended the run ${promptId} without saying how: ${why}.`,
    )
  }
  known.texts = verdict.texts
  const missing = await downloadAll(job, verdict)
  if (missing !== undefined && verdict.outcome === 'success') throw missing
  return verdict
}

/** Downloads all available outputs; resolves to the first failure, after trying every file. */
async function downloadAll(job: Job, verdict: Verdict): Promise<Error | undefined> {
  let first: Error | undefined
  const { server, outDir: folder, redact: localName, known, feed } = job
  for (const file of verdict.files) {
    try {
      const saved = await download(server, file, { folder, signal: feed.signal, localName })
      known.files.push(saved)
      job.report({ kind: 'saved', file: saved })
    } catch (error) {
      if (!isFailure(error)) throw error
      first ??= error
      job.report({ kind: 'warning', text: error.message })
    }
  }
  return first
}

const resumeHint = (promptId: string | null): string =>
  promptId === null ? '' : ` The server continues the run ${promptId}.`

const stopped = (promptId: string | null): Error =>
  failure('stopped', `Stopped.${resumeHint(promptId)}`)

function timedOut(timeoutMs: number, promptId: string | null, said?: string): Error {
  const goesOn = resumeHint(promptId)
  const meanwhile = said === undefined ? '' : ` Meanwhile ${said}`
  return failure(
    'timeout',
    `No end within ${timeoutMs / 1000} s.${goesOn}${meanwhile} Give a longer --timeout.`,
  )
}
