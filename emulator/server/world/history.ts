// Finished runs [history/*]: adds, finds and removes their entries, which are JSON text.

import { clear, get, put, remove, takeOldest } from '../../lib/bounded.ts'
import { copyText } from '../../lib/json.ts'
import type { Ending, HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

function createEntry(world: World, run: Run, ending: Ending): HistoryEntry {
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
    endedMs: world.state.nowMs,
    isForgotten: false,
  }
}

/** Adds the entry of a finished run. A reused id replaces its entry at the same position. */
export function addEntry(world: World, run: Run, ending: Ending): void {
  const entry = createEntry(world, run, ending)
  const gone = put(world.state.history, run.prompt_id, entry)
  world.state.historyLength += entryLength(entry) - gone.reduce(sumLengths, 0)
  while (world.state.historyLength > MAX_HISTORY_LENGTH && world.state.history.entries.size > 1) {
    world.state.historyLength -= entryLength(takeOldest(world.state.history))
  }
}

/** The maximum total size of all entries, in characters: a reply contains them all in one text. */
const MAX_HISTORY_LENGTH = 128 * 2 ** 20

/** The approximate length of an entry as text. */
function entryLength(entry: HistoryEntry | undefined): number {
  if (entry === undefined) return 0
  const { graphText, extraDataText, outputsText, statusText, metaText, failureText } = entry
  const texts = [graphText, extraDataText, outputsText, statusText, metaText, failureText ?? '']
  return texts.reduce((sum, { length }) => sum + length, 256)
}
const sumLengths = (sum: number, entry: HistoryEntry): number => sum + entryLength(entry)

/** Removes the entry of a run, if there is one. */
export function removeEntry(world: World, id: string): void {
  world.state.historyLength -= entryLength(get(world.state.history, id))
  remove(world.state.history, id)
}

/** Removes all entries. */
export function clearHistory(world: World): void {
  clear(world.state.history)
  world.state.historyLength = 0
}
