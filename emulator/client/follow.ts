// Follows a run to its end: by the messages of the socket, and by the server's records if those
// fail.

import { failure, isFailure } from './failure.ts'
import { absence, readRunState } from './history.ts'
import { senselessMax } from './records.ts'
import type { RunState } from './records.ts'
import { connect, isOpen, takeItem } from './socket.ts'
import type { Feed, Message } from './socket.ts'

const quietMs = 10_000
const hintMs = 120_000
const retryMs = 500
const longestRetryMs = 5_000
const unknownMax = 5
const unreachableMax = 12

type FollowedRun = {
  readonly promptId: string
  /** The server reported invalid nodes: check soon whether anything runs at all. */
  readonly isDoubtful: boolean
  /** Receives every message of this run, in order; the last one ends it. */
  readonly onMessage: (message: Message) => void
  /** Called after every 120 s without a message of this run. */
  readonly onSilence: (seconds: number) => void
  /** Called with a sentence about the first of several invalid responses. */
  readonly onSenseless: (said: string) => void
}

/**
 * The state of the run and the connection between two items of the mailbox. Times are of the
 * feed's clock.
 */
type Watch = {
  isConnected: boolean
  hasMessages: boolean
  lastMessageAtMs: number
  hintAtMs: number
  checkAtMs: number
  /** How many checks in a row precede growing intervals. */
  checks: number
  unknowns: number
  failures: number
}

/**
 * Resolves when the run is over: according to a message, or to the history. Ignores messages of
 * other runs and of unknown types. Reopens a socket that dropped or never opened, and meanwhile
 * polls queue and history, on hosted the job. Throws `protocol` if the server has lost the run
 * or keeps sending invalid responses, `unreachable` if it does not come back.
 */
export async function followRun(feed: Feed, run: FollowedRun): Promise<void> {
  const watch = newWatch(feed, run)
  for (;;) {
    const item = await takeItem(feed, Math.max(0, watch.checkAtMs - feed.clock.now()))
    if (item?.kind === 'message' && item.message.data['prompt_id'] === run.promptId) {
      noteMessage(feed, watch)
      run.onMessage(item.message)
      if (endsRun(item.message)) return
      continue
    }
    if (item?.kind === 'dropped') watch.isConnected = false
    else if (feed.clock.now() < watch.checkAtMs) continue
    // Connect first: the socket then announces an end that the check is too early for.
    if (!watch.isConnected) watch.isConnected = await reconnect(feed)
    if ((await check(feed, run, watch)) === 'finished') return
    watch.checkAtMs = feed.clock.now() + pauseMs(run, watch)
    reportSilence(feed, run, watch)
  }
}

function newWatch(feed: Feed, run: FollowedRun): Watch {
  const now = feed.clock.now()
  const isConnected = isOpen(feed)
  return {
    isConnected,
    hasMessages: false,
    lastMessageAtMs: now,
    hintAtMs: now + hintMs,
    checkAtMs: now + (run.isDoubtful || !isConnected ? retryMs : quietMs),
    checks: 0,
    unknowns: 0,
    failures: 0,
  }
}

function noteMessage(feed: Feed, watch: Watch): void {
  const now = feed.clock.now()
  const news = {
    hasMessages: true,
    lastMessageAtMs: now,
    hintAtMs: now + hintMs,
    checkAtMs: now + quietMs,
  }
  Object.assign(watch, news, { checks: 0, unknowns: 0, failures: 0 })
}

function pauseMs(run: FollowedRun, watch: Watch): number {
  watch.checks += 1
  const isDoubtful = run.isDoubtful || watch.failures > 0
  // A live socket with messages about this run is enough for a while.
  const isUrgent = !watch.isConnected || watch.unknowns > 0 || (isDoubtful && !watch.hasMessages)
  return isUrgent ? Math.min(retryMs * 2 ** (watch.checks - 1), longestRetryMs) : quietMs
}

/** Whether a message ends its run. An error of a blocked output does not: the run continues. */
function endsRun({ type, data }: Message): boolean {
  if (type === 'executing') return data['node'] === null
  if (type === 'execution_error') return data['exception_type'] !== 'ExecutionBlocked'
  return type === 'execution_success' || type === 'execution_interrupted'
}

async function check(feed: Feed, run: FollowedRun, watch: Watch): Promise<RunState> {
  const { server, signal } = feed
  try {
    const state = await readRunState({ server, signal, promptId: run.promptId })
    watch.failures = 0
    watch.unknowns = state === 'unknown' ? watch.unknowns + 1 : 0
    if (watch.unknowns < unknownMax) return state
  } catch (error) {
    if (!isFailure(error)) throw error
    const isUnreachable = error.outcome === 'unreachable'
    watch.failures += 1
    if (watch.failures >= (isUnreachable ? unreachableMax : senselessMax)) throw error
    if (watch.failures === 1 && !isUnreachable) run.onSenseless(error.message)
    return 'waiting'
  }
  throw failure(
    'protocol',
    `${server.shown} no longer knows the run ${run.promptId} (${absence(server, run.promptId)}): ` +
      'it was removed from the queue, or the server was restarted. Submit it again.',
    { type: 'run_lost' },
  )
}

async function reconnect(feed: Feed): Promise<boolean> {
  try {
    await connect(feed)
    return true
  } catch (error) {
    feed.signal.throwIfAborted()
    if (!isFailure(error)) throw error
    return false
  }
}

function reportSilence(feed: Feed, run: FollowedRun, watch: Watch): void {
  const now = feed.clock.now()
  if (now < watch.hintAtMs) return
  watch.hintAtMs = now + hintMs
  run.onSilence(Math.round((now - watch.lastMessageAtMs) / 1000))
}
