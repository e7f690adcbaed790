// The text of progress_state, kept per run so that a step rewrites the one node that moved.
// The message lists all nodes touched so far, which would make a long run quadratic otherwise.

/** Progress of the nodes of one run. Finished nodes never change again, so their text only grows. */
export type Progress = {
  readonly prompt: string
  finished: string
  current: string
}

export const createProgress = (prompt_id: string): Progress => ({
  prompt: JSON.stringify(prompt_id),
  finished: '',
  current: '',
})

/** Sets the state of the node that runs. `value` and `max` are JSON texts: floats for nodes without steps. */
export function setProgress(
  progress: Progress,
  node_id: string,
  { value, max, state }: { value: string; max: string; state: 'running' | 'finished' },
): void {
  const id = JSON.stringify(node_id)
  const separator = progress.finished === '' ? '' : ', '
  const ids = `"node_id": ${id}, "prompt_id": ${progress.prompt}, "display_node_id": ${id}`
  progress.current = `${separator}${id}: {"value": ${value}, "max": ${max}, "state": "${state}", ${ids}, "parent_node_id": null, "real_node_id": ${id}}`
  if (state === 'finished') {
    progress.finished += progress.current
    progress.current = ''
  }
}

/** The data of a progress_state message. */
export const progressText = (progress: Progress): string =>
  `{"prompt_id": ${progress.prompt}, "nodes": {${progress.finished}${progress.current}}}`
