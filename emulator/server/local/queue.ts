// The queue of a local server [queue/*]: listing, clearing and interrupting.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import type { HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { unrecordedEntries } from '../world/history.ts'
import {
  clearPending,
  interruptWorker,
  listedOf,
  restIdleWorkers,
  takeOut,
} from '../world/queue.ts'
import { empty, json, refuse, type Reply } from '../../http/replies.ts'
import { isTruthy } from '../../lib/python.ts'
import { readChange } from './clear-and-delete.ts'
import { runningOf } from '../world/derived.ts'
import { sendStatus } from '../world/sockets.ts'

export function readQueue(world: World): Reply {
  const itemOf = (run: Run): string => queueItem(world, run)
  const running = [
    ...unrecordedEntries(world).map(unrecordedItem),
    ...runningOf(world).map(({ run }) => itemOf(run)),
  ]
  const pending = listedOf(world).map(itemOf)
  return json(
    `{"queue_running": [${running.join(', ')}], "queue_pending": [${pending.join(', ')}]}`,
  )
}

function queueItem(world: World, run: Run): string {
  const showsKey = world.setup.quirks.has('local.queue-shows-partner-key')
  const extraData = showsKey ? run.shownExtraDataText : run.extraDataText
  const id = JSON.stringify(run.prompt_id)
  return `[${run.numberText}, ${id}, ${run.graphText}, ${extraData}, ${JSON.stringify(run.outputs)}]`
}

/** A run that has ended, and that the records still show as running. */
const unrecordedItem = (entry: HistoryEntry): string => {
  const { numberText, prompt_id, graphText, extraDataText, targetsText } = entry
  return `[${numberText}, ${JSON.stringify(prompt_id)}, ${graphText}, ${extraDataText}, ${targetsText}]`
}

/** Removes pending runs: all with `clear`, the named ones with `delete`. Ignores running and unknown ids. */
export function changeQueue(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return refuse('internal')
  if (change.clear) {
    clearPending(world)
    sendStatus(world)
  }
  for (const id of change.ids) removePending(world, id)
  restIdleWorkers(world)
  return empty
}

/** Removes a pending run; false if no pending run has that id. */
export function removePending(world: World, id: string): boolean {
  const run = world.state.pendingById.get(id)?.[0]
  if (run === undefined) return false
  takeOut(world, run)
  sendStatus(world)
  // Removing the last pending run sends two messages, like real servers [queue/removal-status].
  if (world.state.pendingCount === 0) sendStatus(world)
  return true
}

/**
 * Requests the running run to stop at its next check point; with a `prompt_id` only that run. Without a running run the
 * request is lost: the next run clears the flag [queue/idle-interrupt-is-lost].
 */
export function interrupt(world: World, request: Request): Reply {
  let body: Json = new Map()
  try {
    if (request.body.length > 0) body = readJson(bodyText(request))
  } catch (error) {
    // A malformed body counts as absent; bytes that are not text are ignored.
    if (!(error instanceof SyntaxError)) return refuse('internal')
  }
  if (!isObject(body)) return refuse('internal')
  const id = body.get('prompt_id')
  for (const worker of world.state.workers) {
    if (!isTruthy(id) || id === worker.running?.run.prompt_id) interruptWorker(world, worker)
  }
  return empty
}
