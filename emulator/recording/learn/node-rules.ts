// Makes rules of what single nodes showed: for their type if all agree, else for the node, else for the node in each run. So for
// failures; of times the median over the recorded runs counts, of nodes with steps that of a step and of what comes after.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { addTo } from '../../lib/add-to.ts'
import type { LearnedNode, LearnedRun } from './runs.ts'

/** What one node showed in one run. */
export type Shown<T> = {
  readonly run: LearnedRun
  readonly id: string
  readonly class_type: string
  /** Null for a node that showed that it has none, undefined for one that showed nothing. */
  readonly value: T | null | undefined
}

type Choice = Pick<NodeRule, 'class_type' | 'node_id' | 'run'>

/**
 * The rules for what was shown, the narrowest where nodes differ.
 * @param runs all of them: a result in the cache keeps the rule of the run that made it.
 */
export function rulesFor<T>(
  shown: readonly Shown<T>[],
  runs: readonly LearnedRun[],
): readonly (Choice & { readonly value: T })[] {
  const byType = new Map<string, Shown<T>[]>()
  for (const one of shown) if (one.value !== undefined) addTo(byType, one.class_type, one)
  return [...byType].flatMap(([class_type, all]) => {
    const only = agreed(all)
    if (only !== undefined) return only === null ? [] : { class_type, value: only }
    const byNode = new Map<string, Shown<T>[]>()
    for (const one of all) addTo(byNode, one.id, one)
    return [...byNode].flatMap(([node_id, own]): readonly (Choice & { readonly value: T })[] => {
      const one = agreed(own)
      if (one !== undefined) return one === null ? [] : [{ class_type, node_id, value: one }]
      return inEachRun(own, runs).map(({ run, value }) => ({ class_type, node_id, run, value }))
    })
  })
}

/** The value that all share, undefined if they differ. */
function agreed<T>(all: readonly Shown<T>[]): T | null | undefined {
  const texts = new Set(all.map(({ value }) => JSON.stringify(value)))
  return texts.size === 1 ? all[0]?.value : undefined
}

/** The value in force in each run that has the node: the latest one until then. */
function inEachRun<T>(
  own: readonly Shown<T>[],
  runs: readonly LearnedRun[],
): readonly { readonly run: number; readonly value: T }[] {
  const [{ id, class_type } = { id: '', class_type: '' }] = own
  return runs.flatMap(({ number, graph }) => {
    if (graph[id]?.['class_type'] !== class_type) return []
    const value = own.findLast(({ run }) => run.number <= number)?.value
    return value === undefined || value === null ? [] : { run: number, value }
  })
}

type Failing = Pick<NodeRule, 'exception_type' | 'exception_message' | 'atStep'>

/** The rules for failures: of a type that always failed, of a node, or of a node in a run. */
export function failureRules(runs: readonly LearnedRun[]): readonly NodeRule[] {
  const shown = runs.flatMap((run) =>
    Array.from(run.nodes.values(), ({ id, class_type, failure, stepsMs }): Shown<Failing> => {
      const atStep = stepsMs.length > 0 ? { atStep: stepsMs.length } : {}
      return { run, id, class_type, value: failure && { ...failure, ...atStep } }
    }),
  )
  return rulesFor(shown, runs).map(({ value, ...choice }) => Object.assign({}, choice, value))
}

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

/** The middle of numbers; of an even count, the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ]
  return (low + high) / 2
}

/** A time to a tenth of a millisecond: recordings say no more. */
const roundedMs = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10)
