// Finished runs [history/*]: their entries as JSON text, and the queries on them.

import { clear, get, put, remove, takeOldest } from '../bounded.ts'
import { ownText } from '../json.ts'
import { empty, json, type Reply, refuse } from '../replies.ts'
import { parameter, type Request } from '../requests.ts'
import { readChange } from './change.ts'
import { promptTuple } from './queue.ts'
import type { Run, World } from './world.ts'

/** How a run ended and what it left. `messages` are pairs of type and data; outputs and meta are members, as JSON text. */
export type Ending = {
  readonly failed: boolean
  readonly messages: readonly string[]
  readonly outputs: readonly string[]
  readonly meta: readonly string[]
}

/** Adds the entry of a finished run. A reused id replaces its entry in its old place. */
export function remember(world: World, run: Run, ending: Ending): void {
  const completed = !ending.failed || world.quirks.has('history.completed-on-error')
  const status = `"status_str": "${ending.failed ? 'error' : 'success'}", "completed": ${completed}`
  const [head, tail] = promptTuple(run, run.extraDataText)
  const parts = [
    tail,
    `"outputs": {${ending.outputs.join(', ')}}`,
    `"status": {${status}, "messages": [${ending.messages.join(', ')}]}`,
    `"meta": {${ending.meta.join(', ')}}}`,
  ]
  // The graph stays a text of its own: the files that the run has saved share it.
  const entry = [ownText(`{"prompt": ${head}`), run.graphText, ownText(parts.join(', '))]
  const replaced = get(world.history, run.prompt_id)
  const dropped = put(world.history, run.prompt_id, entry)
  world.historyLength += lengthOf(entry) - lengthOf(replaced) - dropped.reduce(sumLengths, 0)
  while (world.historyLength > MAX_HISTORY_LENGTH && world.history.entries.size > 1) {
    world.historyLength -= lengthOf(takeOldest(world.history))
  }
}

/** All entries together are no longer than this, in characters: a reply tells them all in one text. */
const MAX_HISTORY_LENGTH = 128 * 2 ** 20

const lengthOf = (entry: readonly string[] = []): number =>
  entry.reduce((sum, part) => sum + part.length, 0)
const sumLengths = (sum: number, entry: readonly string[]): number => sum + lengthOf(entry)

/** All entries by id, oldest first; `max_items` alone gives the newest, with `offset` a page. */
export function readHistory(world: World, request: Request): Reply {
  const max = wholeNumber(parameter(request.query, 'max_items'))
  const offset = wholeNumber(parameter(request.query, 'offset'))
  if (max === 'none' || offset === 'none') return refuse('internal')
  const entries = Array.from(
    world.history.entries,
    ([id, { value }]) => `${JSON.stringify(id)}: ${value.join('')}`,
  )
  return json(`{${page(entries, max, offset).join(', ')}}`)
}

/** Python's `int` of a query parameter; `none` when it is no whole number. */
function wholeNumber(text: string | undefined): number | undefined | 'none' {
  if (text === undefined) return undefined
  return /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : 'none'
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
    entry === undefined ? '{}' : `{${JSON.stringify(request.segment)}: ${entry.join('')}}`,
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
  for (const id of change.ids) {
    world.historyLength -= lengthOf(get(world.history, id))
    remove(world.history, id)
  }
  return empty
}
