// Run rules of the scenario [scenario/run-*]: what they say of a run, decided when it is accepted.

import type { RunRule } from '../../../spec/scenario/runs.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { isForUser, runNumber } from '../nodes/script.ts'
import type { World } from '../state/world.ts'

/** What the rules say of an accepted run: the first that has a member decides it [scenario/run-choice]. */
export function runScript(world: World, serial: number, graph: JsonObject): RunRule | null {
  const { runs } = world.script
  if (runs.length === 0) return null
  const number = runNumber({ serial })
  let script: RunRule | null = null
  for (const rule of runs) {
    const applies =
      (rule.run ?? number) === number &&
      isForUser(world, rule.user) &&
      (rule.workflow === undefined || containsType(graph, rule.workflow))
    if (applies) script = script === null ? rule : joined(script, rule)
  }
  return script
}

/** The members of both rules. The exception comes from the one that decides the outcome. */
function joined(first: RunRule, second: RunRule): RunRule {
  const both = Object.assign({}, second, first)
  if (first.outcome === undefined) return both
  const { exception_type, exception_message } = first
  if (exception_type === undefined) delete both.exception_type
  if (exception_message === undefined) delete both.exception_message
  return both
}

const containsType = (graph: JsonObject, class_type: string): boolean =>
  [...graph.values()].some((node) => isObject(node) && node.get('class_type') === class_type)
