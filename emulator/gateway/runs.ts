// Agent runs: from the prompt to the answer, and whether the answer is delivered.

import { notices, runIds, silenceMarkers } from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import { cancelTimer } from '../lib/timers.ts'
import { plan } from './timers.ts'
import type { AgentRun } from './machine.ts'
import { deliver } from './outbox.ts'
import { hasQuirk, nextSerial, type Place, type GatewayState } from './state.ts'
import { answerTo, scriptFor } from './scripted-agent.ts'

/** Whether a run of so many bytes can still wait: what waits is bounded [deliveries/runs-bounded]. */
export function hasRoom(state: GatewayState, bytes: number): boolean {
  if (hasQuirk(state, 'webhooks.unbounded-runs')) return true
  const waiting = waitingRuns(state)
  const isSmall = state.waitingBytes + bytes <= limits.waitingRunBytes.value
  return waiting === 0 || (waiting < limits.waitingRuns.value && isSmall)
}

/** How many runs no agent has yet. */
export const waitingRuns = ({ running, asked }: GatewayState): number => running.size - asked.size

/** What a run holds, in bytes: its texts count by their letters. */
export const runBytes = ({ prompt, payload }: Pick<AgentRun, 'prompt' | 'payload'>): number =>
  prompt.length + payload.length

/** Starts a run, whose answer goes to the place. */
export function startRun(
  state: GatewayState,
  given: Pick<AgentRun, 'delivery_id' | 'route' | 'event' | 'prompt' | 'skills' | 'payload'>,
  place: Place,
): void {
  const id = nextSerial(state)
  const { route, event, delivery_id, prompt, skills, payload } = given
  const run: AgentRun = {
    route,
    event,
    delivery_id,
    prompt,
    skills,
    payload,
    chat_id: fill(chatIdParts, route, delivery_id),
    session_key: fill(sessionKeyParts, route, delivery_id),
    status: 'running',
    answer: null,
    is_silent: false,
    error: null,
  }
  const bytes = runBytes(run)
  state.running.set(id, { run, place, bytes })
  state.waitingBytes += bytes
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
    state.waitingBytes -= found.bytes
    state.effects.push({ kind: 'ask', id, run: found.run })
    asked.set(id, plan(state, options.agentTimeOutMs, { kind: 'agent-time-out', run: id }))
  }
}

/** The form of an id, taken apart once: texts, with places at the odd ones. */
const partsOf = (form: string): readonly string[] => form.split(/\{(name|delivery_id)\}/)
const chatIdParts = partsOf(runIds.chat_id)
const sessionKeyParts = partsOf(runIds.session_key)

function fill(parts: readonly string[], route: string, delivery_id: string): string {
  let text = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as string
    text += at % 2 === 0 ? part : part === 'name' ? route : delivery_id
  }
  return text
}

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
  const { run, place, bytes } = found
  const timeOut = state.asked.get(id)
  if (timeOut === undefined) state.waitingBytes -= bytes
  else cancelTimer(state.timers, timeOut)
  const trimmed = answer.trim()
  const isEmpty = failure === null && trimmed === ''
  const error = isEmpty ? noAnswer : failure
  const is_silent = error === null && isSilence(trimmed)
  const status = error === null ? 'completed' : 'failed'
  const ended: AgentRun = {
    route: run.route,
    event: run.event,
    delivery_id: run.delivery_id,
    prompt: run.prompt,
    skills: run.skills,
    payload: run.payload,
    chat_id: run.chat_id,
    session_key: run.session_key,
    status,
    answer: failure === null ? trimmed : null,
    is_silent,
    error,
  }
  state.effects.push({ kind: 'run', id, run: ended })
  const { route, event, delivery_id } = run
  if (!is_silent) {
    const text = isEmpty ? notices.empty : failure === null ? trimmed : noticeOf(failure)
    const { target, chat_id, thread_id, deliver_extra, fault } = place
    const delivery = {
      target,
      chat_id,
      thread_id,
      deliver_extra,
      text,
      route,
      event,
      delivery_id,
      attempt: 1,
    }
    deliver(state, delivery, fault, { kind: 'answer' })
  }
  if (state.asked.delete(id)) askNext(state)
}

const noticeOf = (failure: string): string =>
  notices.failed.replace('{reason}', () => failure.slice(0, limits.noticeReason.value))

/** Longer answers are no markers, and need not be looked at whole. */
const MAX_MARKER = 64

function isSilence(trimmed: string): boolean {
  if (trimmed.length > MAX_MARKER) return false
  const normalized = trimmed.toUpperCase().replaceAll(/\s+/g, ' ')
  return silenceMarkers.some((marker) => marker === normalized)
}
