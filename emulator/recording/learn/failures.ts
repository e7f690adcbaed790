// The nodes that failed, with their exception, and after how many steps.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { rulesFor, type Shown } from './agreement.ts'
import type { LearnedRun } from './runs.ts'

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
