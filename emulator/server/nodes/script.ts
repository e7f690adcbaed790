// Node rules of the scenario [scenario/*]: which of them apply to a node, and what they say together.

import type { NodeRule } from '../../../spec/scenario/nodes.ts'
import { hash53 } from '../../lib/random.ts'
import type { Failure, NodeType } from '../state/nodes.ts'
import type { Run } from '../state/runs.ts'
import type { World } from '../state/world.ts'

/** The number of a run in rules: that of its submit among the accepted ones of the account, from 1. */
export const runNumber = ({ serial }: Pick<Run, 'serial'>): number => serial + 1

/** Whether a rule for this account applies to a world; it does to every local one. */
export const isForUser = ({ setup: { hosted } }: World, user: string | undefined): boolean =>
  user === undefined || hosted === null || user === hosted.account.user

/** What the rules say of a node of a run: the first that has a member decides it [scenario/node-choice]. */
export function nodeScript(
  world: World,
  run: number,
  node_id: string,
  class_type: string,
): NodeRule | undefined {
  const { nodes } = world.script
  if (nodes.length === 0) return undefined
  let script: NodeRule | undefined
  for (const rule of nodes) {
    const applies =
      (rule.class_type ?? class_type) === class_type &&
      (rule.node_id ?? node_id) === node_id &&
      (rule.run ?? run) === run &&
      isForUser(world, rule.user)
    if (applies) script = script === undefined ? rule : joined(script, rule)
  }
  return script
}

/** The members of both rules. Those that describe a failure come from one of them. */
function joined(first: NodeRule, second: NodeRule): NodeRule {
  const isFailing = first.exception_type !== undefined
  const { exception_message, atStep } = isFailing ? first : second
  const both = Object.assign({}, second, first)
  if (exception_message === undefined) delete both.exception_message
  else both.exception_message = exception_message
  if (atStep === undefined) delete both.atStep
  else both.atStep = atStep
  return both
}

/** The failure that a rule plans, or undefined. `meaningOf` returns the message for an exception without one. */
export const plannedFailure = (
  { exception_type, exception_message }: NodeRule,
  meaningOf: (exception_type: string) => string,
): Failure | undefined =>
  exception_type === undefined
    ? undefined
    : { exception_type, exception_message: exception_message ?? meaningOf(exception_type) }

/** A text that changes when a rule changes the results of a node; undefined if it leaves them as they are. */
export function scriptText(script: NodeRule): string | undefined {
  const { outputs, values, lists, expands, blocks, as } = script
  const results = [outputs, values, lists, expands, blocks, as]
  if (results.every((one) => one === undefined)) return undefined
  return `${hash53(JSON.stringify(results))}`
}

/** A node type whose lists are those of a rule [scenario/node-lists]. */
export const withLists = (type: NodeType, { lists }: NodeRule): NodeType =>
  lists === undefined
    ? type
    : Object.assign({}, type, {
        takesLists: lists.inputs ?? type.takesLists,
        outputIsList: lists.outputs ?? type.outputIsList,
      })
