// Makes rules of what single nodes showed: for their type if all agree, else for the node, else for the node in each run.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import type { LearnedRun } from './runs.ts'
import { addTo } from './values.ts'

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
