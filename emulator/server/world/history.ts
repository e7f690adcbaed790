// Finished runs [history/*]: their entries as JSON text, and the queries on them.

import { withAsciiDigits } from '../../lib/python.ts'
import { clear, get, put, remove, takeOldest } from '../../lib/bounded.ts'
import { ownText } from '../../lib/json.ts'
import { empty, json, type Reply, refuse } from '../../http/replies.ts'
import { parameter, type Request } from '../../http/requests.ts'
import { readChange } from './clear-and-delete.ts'
import type { Ending, Entry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

function entryOf(world: World, run: Run, ending: Ending): Entry {
  const failed = ending.state !== 'success'
  const completed = !failed || world.quirks.has('history.completed-on-error')
  const status = `"status_str": "${failed ? 'error' : 'success'}", "completed": ${completed}`
  return {
    prompt_id: run.prompt_id,
    serial: run.serial,
    workflow_id: run.workflow_id,
    numberText: run.numberText,
    graphText: run.graphText,
    extraDataText: run.extraDataText,
    targetsText: ownText(JSON.stringify(run.outputs)),
    state: ending.state,
    outputsText: ownText(`{${ending.outputs.join(', ')}}`),
    statusText: ownText(`{${status}, "messages": [${ending.messages.join(', ')}]}`),
    metaText: ownText(`{${ending.meta.join(', ')}}`),
    failureText: ending.failure === null ? null : ownText(ending.failure),
    createdMs: run.submittedAtMs,
    startedMs: ending.startedMs,
    endedMs: world.nowMs,
    isForgotten: false,
  }
}

/** An entry as the local history tells it. */
export function entryText({
  prompt_id,
  numberText,
  graphText,
  extraDataText,
  targetsText,
  ...entry
}: Entry): string {
  const id = JSON.stringify(prompt_id)
  const prompt = `[${numberText}, ${id}, ${graphText}, ${extraDataText}, ${targetsText}]`
  const { outputsText, statusText, metaText } = entry
  return `{"prompt": ${prompt}, "outputs": ${outputsText}, "status": ${statusText}, "meta": ${metaText}}`
}

/** Adds the entry of a finished run. A reused id replaces its entry in its old place. */
export function remember(world: World, run: Run, ending: Ending): void {
  const entry = entryOf(world, run, ending)
  const replaced = get(world.history, run.prompt_id)
  const dropped = put(world.history, run.prompt_id, entry)
  world.historyLength += lengthOf(entry) - lengthOf(replaced) - dropped.reduce(sumLengths, 0)
  while (world.historyLength > MAX_HISTORY_LENGTH && world.history.entries.size > 1) {
    world.historyLength -= lengthOf(takeOldest(world.history))
  }
}

/** All entries together are no longer than this, in characters: a reply tells them all in one text. */
const MAX_HISTORY_LENGTH = 128 * 2 ** 20

/** About the length of an entry as a text. */
function lengthOf(entry: Entry | undefined): number {
  if (entry === undefined) return 0
  const { graphText, extraDataText, outputsText, statusText, metaText, failureText } = entry
  const texts = [graphText, extraDataText, outputsText, statusText, metaText, failureText ?? '']
  return texts.reduce((sum, { length }) => sum + length, 256)
}
const sumLengths = (sum: number, entry: Entry): number => sum + lengthOf(entry)

/** All entries by id, oldest first; `max_items` alone gives the newest, with `offset` a page. */
export function readHistory(world: World, request: Request): Reply {
  const max = pythonInt(parameter(request.query, 'max_items'))
  const offset = pythonInt(parameter(request.query, 'offset'))
  if (max === 'none' || offset === 'none') return refuse('internal')
  const entries = Array.from(
    world.history.entries,
    ([id, { value }]) => `${JSON.stringify(id)}: ${entryText(value)}`,
  )
  return json(`{${page(entries, max, offset).join(', ')}}`)
}

/** Python's `int` of a query parameter; `none` when it is no whole number. */
function pythonInt(text: string | undefined): number | undefined | 'none' {
  if (text === undefined) return undefined
  const digits = withAsciiDigits(text)
  return /^\s*[+-]?\d+\s*$/.test(digits) ? Number(digits) : 'none'
}

function page<T>(
  entries: readonly T[],
  max: number | undefined,
  offset: number | undefined,
): readonly T[] {
  const hasOffset = offset !== undefined && offset >= 0
  if (max === undefined) return hasOffset ? entries.slice(offset) : entries
  if (!hasOffset) return max > 0 ? entries.slice(-max) : []
  // Asking for none from an offset gives one: the real server counts before it compares.
  return entries.slice(offset, offset + Math.max(1, max))
}

/** One entry in an object, which is empty for an id that is unknown or not finished. */
export function readHistoryEntry(world: World, request: Request): Reply {
  const entry = get(world.history, request.segment)
  return json(
    entry === undefined ? '{}' : `{${JSON.stringify(request.segment)}: ${entryText(entry)}}`,
  )
}

/** Forgets all entries with `clear`, the named ones with `delete`. */
export function changeHistory(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return refuse('internal')
  if (change.clear) {
    clear(world.history)
    world.historyLength = 0
  }
  for (const id of change.ids) forgetEntry(world, id)
  return empty
}

/** Drops the entry of a run, if there is one. */
export function forgetEntry(world: World, id: string): void {
  world.historyLength -= lengthOf(get(world.history, id))
  remove(world.history, id)
}
