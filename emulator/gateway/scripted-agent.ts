// The agent that there is unless a real one is given: it answers each run as its script says.

import type { AgentRun } from './machine.ts'

/** How the scripted agent answers. */
export type AgentScript = {
  /** Its answer: `{prompt}`, `{route}`, `{event}` and `{delivery_id}` stand for those of the run. By default the prompt. */
  readonly answer: string
  /** Time until it answers, in milliseconds. */
  readonly delayMs: number
  /** Why it fails; null where it does not. */
  readonly failure: string | null
  /** What is different for the runs of a route, by its name. */
  readonly routes: Readonly<Record<string, Partial<Omit<AgentScript, 'routes'>>>>
}

export const plainScript: AgentScript = {
  answer: '{prompt}',
  delayMs: 0,
  failure: null,
  routes: {},
}

/** What the script says of the runs of a route. */
export function scriptFor(script: AgentScript, route: string): Omit<AgentScript, 'routes'> {
  const own = Object.hasOwn(script.routes, route) ? script.routes[route] : undefined
  if (own === undefined) return script
  const { answer = script.answer, delayMs = script.delayMs, failure = script.failure } = own
  return { answer, delayMs, failure }
}

/** The answer to a run. What is put in is not read again. */
export function answerTo(template: string, run: AgentRun): string {
  const { prompt, route, delivery_id } = run
  if (template === plainScript.answer) return prompt
  const event = typeof run.event === 'string' ? run.event : JSON.stringify(run.event)
  const texts = new Map(Object.entries({ prompt, route, event, delivery_id }))
  return template.replace(/\{(\w+)\}/g, (place, key: string) => texts.get(key) ?? place)
}
