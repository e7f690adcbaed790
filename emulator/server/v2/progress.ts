// The progress of a running job [v2-jobs/progress]: which part is done, and what its current node does.

import type { v2Progress } from '../../../spec/v2/v2-jobs.ts'
import type { Static } from '../../../spec/static.ts'
import { originOf } from '../runs/running.ts'
import type { Running } from '../state/runs.ts'

export function progressOf(running: Running): Static<typeof v2Progress> {
  const { current, work, results, schedule, step, types } = running
  const nodes_done = results.size
  const nodes_total = nodes_done + schedule.pending.size
  const isAtNode = current !== null && work !== null
  const steps = isAtNode && work.steps > 0 ? (work.max ?? work.steps) : null
  const part = steps === null ? 0 : Math.min(1, step / steps)
  const done = schedule.pending.size === 0 ? nodes_done : nodes_done + part
  const node = isAtNode ? originOf(running, current).display : null
  return {
    value: nodes_total === 0 ? 0 : done / nodes_total,
    nodes_done,
    nodes_total,
    current_node: node,
    current_node_class: node === null ? null : (types.get(node)?.class_type ?? null),
    message: null,
    step: steps === null ? null : Math.min(step, steps),
    steps,
  }
}
