// Which rules of the scenario apply to a call [scenario/model-choice].

import type { ModelRule } from '../../../spec/scenario/models.ts'
import { isMatch } from '../../lib/match.ts'
import { matchesPath } from '../../lib/path-pattern.ts'
import { isForUser } from '../nodes/script.ts'
import type { World } from '../state/world.ts'

/** The members that describe a failure: they come from one rule. */
const ofFailure = [
  'error',
  'status',
  'detail',
  'errors',
  'retryAfter',
  'upstreamStatus',
  'upstreamDetail',
  'refusalSubject',
  'kept',
] as const satisfies readonly (keyof ModelRule)[]

/** What the rules say of a call; counts it. */
export function ruleFor(
  world: World,
  call: { readonly model: string; readonly isRun: boolean; readonly input: unknown },
): ModelRule {
  let found: ModelRule = {}
  for (const active of world.script.models ?? []) {
    const { rule } = active
    if (!matches(world, rule, call)) continue
    active.matched++
    const { nth } = rule
    if (nth !== undefined && ![nth].flat().includes(active.matched)) continue
    found = joined(found, rule)
  }
  return found
}

function matches(
  world: World,
  { model, user, by, where }: ModelRule,
  call: Parameters<typeof ruleFor>[1],
): boolean {
  if (model !== undefined && !matchesPath(`/${model}`, `/${call.model}`)) return false
  if (by !== undefined && (by === 'run') !== call.isRun) return false
  return isForUser(world, user) && (where === undefined || isMatch(call.input, where))
}

/** The members of both rules: the first decides. */
function joined(first: ModelRule, second: ModelRule): ModelRule {
  const both: Record<string, unknown> = Object.assign({}, second, first)
  const isFailing = first.error !== undefined || first.errors !== undefined
  const failing = isFailing ? first : second
  for (const name of ofFailure)
    if (failing[name] === undefined) delete both[name]
    else both[name] = failing[name]
  return both
}
