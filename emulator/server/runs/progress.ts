// The progress of the nodes of one run, and the text of progress_state, which lists all nodes touched so far. Caches
// the text of finished nodes, so that a step writes only the current node: otherwise a run of many nodes takes
// quadratic time. Nothing is written without a recipient.

import { copyText } from '../../lib/json.ts'
import type { NodeProgress, Progress } from '../state/runs.ts'

export const createProgress = (prompt_id: string, types: Progress['types']): Progress => ({
  prompt: JSON.stringify(prompt_id),
  types,
  finished: [],
  current: null,
  text: '',
  written: 0,
  same: null,
})

/** Sets a node to `value` of `max`, which are JSON texts. */
export function setRunning(progress: Progress, node_id: string, value: string, max: string): void {
  progress.current = { node_id, value, max }
}

/** Sets a node to done: `max` of `max`. */
export function setFinished(progress: Progress, node_id: string, max: string): void {
  progress.finished.push({ node_id, value: max, max })
  progress.current = null
}

/** The data of a progress_state message. */
export function progressText(progress: Progress): string {
  for (const node of progress.finished.slice(progress.written)) {
    const separator = progress.text === '' ? '' : ', '
    // Every message copies it: it must be a flat string, not a tree of its parts.
    progress.text = copyText(progress.text + separator + nodeText(progress, node, 'finished'))
  }
  progress.written = progress.finished.length
  const { prompt, text, current } = progress
  const separator = text === '' || current === null ? '' : ', '
  const moving = current === null ? '' : nodeText(progress, current, 'running')
  return `{"prompt_id": ${prompt}, "nodes": {${text}${separator}${moving}}}`
}

function nodeText(
  progress: Progress,
  { node_id, value, max }: NodeProgress,
  state: 'running' | 'finished',
): string {
  const same = sameText(progress, node_id)
  return `${JSON.stringify(node_id)}: {"value": ${value}, "max": ${max}, "state": "${state}", ${same}}`
}

/** The members of a node that stay the same from step to step. */
function sameText(progress: Progress, node_id: string): string {
  if (progress.same?.node_id === node_id) return progress.same.text
  const { prompt, types } = progress
  const id = JSON.stringify(node_id)
  const class_type = types?.get(node_id)?.class_type
  const type = class_type === undefined ? '' : `, "class_type": ${JSON.stringify(class_type)}`
  const ids = `"node_id": ${id}, "prompt_id": ${prompt}, "display_node_id": ${id}`
  const text = copyText(`${ids}, "parent_node_id": null, "real_node_id": ${id}${type}`)
  progress.same = { node_id, text }
  return text
}
