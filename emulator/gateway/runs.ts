// Agent runs: from the prompt to the answer, and whether the answer is delivered.

import { failureNotice, runIds, silenceMarkers } from '../../spec/gateway/deliveries.ts'
import { plan } from './timers.ts'
import type { AgentRun } from './machine.ts'
import { deliver } from './outbox.ts'
import { log, nextSerial, type Place, type GatewayState } from './state.ts'
import { answerTo, scriptFor } from './scripted-agent.ts'

/** Starts a run, whose answer goes to the place. */
export function startRun(
  state: GatewayState,
  given: Pick<AgentRun, 'delivery_id' | 'route' | 'event' | 'prompt' | 'skills' | 'payload'>,
  place: Place,
): void {
  const id = nextSerial(state)
  const run: AgentRun = Object.assign({}, given, {
    chat_id: fill(runIds.chat_id, given),
    session_key: fill(runIds.session_key, given),
    status: 'running',
    answer: null,
    is_silent: false,
    error: null,
  } as const)
  state.running.set(id, { run, place })
  state.effects.push({ kind: 'run', id, run })
  const { agent } = state.options
  if (agent !== null) plan(state, scriptFor(agent, run.route).delayMs, { kind: 'answer', run: id })
  else {
    state.waiting.push(id)
    askNext(state)
  }
}

/** Lets the agent have the runs that wait, as far as it has room for them. Their time begins now. */
function askNext(state: GatewayState): void {
  const { asked, waiting, running, options } = state
  while (asked.size < options.agentsAtOnce) {
    const id = waiting.shift()
    if (id === undefined) return
    const found = running.get(id)
    if (found === undefined) continue
    asked.add(id)
    state.effects.push({ kind: 'ask', id, run: found.run })
    plan(state, options.agentTimeOutMs, { kind: 'agent-time-out', run: id })
  }
}

const fill = (
  form: string,
  { route, delivery_id }: Pick<AgentRun, 'route' | 'delivery_id'>,
): string =>
  form.replaceAll(/\{(name|delivery_id)\}/g, (_, key) => (key === 'name' ? route : delivery_id))

/** The scripted agent answers. */
export function answerByScript(state: GatewayState, id: number): void {
  const found = state.running.get(id)
  const { agent } = state.options
  if (found === undefined || agent === null) return
  const { answer, failure } = scriptFor(agent, found.run.route)
  if (failure === null) endRun(state, id, answerTo(answer, found.run), null)
  else endRun(state, id, '', failure)
}

/** Nothing to say is a failure too: somebody waits for an answer. */
const noAnswer = 'the agent gave no answer'

/** A run has ended: with an answer, or with an error. Runs that ended before stay as they are. */
export function endRun(
  state: GatewayState,
  id: number,
  answer: string,
  failure: string | null,
): void {
  const found = state.running.get(id)
  if (found === undefined) return
  state.running.delete(id)
  const { run, place } = found
  const error = failure ?? (answer.trim() === '' ? noAnswer : null)
  const is_silent = error === null && isSilence(answer)
  const status = error === null ? 'completed' : 'failed'
  const ended: AgentRun = Object.assign({}, run, {
    status,
    answer: failure === null ? answer : null,
    is_silent,
    error,
  } as const)
  state.effects.push({ kind: 'run', id, run: ended })
  const { route, event, delivery_id } = run
  if (error !== null) log(state, 'error', `Run ${delivery_id} of ${route} failed: ${error}`)
  if (!is_silent) {
    const text = error === null ? answer : failureNotice.replace('{reason}', () => error)
    deliver(state, place, { text, route, event, delivery_id }, { kind: 'answer' })
  }
  if (state.asked.delete(id)) askNext(state)
}

/** Longer answers are no markers, and need not be looked at whole. */
const MAX_MARKER = 64

function isSilence(answer: string): boolean {
  const trimmed = answer.trim()
  if (trimmed.length > MAX_MARKER) return false
  const normalized = trimmed.toUpperCase().replaceAll(/\s+/g, ' ')
  return silenceMarkers.some((marker) => marker === normalized)
}
