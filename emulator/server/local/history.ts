// The history of a local server [history/*]: listing, reading and deleting entries.

import { toInt } from '../../lib/python.ts'
import { numberOf } from '../../lib/json.ts'
import type { HistoryEntry } from '../state/runs.ts'
import { parameter, type Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'
import { clearHistory, findEntries, isFound, removeEntry } from '../world/history.ts'
import { empty, json, refuse, type Reply } from '../../http/replies.ts'
import { get } from '../../lib/bounded.ts'
import { readChange } from './clear-and-delete.ts'

/** All entries by id, oldest first; `max_items` alone selects the newest, with `offset` a page. */
export function readHistory(world: World, request: Request): Reply {
  const max = pythonInt(parameter(request.query, 'max_items'))
  const offset = pythonInt(parameter(request.query, 'offset'))
  if (max === 'none' || offset === 'none') return refuse('internal')
  const members = page(findEntries(world), max, offset).map(
    (entry) => `${JSON.stringify(entry.prompt_id)}: ${entryText(entry)}`,
  )
  return json(`{${members.join(', ')}}`)
}

/** Python's `int` of a query parameter; `none` if it is not a whole number. */
export function pythonInt(text: string | undefined): number | undefined | 'none' {
  if (text === undefined) return undefined
  const conversion = toInt(text)
  if ('failure' in conversion) return 'none'
  return numberOf(conversion.value) ?? 'none'
}

function page<T>(
  entries: readonly T[],
  max: number | undefined,
  offset: number | undefined,
): readonly T[] {
  const hasOffset = offset !== undefined && offset >= 0
  if (max === undefined) return hasOffset ? entries.slice(offset) : entries
  if (!hasOffset) return max > 0 ? entries.slice(-max) : []
  // With `max_items=0` and an offset there is one entry: the real server counts before it compares.
  return entries.slice(offset, offset + Math.max(1, max))
}

/** One entry in an object, which is empty if the id is unknown or the run has not finished. */
export function readHistoryEntry(world: World, request: Request): Reply {
  const entry = get(world.state.history, request.segment)
  return json(
    entry === undefined || !isFound(world, entry)
      ? '{}'
      : `{${JSON.stringify(request.segment)}: ${entryText(entry)}}`,
  )
}

/** Removes all entries with `clear`, the named ones with `delete`. */
export function changeHistory(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return refuse('internal')
  if (change.clear) clearHistory(world)
  const { ids, unhashableAt } = change
  for (const id of ids.slice(0, unhashableAt)) removeEntry(world, id)
  // Python looks up what has no hash, unless the history is empty.
  const trips = unhashableAt !== undefined && world.state.history.entries.size > 0
  return trips ? refuse('internal') : empty
}

/** An entry in the form of the local history. */
export function entryText({
  prompt_id,
  numberText,
  graphText,
  extraDataText,
  targetsText,
  ...entry
}: HistoryEntry): string {
  const id = JSON.stringify(prompt_id)
  const prompt = `[${numberText}, ${id}, ${graphText}, ${extraDataText}, ${targetsText}]`
  const { outputsText, statusText, metaText } = entry
  return `{"prompt": ${prompt}, "outputs": ${outputsText}, "status": ${statusText}, "meta": ${metaText}}`
}
