// Agent runs: from the prompt to the answer and its delivery.

import { notices, runIds, silenceMarkers } from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import { cancelTimer } from '../lib/timers.ts'
import { plan } from './timers.ts'
import type { AgentRun } from './inputs.ts'
import { deliver } from './outbox.ts'
import { hasQuirk, nextSerial, type Destination, type GatewayWorld } from './state.ts'
import { answerTo, scriptFor } from './scripted-agent.ts'

/** Whether a run of this size may wait: the queue is bounded [deliveries/runs-bounded]. */
export function hasRoom(world: GatewayWorld, bytes: number): boolean {
  if (hasQuirk(world, 'webhooks.unbounded-runs')) return true
  const waiting = waitingRuns(world)
  const isSmall = world.state.waitingBytes + bytes <= limits.waitingRunBytes.value
  return waiting === 0 || (waiting < limits.waitingRuns.value && isSmall)
}

/** How many runs wait for an agent. */
export const waitingRuns = ({ state: { running, asked } }: GatewayWorld): number =>
  running.size - asked.size

/** The size of a run, in bytes: texts count by their characters. */
export const runBytes = ({ prompt, payload }: Pick<AgentRun, 'prompt' | 'payload'>): number =>
  prompt.length + payload.length

/** Starts a run whose answer goes to the place. */
export function startRun(
  world: GatewayWorld,
  given: Pick<AgentRun, 'delivery_id' | 'route' | 'event' | 'prompt' | 'skills' | 'payload'>,
  place: Destination,
): void {
  const id = nextSerial(world)
  const { route, event, delivery_id, prompt, skills, payload } = given
  const run: AgentRun = {
    route,
    event,
    delivery_id,
    prompt,
    skills,
    payload,
    chat_id: renderId(chatIdParts, route, delivery_id),
    session_key: renderId(sessionKeyParts, route, delivery_id),
    status: 'running',
    answer: null,
    is_silent: false,
    error: null,
  }
  const bytes = runBytes(run)
  const { agent, script: rules } = world.setup.options
  const script = scriptFor(agent, rules.agent ?? [], route, ++world.state.runCount)
  world.state.running.set(id, { run, place, script, bytes })
  world.state.waitingBytes += bytes
  world.effects.push({ kind: 'run', id, run })
  if (script !== null) plan(world, script.delayMs, { kind: 'answer', run: id })
  else {
    world.state.waiting.push(id)
    startNextRuns(world)
  }
}

/** Hands waiting runs to the agent, as far as it has capacity. Their time limit starts now. */
function startNextRuns(world: GatewayWorld): void {
  const {
    setup: { options },
    state: { asked, waiting, running },
  } = world
  while (asked.size < options.agentsAtOnce) {
    const id = waiting.shift()
    if (id === undefined) return
    const found = running.get(id)
    if (found === undefined) continue
    world.state.waitingBytes -= found.bytes
    world.effects.push({ kind: 'ask', id, run: found.run })
    asked.set(id, plan(world, options.agentTimeOutMs, { kind: 'agent-time-out', run: id }))
  }
}

/** The parsed form of an id: texts, with placeholders at odd positions. */
const partsOf = (form: string): readonly string[] => form.split(/\{(name|delivery_id)\}/)
const chatIdParts = partsOf(runIds.chat_id)
const sessionKeyParts = partsOf(runIds.session_key)

function renderId(parts: readonly string[], route: string, delivery_id: string): string {
  let text = ''
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as string
    text += at % 2 === 0 ? part : part === 'name' ? route : delivery_id
  }
  return text
}

/** The scripted agent answers. */
export function answerByScript(world: GatewayWorld, id: number): void {
  const found = world.state.running.get(id)
  if (found === undefined || found.script === null) return
  const { answer, failure } = found.script
  if (failure === null) endRun(world, id, answerTo(answer, found.run), null)
  else endRun(world, id, '', failure)
}

/** An empty answer is a failure: somebody waits for an answer. */
const noAnswer = 'the agent gave no answer'

/** Ends a run: with an answer, or with an error. Ignores runs that have already ended. */
export function endRun(
  world: GatewayWorld,
  id: number,
  answer: string,
  failure: string | null,
): void {
  const found = world.state.running.get(id)
  if (found === undefined) return
  world.state.running.delete(id)
  const { run, place, bytes } = found
  const timeOut = world.state.asked.get(id)
  if (timeOut === undefined) world.state.waitingBytes -= bytes
  else cancelTimer(world.state.timers, timeOut)
  const trimmed = answer.trim()
  const isEmpty = failure === null && trimmed === ''
  const error = isEmpty ? noAnswer : failure
  const is_silent = error === null && isSilence(trimmed)
  const status = error === null ? 'completed' : 'failed'
  const result = { status, answer: failure === null ? trimmed : null, is_silent, error } as const
  const ended: AgentRun = Object.assign({}, run, result)
  world.effects.push({ kind: 'run', id, run: ended })
  const { route, event, delivery_id } = run
  if (!is_silent) {
    const text = isEmpty ? notices.empty : failure === null ? trimmed : noticeOf(failure)
    deliver(world, place, { text, route, event, delivery_id }, { kind: 'answer' })
  }
  if (world.state.asked.delete(id)) startNextRuns(world)
}

const noticeOf = (failure: string): string =>
  notices.failed.replace('{reason}', () => failure.slice(0, limits.noticeReason.value))

/** Longer answers are not markers, and need no full check. */
const MAX_MARKER = 64

function isSilence(trimmed: string): boolean {
  if (trimmed.length > MAX_MARKER) return false
  const normalized = trimmed.toUpperCase().replaceAll(/\s+/g, ' ')
  return silenceMarkers.some((marker) => marker === normalized)
}
