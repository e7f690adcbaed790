// Finished runs [history/*]: adds, finds and removes their entries, which are JSON text.

import { clear, get, put, remove, takeOldest } from '../../lib/bounded.ts'
import { copyText } from '../../lib/json.ts'
import type { Ending, HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { waitUntil } from './timers.ts'

function createEntry(world: World, run: Run, ending: Ending): HistoryEntry {
  const { nowMs } = world.state
  // A run that was cancelled before it began has nothing to catch up with.
  const script = (ending.startedMs !== null && run.script) || {}
  const { historyLagMs = 0, historyLagPolls = 0, jobLagMs = 0, jobLagPolls = 0 } = script
  const failed = ending.state !== 'success'
  const completed = !failed || world.setup.quirks.has('history.completed-on-error')
  const status = `"status_str": "${failed ? 'error' : 'success'}", "completed": ${completed}`
  return {
    prompt_id: run.prompt_id,
    serial: run.serial,
    workflow_id: run.workflow_id,
    numberText: run.numberText,
    graphText: run.graphText,
    extraDataText: run.extraDataText,
    targetsText: copyText(JSON.stringify(run.outputs)),
    state: ending.state,
    outputsText: copyText(`{${ending.outputs.join(', ')}}`),
    statusText: copyText(`{${status}, "messages": [${ending.messages.join(', ')}]}`),
    metaText: copyText(`{${ending.meta.join(', ')}}`),
    failureText: ending.failure === null ? null : copyText(ending.failure),
    createdMs: run.submittedAtMs,
    startedMs: ending.startedMs,
    endedMs: nowMs,
    historyMs: nowMs + historyLagMs,
    jobMs: nowMs + jobLagMs,
    historyPolls: historyLagPolls,
    jobPolls: jobLagPolls,
    isForgotten: false,
  }
}

/** Adds the entry of a finished run. A reused id replaces its entry at the same position. */
export function addEntry(world: World, run: Run, ending: Ending): void {
  const entry = createEntry(world, run, ending)
  const gone = put(world.state.history, run.prompt_id, entry)
  if (run.script !== null) noteLag(world, entry)
  world.state.historyLength += lengthOf(entry) - gone.reduce(sumLengths, 0)
  while (world.state.historyLength > MAX_HISTORY_LENGTH && world.state.history.entries.size > 1) {
    world.state.historyLength -= lengthOf(takeOldest(world.state.history))
  }
}

/** Time passes at least until the records of a run are complete. */
function noteLag(world: World, { historyMs, jobMs, endedMs, historyPolls }: HistoryEntry): void {
  world.state.hasMissedEntries ||= historyPolls > 0
  for (const atMs of [historyMs, jobMs]) if (atMs > endedMs) waitUntil(world, atMs)
  world.state.lagUntilMs = Math.max(world.state.lagUntilMs, historyMs, jobMs)
}

/** Whether the history lists a run that has ended [scenario/history-lag]. */
export const isRecorded = ({ state }: World, { historyMs }: HistoryEntry): boolean =>
  historyMs <= state.nowMs

/** Whether a request finds an entry in the history. One that misses it counts [scenario/history-lag-polls]. */
export function isFound(world: World, entry: HistoryEntry): boolean {
  if (!isRecorded(world, entry)) return false
  if (entry.historyPolls === 0) return true
  entry.historyPolls--
  return false
}

/** The entries that a request finds in the history, oldest first. */
export const findEntries = (world: World): readonly HistoryEntry[] => {
  const entries = Array.from(world.state.history.entries.values(), ({ value }) => value)
  const mayMiss = isLagging(world) || world.state.hasMissedEntries
  return mayMiss ? entries.filter((entry) => isFound(world, entry)) : entries
}

/** The runs that have ended and that the queue still lists as running, oldest first [scenario/history-lag]. */
export function unrecordedEntries(world: World): readonly HistoryEntry[] {
  if (!isLagging(world)) return nothing
  const entries = Array.from(world.state.history.entries.values(), ({ value }) => value)
  return entries.filter((entry) => !isRecorded(world, entry))
}

const nothing: readonly HistoryEntry[] = []

/** Whether a record may lag behind its run. */
const isLagging = ({ state }: World): boolean => state.lagUntilMs > state.nowMs

/** The maximum total size of all entries, in characters: a reply contains them all in one text. */
const MAX_HISTORY_LENGTH = 128 * 2 ** 20

/** The approximate length of an entry as text. */
export function lengthOf(entry: HistoryEntry | undefined): number {
  if (entry === undefined) return 0
  const { graphText, extraDataText, outputsText, statusText, metaText, failureText } = entry
  const texts = [graphText, extraDataText, outputsText, statusText, metaText, failureText ?? '']
  return texts.reduce((sum, { length }) => sum + length, 256)
}
const sumLengths = (sum: number, entry: HistoryEntry): number => sum + lengthOf(entry)

/** Removes the entry of a run, if there is one. */
export function removeEntry(world: World, id: string): void {
  world.state.historyLength -= lengthOf(get(world.state.history, id))
  remove(world.state.history, id)
}

/** Removes all entries. */
export function clearHistory(world: World): void {
  clear(world.state.history)
  world.state.historyLength = 0
}
