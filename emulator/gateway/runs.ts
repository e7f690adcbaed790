// Agent runs: from the prompt to the answer and its delivery.

import { notices, runIds, silenceMarkers } from '../../spec/gateway/deliveries.ts'
import { limits } from '../../spec/limits.ts'
import { blanks, trimBoth } from '../lib/python.ts'
import { cancelTimer } from '../lib/timers.ts'
import { plan } from './state/timers.ts'
import type { AgentRun } from './state/run.ts'
import { deliver } from './outbox.ts'
import { keep, keeps, noteFact } from './state/keep.ts'
import { hasQuirk, nextSerial, type GatewayWorld } from './state/state.ts'
import type { StoredRun } from './state/facts.ts'
import { withEnd } from './state/pace.ts'
import { answerTo, scriptFor } from './state/scripted-agent.ts'
import {
  addWaiting,
  awaitingTurn,
  hasPlace,
  removeWaiting,
  runBytes,
  takeTurn,
} from './state/waiting.ts'

/** Whether a run of this size may wait. */
export const hasRoom = (world: GatewayWorld, route: string, bytes: number): boolean =>
  hasQuirk(world, 'webhooks.unbounded-runs') ||
  hasPlace(world.state.waiting, world.state.backlog, route, bytes)

/** How many more runs it takes from its store: where others take some too, as many as it has agents for. */
export function roomForRuns({ setup: { options }, state }: GatewayWorld): number {
  const { asked, waiting, isDraining } = state
  if (isDraining) return 0
  return options.store === 'shared'
    ? options.agentsAtOnce - asked.size - waiting.count
    : limits.waitingRuns.value - waiting.count
}

/** Whether an agent or a sender works, or the store is asked. */
export function isAtWork({ state }: GatewayWorld): boolean {
  const { asked, sending, pending, running, waiting } = state
  const scripted = running.size - asked.size - awaitingTurn(waiting)
  return asked.size + sending.size + pending.size + scripted > 0
}

/** How many accepted runs are not delivered. */
export const unfinished = ({ state: { running, attempts } }: GatewayWorld): number =>
  running.size + attempts.size

/** The keys of the runs that it works on. */
export function keysOfRuns({
  state: { running, attempts, pending },
}: GatewayWorld): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { run } of running.values()) keys.add(run.key)
  for (const { ending } of attempts.values()) if (ending.kind === 'answer') keys.add(ending.key)
  for (const one of pending.values()) if (one.kind === 'answer') keys.add(one.message.key)
  return keys
}

/** Starts an accepted run, or lets it wait. */
export function startRun(world: GatewayWorld, accepted: StoredRun): void {
  const id = nextSerial(world)
  const { key, route, event, delivery_id, prompt, skills, payload, place, isInOrder } = accepted
  const run: AgentRun = {
    key,
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
    delivery: 'pending',
  }
  const bytes = runBytes(run)
  const { agent, script: rules } = world.setup.options
  const script = scriptFor(agent, rules.agent ?? [], route, ++world.state.runCount)
  world.state.running.set(id, { run, place, script, bytes, isInOrder })
  const { ids } = addWaiting(world.state.waiting, route, bytes)
  world.effects.push({ kind: 'run', id, run })
  // A scripted agent has capacity for all.
  if (script !== null && !isInOrder) plan(world, script.delayMs, { kind: 'answer', run: id })
  else {
    ids.push(id)
    startNextRuns(world)
  }
}

/** Hands waiting runs to the agent, as far as it has capacity. Their time limit starts now. */
export function startNextRuns(world: GatewayWorld): void {
  const {
    setup: { options },
    state: { asked, waiting, running },
  } = world
  if (world.state.isDraining) return
  while (waiting.count > 0 && asked.size < options.agentsAtOnce) {
    const id = takeTurn(waiting, (route, first) => mayStart(world, route, first))
    const found = id === undefined ? undefined : running.get(id)
    if (id === undefined || found === undefined) return
    removeWaiting(waiting, found.run.route, found.bytes)
    const { script } = found
    noteFact(world, { kind: 'begun', key: found.run.key })
    if (script === null) world.effects.push({ kind: 'ask', id, run: found.run })
    const end =
      script === null
        ? plan(world, options.agentTimeOutMs, { kind: 'agent-time-out', run: id })
        : plan(world, script.delayMs, { kind: 'answer', run: id })
    asked.set(id, end)
  }
}

