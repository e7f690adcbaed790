// Agent runs: from the prompt to the answer, and whether the answer is delivered.

import { failureNotice, runIds, silenceMarkers } from '../../spec/gateway/deliveries.ts'
import { plan } from './schedule.ts'
import type { AgentRun } from './machine.ts'
import { deliver } from './outbox.ts'
import { log, nextSerial, type Place, type Receiver } from './state.ts'
import { answerTo, scriptFor } from './scripted-agent.ts'

/** Starts a run, whose answer goes to the place. */
export function startRun(
  receiver: Receiver,
  given: Pick<AgentRun, 'delivery_id' | 'route' | 'event' | 'prompt' | 'skills' | 'payload'>,
  place: Place,
): void {
  const id = nextSerial(receiver)
  const run: AgentRun = {
    ...given,
    chat_id: fill(runIds.chat_id, given),
    session_key: fill(runIds.session_key, given),
    status: 'running',
    answer: null,
    is_silent: false,
    error: null,
  }
  receiver.running.set(id, { run, place })
  receiver.effects.push({ kind: 'run', id, run })
  const { agent } = receiver.options
  if (agent !== null)
    plan(receiver, scriptFor(agent, run.route).delayMs, { kind: 'answer', run: id })
  else {
    receiver.waiting.push(id)
    askNext(receiver)
  }
}

/** Lets the agent have the runs that wait, as far as it has room for them. Their time begins now. */
function askNext(receiver: Receiver): void {
  const { asked, waiting, running, options } = receiver
  while (asked.size < options.agentsAtOnce) {
    const id = waiting.shift()
    if (id === undefined) return
    const found = running.get(id)
    if (found === undefined) continue
    asked.add(id)
    receiver.effects.push({ kind: 'ask', id, run: found.run })
    plan(receiver, options.agentTimeOutMs, { kind: 'agent-time-out', run: id })
  }
}

const fill = (
  form: string,
  { route, delivery_id }: Pick<AgentRun, 'route' | 'delivery_id'>,
): string =>
  form.replaceAll(/\{(name|delivery_id)\}/g, (_, key) => (key === 'name' ? route : delivery_id))

/** The scripted agent answers. */
export function answerByScript(receiver: Receiver, id: number): void {
  const found = receiver.running.get(id)
  const { agent } = receiver.options
  if (found === undefined || agent === null) return
  const { answer, failure } = scriptFor(agent, found.run.route)
  if (failure === null) endRun(receiver, id, answerTo(answer, found.run), null)
  else endRun(receiver, id, '', failure)
}

/** Nothing to say is a failure too: somebody waits for an answer. */
const noAnswer = 'the agent gave no answer'

/** A run has ended: with an answer, or with an error. Runs that ended before stay as they are. */
export function endRun(
  receiver: Receiver,
  id: number,
  answer: string,
  failure: string | null,
): void {
  const found = receiver.running.get(id)
  if (found === undefined) return
  receiver.running.delete(id)
  const { run, place } = found
  const error = failure ?? (answer.trim() === '' ? noAnswer : null)
  const is_silent = error === null && isSilence(answer)
  const status = error === null ? 'completed' : 'failed'
  const ended: AgentRun = {
    ...run,
    status,
    answer: failure === null ? answer : null,
    is_silent,
    error,
  }
  receiver.effects.push({ kind: 'run', id, run: ended })
  const { route, event, delivery_id } = run
  if (error !== null) log(receiver, 'error', `Run ${delivery_id} of ${route} failed: ${error}`)
  if (!is_silent) {
    const text = error === null ? answer : failureNotice.replace('{reason}', () => error)
    deliver(receiver, place, { text, route, event, delivery_id }, { kind: 'answer' })
  }
  if (receiver.asked.delete(id)) askNext(receiver)
}

/** Longer answers are no markers, and need not be looked at whole. */
const MAX_MARKER = 64

function isSilence(answer: string): boolean {
  const trimmed = answer.trim()
  if (trimmed.length > MAX_MARKER) return false
  const shown = trimmed.toUpperCase().replaceAll(/\s+/g, ' ')
  return silenceMarkers.some((marker) => marker === shown)
}
