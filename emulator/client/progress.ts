// Turns the messages of a run into the progress of its nodes, and that into a line of text. Pure.

import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import type { Message } from './socket.ts'

export type NodeProgress = {
  readonly node: string
  readonly value: number
  readonly max: number
  readonly state: 'running' | 'finished'
}

type Progress = {
  readonly nodes: Map<string, NodeProgress>
  /**
   * Whether the server reports every node with `progress_state`; then `executing` is ignored.
   */
  isDetailed: boolean
  executing: string | undefined
}

export function newProgress(): Progress {
  return { nodes: new Map(), isDetailed: false, executing: undefined }
}

/**
 * Applies a message of the run; returns the nodes whose progress it changed, in the order of
 * their start.
 */
export function noteMessage(progress: Progress, { type, data }: Message): NodeProgress[] {
  if (type === 'progress_state') return noteStates(progress, fieldsOf(data['nodes']) ?? {})
  if (progress.isDetailed) return []
  const node = typeof data['node'] === 'string' ? data['node'] : undefined
  if (type === 'execution_success') return finishExecuting(progress)
  if (type === 'executing') return noteExecuting(progress, node)
  if (node === undefined) return []
  if (type === 'progress') return noteSteps(progress, node, data)
  return type === 'executed' ? finish(progress, node) : []
}

function noteStates(progress: Progress, states: Fields): NodeProgress[] {
  progress.isDetailed = true
  return Object.entries(states).flatMap(([node, value]) => {
    const fields = fieldsOf(value) ?? {}
    const { state } = fields
    if (state !== 'running' && state !== 'finished') return []
    return change(progress, { node, state, ...stepsOf(fields) })
  })
}

function noteExecuting(progress: Progress, node: string | undefined): NodeProgress[] {
  const before = node === progress.executing ? [] : finishExecuting(progress)
  progress.executing = node
  if (node === undefined) return before
  return [...before, ...change(progress, { node, value: 0, max: 1, state: 'running' })]
}

function noteSteps(progress: Progress, node: string, data: Fields): NodeProgress[] {
  return change(progress, { node, state: 'running', ...stepsOf(data) })
}

function finishExecuting(progress: Progress): NodeProgress[] {
  const node = progress.executing
  progress.executing = undefined
  return node === undefined ? [] : finish(progress, node)
}

function finish(progress: Progress, node: string): NodeProgress[] {
  const max = progress.nodes.get(node)?.max ?? 1
  return change(progress, { node, value: max, max, state: 'finished' })
}

function change(progress: Progress, next: NodeProgress): NodeProgress[] {
  const last = progress.nodes.get(next.node)
  const isSame = last?.state === next.state && last.value === next.value && last.max === next.max
  if (isSame) return []
  progress.nodes.set(next.node, next)
  return [next]
}

function stepsOf(fields: Fields): { value: number; max: number } {
  const { value, max } = fields
  const isNumber = typeof value === 'number' && typeof max === 'number'
  return isNumber && max > 0
    ? { value: Math.min(Math.max(value, 0), max), max }
    : { value: 0, max: 1 }
}

/** A line like `[########........]  50%  10/20  Sampler (3)`, at most `columns` characters wide. */
export function progressLine(node: NodeProgress & { title: string }, columns: number): string {
  const share = node.state === 'finished' ? 1 : node.value / node.max
  const cells = 24
  const filled = Math.round(share * cells)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(cells - filled)}]`
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `${bar} ${percent}  ${nameLine(node)}`.slice(0, Math.max(columns, 1))
}

/** A line for a finished node in a log, without control sequences. */
export function finishedLine(node: NodeProgress & { title: string }): string {
  return `done  ${nameLine(node)}`
}

function nameLine({ node, title, value, max }: NodeProgress & { title: string }): string {
  return `${title} (${node})${max > 1 ? `  ${value}/${max}` : ''}`
}
