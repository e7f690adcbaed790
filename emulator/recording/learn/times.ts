// How long nodes take: the median over the recorded runs, of nodes with steps the time of a step and what comes after.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { LearnedNode, LearnedRun } from './runs.ts'
import { addTo, median, roundedMs } from './values.ts'

/** One rule for each type that ran to its end or made a step, in the order in which they ran first. */
export function timeRules(runs: readonly LearnedRun[]): readonly NodeRule[] {
  const byType = new Map<string, LearnedNode[]>()
  for (const { nodes } of runs)
    for (const node of nodes.values()) addTo(byType, node.class_type, node)
  return [...byType].flatMap(([class_type, nodes]) => {
    const times = timesOf(nodes)
    return times === undefined ? [] : Object.assign({ class_type }, times)
  })
}

/** The times of a type; those of nodes that failed count if there are no others. */
function timesOf(all: readonly LearnedNode[]): Pick<NodeRule, 'durationMs' | 'stepMs'> | undefined {
  const successful = all.filter(({ failure }) => failure === null)
  const nodes = successful.length > 0 ? successful : all
  const gaps = nodes.flatMap(gapsOf)
  const ended = nodes.filter(({ endMs, startsAgain }) => endMs !== null && !startsAgain)
  if (gaps.length === 0)
    return ended.length === 0 ? undefined : { durationMs: roundedMs(median(ended.map(wholeMs))) }
  const stepMs = roundedMs(median(gaps))
  const rests = ended
    .filter(({ failure, stepsMs }) => failure === null && stepsMs.length > 0)
    .map((node) => Math.max(0, wholeMs(node) - node.stepsMs.length * stepMs))
  return { stepMs, durationMs: roundedMs(median(rests)) }
}

const wholeMs = ({ startMs, endMs }: LearnedNode): number => (endMs ?? startMs) - startMs

/** The time between the start and the first step, and between one step and the next. */
const gapsOf = ({ startMs, stepsMs }: LearnedNode): readonly number[] =>
  stepsMs.map((atMs, at) => atMs - (stepsMs[at - 1] ?? startMs))

/** The time between an accepted submit and its run, and between the start of a run and its first node. */
export function beginTimes(runs: readonly LearnedRun[]): {
  readonly startDelayMs?: number
  readonly pace?: number
} {
  const delays = runs.flatMap(({ acceptedMs, startMs, waits }) =>
    startMs === null || waits ? [] : Math.max(0, startMs - acceptedMs),
  )
  const begins = runs.flatMap(({ startMs, firstNodeMs }) =>
    startMs === null || firstNodeMs === null ? [] : firstNodeMs - startMs,
  )
  return {
    ...(delays.length > 0 && { startDelayMs: roundedMs(median(delays)) }),
    ...(begins.length > 0 && { pace: roundedMs(median(begins)) }),
  }
}