/** Whether a run may start: not while its route is in order, and an earlier answer is not delivered [deliveries/in-order]. */
function mayStart({ state }: GatewayWorld, route: string, id: number): boolean {
  const { running, asked, attempts } = state
  if (running.get(id)?.isInOrder !== true) return true
  for (const one of asked.keys()) if (running.get(one)?.run.route === route) return false
  for (const { delivery, ending } of attempts.values())
    if (ending.kind === 'answer' && delivery.route === route) return false
  return true
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

const firstAttempt = { part: 1, attempt: 1, isPlain: false, nextMs: 0 }

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
  world.state.pace = withEnd(world.state.pace, world.state.nowMs)
  if (timeOut === undefined) removeWaiting(world.state.waiting, run.route, bytes)
  else cancelTimer(world.state.timers, timeOut)
  const trimmed = trimBoth(answer)
  const isEmpty = failure === null && trimmed === ''
  const error = isEmpty ? noAnswer : failure
  const is_silent = error === null && isSilence(trimmed)
  const status = error === null ? 'completed' : 'failed'
  const delivery = is_silent ? 'silent' : 'pending'
  const ending = { status, answer: failure === null ? trimmed : null, is_silent, error } as const
  const ended: AgentRun = Object.assign({}, run, ending, { delivery } as const)
  world.effects.push({ kind: 'run', id, run: ended })
  const { key, route, event, delivery_id } = run
  if (is_silent) noteFact(world, { kind: 'ended', key, state: 'silent', error: null })
  else {
    const text = isEmpty ? notices.empty : failure === null ? trimmed : noticeOf(failure)
    const message = { key, text, route, event, delivery_id }
    const answered = { answer: ended.answer, error, is_silent, text, progress: firstAttempt }
    // An answer that is not kept could become another one after a restart.
    if (keeps(world))
      keep(world, [{ kind: 'answered', key, answered }], {
        kind: 'answer',
        run: id,
        place,
        message,
      })
    else deliver(world, place, message, { kind: 'answer', run: id, key })
  }
  if (world.state.asked.delete(id)) startNextRuns(world)
}

const noticeOf = (failure: string): string =>
  notices.failed.replace('{reason}', () => failure.slice(0, limits.noticeReason.value))

/** Longer answers are not markers, and need no full check. */
const MAX_MARKER = 64

const allBlanks = new RegExp(`${blanks}+`, 'g')

function isSilence(trimmed: string): boolean {
  if (trimmed.length > MAX_MARKER) return false
  const normalized = trimmed.toUpperCase().replaceAll(allBlanks, ' ')
  return silenceMarkers.some((marker) => marker === normalized)
}

/** Goes on with runs that the store hands over. */
export function takeClaimed(world: GatewayWorld, runs: readonly StoredRun[]): void {
  for (const run of runs) {
    const { key, route, event, delivery_id, place, answered } = run
    if (answered === null) startRun(world, run)
    else {
      const message = { key, text: answered.text, route, event, delivery_id }
      const ending = { kind: 'answer', run: nextSerial(world), key } as const
      deliver(world, place, message, ending, answered.progress)
    }
  }
}

/** Ends a run whose answer nobody needs any more: without a notice. */
export function cancelRun(world: GatewayWorld, key: string): void {
  const { running, asked, waiting, timers, attempts } = world.state
  noteFact(world, { kind: 'ended', key, state: 'cancelled', error: null })
  for (const [id, { delivery }] of attempts) if (delivery.key === key) attempts.delete(id)
  for (const [id, { run, bytes }] of running) {
    if (run.key !== key) continue
    running.delete(id)
    const timer = asked.get(id)
    if (timer === undefined) removeWaiting(waiting, run.route, bytes, id)
    else cancelTimer(timers, timer)
    asked.delete(id)
    const result = { status: 'failed', error: 'cancelled' } as const
    world.effects.push({ kind: 'run', id, run: Object.assign({}, run, result) })
  }
  startNextRuns(world)
}
