// How long the parts of a run take by its rules [scenario/run-duration, scenario/node-duration], and which never end.

import { isCached } from './result-cache.ts'
import type { Calls, Running } from '../state/runs.ts'
import type { Work } from '../state/nodes.ts'
import type { World } from '../state/world.ts'

/** The time between the start of a run and its first node. */
export const beginMs = (world: World, { run }: Running): number =>
  run.script?.durationMs === undefined ? world.setup.options.paceMs : 0

/** When a run whose nodes are done ends by its rule: its nodes can be cached, or faster than their part. */
export function endsAtMs({ state }: World, { run, startedMs }: Running): number | undefined {
  const durationMs = run.script?.durationMs
  if (durationMs === undefined) return undefined
  return startedMs + durationMs > state.nowMs ? startedMs + durationMs : undefined
}

/** The work of the next call of a node in the time that rules set, if any does [scenario/node-step-duration]. */
export function timed(world: World, running: Running, calls: Calls, work: Work): Work {
  const { stepMs, durationMs = 0 } = running.script ?? {}
  if (stepMs !== undefined && work.steps > 0)
    return Object.assign({}, work, { stepMs, restMs: durationMs / calls.count })
  const wholeMs = callMs(world, running, calls)
  if (wholeMs === undefined) return work
  return Object.assign({}, work, { stepMs: work.steps > 0 ? wholeMs / work.steps : wholeMs })
}

/**
 * The time of the next call of a node; undefined if no rule sets it. Of the time of its run, each node that is left gets
 * the same part.
 */
function callMs(world: World, running: Running, calls: Calls): number | undefined {
  const nodeMs = running.script?.durationMs
  if (nodeMs !== undefined) return nodeMs / calls.count
  const runMs = running.run.script?.durationMs
  if (runMs === undefined) return undefined
  const leftMs = Math.max(0, running.startedMs + runMs - world.state.nowMs)
  const callsLeft = calls.count - calls.at
  return leftMs / (nodesLeft(running) - 1 + callsLeft)
}

/** Whether the current call is the last one of a run that never ends [scenario/run-never-ends]. */
export const isEndless = (running: Running): boolean =>
  running.run.script?.neverEnds === true &&
  nodesLeft(running) <= 1 &&
  (running.calls === null || running.calls.at === running.calls.count - 1)

/** The nodes that the run still has to run, the current one included. Those that have expanded only wait. */
const nodesLeft = ({ schedule, worker, hashes, expansion }: Running): number =>
  [...schedule.pending.keys()].filter(
    (id) => !isCached(worker, hashes, id) && !expansion?.waiting.has(id),
  ).length
