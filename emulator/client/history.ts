// The server's records of a run, for when the socket fails: queue and history on
// local, jobs on hosted.

import { isFailure } from './failure.ts'
import type { Fields } from './json.ts'
import { readJobEntry, readJobState } from './jobs.ts'
import { isFinal } from './outcome.ts'
import { expectObjects, objectAt, readRecord, senseless, senselessMax } from './records.ts'
import type { RunLookup, RunState } from './records.ts'
import type { Server } from './server.ts'
import type { Clock } from './socket.ts'

const readsMax = 20
const firstPauseMs = 50
const longestPauseMs = 1_000

/** The history entry of a finished run; undefined without one. */
async function readEntry(asked: RunLookup): Promise<Fields | undefined> {
  const { server, promptId } = asked
  if (server.deployment === 'hosted') return readJobEntry(asked)
  const path = `/history/${encodeURIComponent(promptId)}`
  const { [promptId]: found } = await readRecord(asked, path)
  if (found === undefined) return undefined
  const entry = objectAt(server, path, found)
  expectObjects(server, path, entry, ['outputs', 'status'])
  return isFinal(entry) ? entry : undefined
}

/** Describes that a server has no record of a run. */
export const absence = ({ deployment }: Server, promptId: string): string =>
  deployment === 'hosted'
    ? `GET /jobs/${promptId} answered 404`
    : `GET /history/${promptId} has no end of it`

/**
 * The state of the run. On local, checks the queue first: a run that leaves it meanwhile is in the history. Throws a
 * `protocol` failure for an invalid response.
 */
export async function readRunState(asked: RunLookup): Promise<RunState> {
  if (asked.server.deployment === 'hosted') return readJobState(asked)
  const { queue_running, queue_pending } = await readRecord(asked, '/queue')
  if (!Array.isArray(queue_running) || !Array.isArray(queue_pending))
    throw senseless(asked.server, '/queue', { queue_running, queue_pending }, 'these are not lists')
  const rows: unknown[] = [...queue_running, ...queue_pending]
  const isQueued = rows.some((row) => Array.isArray(row) && row[1] === asked.promptId)
  if (isQueued) return 'waiting'
  return (await readEntry(asked)) === undefined ? 'unknown' : 'finished'
}

/**
 * The history entry of a run whose end was announced. It can be delayed: sends up to 20 requests in about 16 s.
 * Undefined if it never appears. Throws if the last request failed, and after 6 invalid responses in a row.
 */
export async function awaitEntry(asked: RunLookup & { clock: Clock }): Promise<Fields | undefined> {
  let faults = 0
  for (let read = 1; ; read++) {
    try {
      const entry = await readEntry(asked)
      if (entry !== undefined || read === readsMax) return entry
      faults = 0
    } catch (error) {
      if (!isFailure(error) || read === readsMax) throw error
      faults = error.outcome === 'protocol' ? faults + 1 : 0
      if (faults === senselessMax) throw error
    }
    await asked.clock.wait(Math.min(firstPauseMs * 2 ** (read - 1), longestPauseMs), asked.signal)
    asked.signal.throwIfAborted()
  }
}
