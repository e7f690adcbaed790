// The history of a hosted server [history/hosted-*]: listing, reading and deleting entries.

import { get } from '../../lib/bounded.ts'
import { badRequest, empty, json, refuseHosted, type Reply } from '../../http/replies.ts'
import { filledParameter, type Request, wholeNumber } from '../../http/requests.ts'
import { badChange, readChange } from './clear-and-delete.ts'
import { momentOf, runningOf } from '../world/derived.ts'
import type { HistoryEntry, Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { entryText } from '../local/history.ts'
import { isFound, isRecorded } from '../world/history.ts'

/** The runs in the history: those that began and ended, until they are deleted. */
const isListed = (world: World, entry: HistoryEntry): boolean =>
  entry.startedMs !== null && !entry.isForgotten && isFound(world, entry)

/** GET /history_v2: newest first, `max_items` entries from `offset` on. */
export function readHistory(world: World, { query }: Request): Reply {
  const read = (name: string, usual: number): number | undefined =>
    wholeNumber(filledParameter(query, name) ?? `${usual}`, 0, Number.MAX_SAFE_INTEGER)
  const offset = read('offset', 0)
  const max = read('max_items', Number.MAX_SAFE_INTEGER)
  if (offset === undefined || max === undefined) {
    return badRequest('max_items and offset are numbers from 0 on.')
  }
  const entries = Array.from(world.state.history.entries.values(), ({ value }) => value).filter(
    (entry) => isListed(world, entry),
  )
  const page = entries.sort((a, b) => b.serial - a.serial).slice(offset, offset + max)
  if (world.setup.quirks.has('hosted.history-as-map')) {
    return json(
      `{${page.map((entry) => `${JSON.stringify(entry.prompt_id)}: ${entryText(entry)}`).join(', ')}}`,
    )
  }
  return json(`{"history": [${page.map((entry) => listed(world, entry)).join(', ')}]}`)
}

/** An entry of the list, without the graph. */
function listed(world: World, entry: HistoryEntry): string {
  const { prompt_id, workflow_id, createdMs } = entry
  const id = `"prompt_id": ${JSON.stringify(prompt_id)}`
  const workflow = workflow_id === null ? '' : `, "workflow_id": ${JSON.stringify(workflow_id)}`
  const time = `"create_time": ${momentOf(world, createdMs)}`
  return `{${id}, ${time}${workflow}, "prompt": {${promptMembers(entry)}}, ${outcome(entry)}}`
}

/** GET /history_v2/{id}: a run from its start on, with its outcome once it has ended. */
export function readHistoryEntry(world: World, { segment }: Request): Reply {
  const text = detail(world, segment)
  return text === undefined
    ? refuseHosted('notFound')
    : json(`{${JSON.stringify(segment)}: ${text}}`)
}

function detail(world: World, id: string): string | undefined {
  const running = runningOf(world).find(({ run }) => run.prompt_id === id)?.run
  if (running !== undefined) return `{"prompt": ${promptText(running, running.outputs)}}`
  const entry = get(world.state.history, id)
  if (entry !== undefined && !isRecorded(world, entry))
    return `{"prompt": ${promptText(entry, entry.targetsText)}}`
  if (entry === undefined || !isListed(world, entry)) return undefined
  if (world.setup.quirks.has('hosted.history-as-map')) return entryText(entry)
  return `{"prompt": ${promptText(entry, entry.targetsText)}, ${outcome(entry)}}`
}

/** The fields that a run and its entry share. */
type PromptRecord = Pick<Run, 'prompt_id' | 'numberText' | 'graphText' | 'extraDataText'>

const promptMembers = ({ numberText, prompt_id, extraDataText }: PromptRecord): string =>
  `"priority": ${numberText}, "prompt_id": ${JSON.stringify(prompt_id)}, "extra_data": ${extraDataText}`

function promptText(submitted: PromptRecord, targets: string | readonly string[]): string {
  const targetsText = typeof targets === 'string' ? targets : JSON.stringify(targets)
  const graph = `"prompt": ${submitted.graphText}, "outputs_to_execute": ${targetsText}`
  return `{${promptMembers(submitted)}, ${graph}}`
}

const outcome = ({ outputsText, statusText, metaText }: HistoryEntry): string =>
  `"outputs": ${outputsText}, "status": ${statusText}, "meta": ${metaText}`

/** POST /history: removes all entries with `clear`, the named ones with `delete`. Their jobs stay. */
export function changeHistory(world: World, request: Request): Reply {
  const change = readChange(request)
  if (change === undefined) return badChange
  const named = new Set(change.ids)
  for (const [id, { value }] of world.state.history.entries) {
    if (change.clear || named.has(id)) value.isForgotten = true
  }
  return empty
}
