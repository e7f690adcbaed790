// What the server's records tell about a run, for when the socket does not: queue and history on
// local, jobs on hosted.

import { isFailure } from './failure.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { readJobEntry, readJobState } from './jobs.ts'
import { isFinal } from './outcome.ts'
import type { Asked, RunState } from './records.ts'
import { getJson } from './server.ts'
import type { Clock } from './socket.ts'

const readsMax = 20
const firstPauseMs = 50
const longestPauseMs = 1_000

/** The history entry of a finished run; undefined while there is none. */
async function readEntry(asked: Asked): Promise<Fields | undefined> {
  const { server, promptId, signal } = asked
  if (server.deployment === 'hosted') return readJobEntry(asked)
  const answer = await getJson(server, `/history/${encodeURIComponent(promptId)}`, signal)
  const entry = fieldsOf(fieldsOf(answer)?.[promptId])
  return entry !== undefined && isFinal(entry) ? entry : undefined
}

/**
 * Where the run is. On local the queue is asked first: a run that leaves it meanwhile is found in the
 * history.
 */
export async function readRunState(asked: Asked): Promise<RunState> {
  if (asked.server.deployment === 'hosted') return readJobState(asked)
  const queue = fieldsOf(await getJson(asked.server, '/queue', asked.signal)) ?? {}
  const rows = [queue['queue_running'], queue['queue_pending']].flat()
  const isQueued = rows.some((row) => Array.isArray(row) && row[1] === asked.promptId)
  if (isQueued) return 'waiting'
  return (await readEntry(asked)) === undefined ? 'unknown' : 'finished'
}

/**
 * The history entry of a run whose end was announced. It can come late: it is asked for up to 20
 * times in about 16 s. Undefined when it never came. Throws when the last request failed.
 */
export async function awaitEntry(asked: Asked & { clock: Clock }): Promise<Fields | undefined> {
  for (let read = 1; ; read++) {
    try {
      const entry = await readEntry(asked)
      if (entry !== undefined || read === readsMax) return entry
    } catch (error) {
      if (!isFailure(error) || read === readsMax) throw error
    }
    await asked.clock.wait(Math.min(firstPauseMs * 2 ** (read - 1), longestPauseMs), asked.signal)
    asked.signal.throwIfAborted()
  }
}
