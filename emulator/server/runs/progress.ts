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
  all: null,
  origins: null,
})

/** Sets a node to `value` of `max`, which are JSON texts. */
export function setRunning(progress: Progress, node_id: string, value: string, max: string): void {
  progress.current = { node_id, value, max }
  progress.all?.set(node_id, { node_id, value, max, isFinished: false })
}

/** Keeps a node as running while others run: from now on all nodes stand in the order of their first start. */
export function setPaused(progress: Progress): void {
  const { all, finished, current } = progress
  progress.current = null
  if (all !== null) return
  const entries = finished.map((node) => Object.assign({ isFinished: true }, node))
  if (current !== null) entries.push(Object.assign({ isFinished: false }, current))
  progress.all = new Map(entries.map((node) => [node.node_id, node]))
}

/** Sets a node to done: `max` of `max`. */
export function setFinished(progress: Progress, node_id: string, max: string): void {
  progress.current = null
  if (progress.all === null) progress.finished.push({ node_id, value: max, max })
  else progress.all.set(node_id, { node_id, value: max, max, isFinished: true })
}

/** The data of a progress_state message. */
export function progressText(progress: Progress): string {
  if (progress.all !== null) return textOfAll(progress, progress.all)
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

function textOfAll(progress: Progress, all: NonNullable<Progress['all']>): string {
  const nodes = Array.from(all.values(), (node) =>
    nodeText(progress, node, node.isFinished ? 'finished' : 'running'),
  )
  return `{"prompt_id": ${progress.prompt}, "nodes": {${nodes.join(', ')}}}`
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
  const { prompt, types, origins } = progress
  const id = JSON.stringify(node_id)
  const class_type = types?.get(node_id)?.class_type
  const type = class_type === undefined ? '' : `, "class_type": ${JSON.stringify(class_type)}`
  const { display = node_id, parent = null, real = node_id } = origins?.get(node_id) ?? {}
  const ids = `"node_id": ${id}, "prompt_id": ${prompt}, "display_node_id": ${JSON.stringify(display)}`
  const source = `"parent_node_id": ${JSON.stringify(parent)}, "real_node_id": ${JSON.stringify(real)}`
  const text = copyText(`${ids}, ${source}${type}`)
  progress.same = { node_id, text }
  return text
}
