// The default agent: answers each run according to its script.

import type { AgentRule } from '../../../spec/scenario/gateway.ts'
import type { AgentRun } from './run.ts'

/** How the scripted agent answers. */
export type AgentScript = {
  /** Its answer; the placeholders are `{prompt}`, `{route}`, `{event}` and `{delivery_id}`. By default the prompt. */
  readonly answer: string
  /** Time until it answers, in milliseconds. */
  readonly delayMs: number
  /** Why it fails; null for success. */
  readonly failure: string | null
  /** Overrides for the runs of a route, by its name. */
  readonly routes: Readonly<Record<string, Partial<Omit<AgentScript, 'routes'>>>>
}

export const plainScript: AgentScript = {
  answer: '{prompt}',
  delayMs: 0,
  failure: null,
  routes: {},
}

/** The script for the runs of a route. */
function routeScript(script: AgentScript, route: string): Omit<AgentScript, 'routes'> {
  const own = Object.hasOwn(script.routes, route) ? script.routes[route] : undefined
  if (own === undefined) return script
  const { answer = script.answer, delayMs = script.delayMs, failure = script.failure } = own
  return { answer, delayMs, failure }
}

/**
 * The script for a run: that of its route, unless rules of the scenario decide otherwise; null if an external agent
 * answers. The first rule with an answer or an error decides both, the first with a delay the delay.
 * @param script null for an external agent.
 * @param run its number among the runs of the gateway, from 1.
 */
export function scriptFor(
  script: AgentScript | null,
  rules: readonly AgentRule[],
  route: string,
  run: number,
): Omit<AgentScript, 'routes'> | null {
  const plain = script === null ? null : routeScript(script, route)
  if (rules.length === 0) return plain
  const own = rules.filter((rule) => (rule.route ?? route) === route && (rule.run ?? run) === run)
  const ends = own.find(({ answer, error }) => answer !== undefined || error !== undefined)
  const delayMs = own.find((rule) => rule.delayMs !== undefined)?.delayMs ?? plain?.delayMs ?? 0
  if (ends !== undefined)
    return { answer: ends.answer ?? plainScript.answer, failure: ends.error ?? null, delayMs }
  return plain && { answer: plain.answer, failure: plain.failure, delayMs }
}

/** The answer to a run. Inserted values are not expanded again. */
export function answerTo(template: string, run: AgentRun): string {
  const { prompt, route, delivery_id } = run
  if (template === plainScript.answer) return prompt
  const event = typeof run.event === 'string' ? run.event : JSON.stringify(run.event)
  const texts = new Map(Object.entries({ prompt, route, event, delivery_id }))
  return template.replace(/\{(\w+)\}/g, (place, key: string) => texts.get(key) ?? place)
}
