// Executes runs [runs/*]: a worker runs one after the other, node by node and step by step, and sends their messages.

import { isObject, type JsonObject } from '../../lib/json.ts'
import { fail, interruptedAt, succeed } from './endings.ts'
import { accountFailure } from './account-failures.ts'
import { brokenLink } from '../graph/graph.ts'
import { createCalls, hashOfCall, inputsOfCall, joinedUi, takeResults } from './list-mapping.ts'
import { announce } from '../world/log.ts'
import { everyone, send, sendFrame, sendStatus, socketsFor } from '../world/sockets.ts'
import { cachedResult, cacheResult, isCached, keepCacheOf } from './result-cache.ts'
import { keepLettersOf, loadModels } from './between-runs.ts'
import { gatherInputs } from './node-inputs.ts'
import { sendPreview } from './previews.ts'
import { progressText, setFinished, setRunning } from './progress.ts'
import { dequeue, nextPending, readyAtMs } from '../world/queue.ts'
import {
  createRunning,
  idAndTime,
  members,
  sendNotification,
  prepare,
  sendForRun,
} from './running.ts'
import { nodeScript, runNumber } from '../nodes/script.ts'
import { scriptedWork } from '../nodes/scripted-work.ts'
import { outputOf } from './user-output.ts'
import { beginMs, callMs, isEndless } from './pace.ts'
import { remaining } from '../world/derived.ts'
import type { Failure, NodeResult, NodeType, Work } from '../state/nodes.ts'
import type { Calls, Running, Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { sendLater, wakeWorker } from '../world/timers.ts'

/** Size of sampler previews: the longer side, in pixels. */
const PREVIEW_SIZE = 512

/** Continues the work of a worker, and sets its next timer. Delays its messages if the scenario says so. */
export function advance(world: World, worker: Worker): void {
  worker.timer = null
  const run = worker.running?.run ?? nextPending(world)
  const lagMs = run?.script?.socketLagMs ?? 0
  if (lagMs === 0) return proceed(world, worker)
  const before = world.effects
  world.effects = []
  proceed(world, worker)
  for (const effect of world.effects) {
    const isMessage = effect.kind === 'send' || effect.kind === 'frame'
    if (isMessage) sendLater(world, effect, world.state.nowMs + lagMs)
    else before.push(effect)
  }
  world.effects = before
}

function proceed(world: World, worker: Worker): void {
  const { running } = worker
  if (running === null) takeRun(world, worker)
  else if (running.work === null) startNextNode(world, running)
  else if (running.step < stepsToTake(running.work)) performStep(world, running, running.work)
  else finishNode(world, running, running.work)
}

const stepsToTake = ({ steps, stopsAt = steps }: Work): number => stopsAt

function scheduleNext(world: World, { worker }: Running, delayMs: number): void {
  wakeWorker(world, worker, world.state.nowMs + delayMs)
}

function takeRun(world: World, worker: Worker): void {
  if (isEarly(world, worker)) return
  const run = dequeue(world)
  if (run === undefined) return
  worker.interrupted = false
  const prepared = prepare(world, run)
  keepCacheOf(world, worker, prepared.hashes)
  keepLettersOf(world, prepared.types)
  const poison = run.poison ?? poisonOf(prepared.graph, run.outputs)
  const running = createRunning(world, worker, run, prepared, poison === null)
  world.state.startedCount++
  worker.running = running
  announce(world, run.prompt_id, 'started')
  sendStatus(world, remaining(world))
  if (poison !== null && world.setup.quirks.has('queue.poison-kills-worker')) worker.dead = true
  else begin(world, running, poison)
}

/** Announces a run and starts its work; a run that cannot continue ends here. */
function begin(world: World, running: Running, poison: string | null): void {
  const { graph, worker, hashes } = running
  sendForRun(world, running, 'execution_start', () => idAndTime(world, running))
  if (world.setup.traits.notifiesOfStart) sendNotification(world, running, 'Your run has started.')
  const ids = poison === null ? [...graph.keys()] : []
  const cached = ids.filter((id) => isCached(worker, hashes, id))
  const nodes = JSON.stringify(cached)
  sendForRun(
    world,
    running,
    'execution_cached',
    () => `{"nodes": ${nodes}, ${members(world, running)}`,
  )
  const failure = poison === null ? accountFailure(world) : failedBy(poison)
  if (failure === undefined) scheduleNext(world, running, beginMs(world, running))
  else fail(world, running, running.order[0] ?? firstKey(graph), failure)
}

/**
 * Whether the next run has not waited for its start delay yet: the worker was scheduled for another run, which is gone
 * or behind it. Its own timer will fire in time [queue/start-delay].
 */
function isEarly(world: World, worker: Worker): boolean {
  const next = nextPending(world)
  if (next === undefined) return false
  const readyMs = readyAtMs(world, next)
  if (readyMs > world.state.nowMs) wakeWorker(world, worker, readyMs)
  return readyMs > world.state.nowMs
}

const firstKey = (graph: JsonObject): string => graph.keys().next().value ?? ''

const failedBy = (poison: string): Failure => ({
  exception_type: 'ValueError',
  exception_message: poison,
})

/** Why this graph would kill the worker of a real server, or null [runs/poison-fails-its-run]. */
function poisonOf(graph: JsonObject, outputs: readonly string[]): string | null {
  for (const [id, node] of graph) {
    if (isObject(node) && !isObject(node.get('inputs'))) return `node ${id} has no inputs`
  }
  const broken = brokenLink(graph, outputs)
  return broken === undefined
    ? null
    : `node ${broken.id} links to ${broken.source}, which does not exist`
}

/** Handles cached nodes immediately, then starts the next node, or ends the run. */
function startNextNode(world: World, running: Running): void {
  for (; running.at < running.order.length; running.at++) {
    const id = running.order[running.at] as string
    const cached = cachedResult(running.worker, running.hashes, id)
    if (cached === undefined) return startNode(world, running, id)
    serveCached(world, running, id, cached)
  }
  succeed(world, running)
}

function serveCached(world: World, running: Running, id: string, cached: NodeResult): void {
  running.results.set(id, cached)
  sendExecuted(world, running, id, cached.ui)
  setFinished(running.progress, id, '1')
  sendProgressState(world, running)
}

function startNode(world: World, running: Running, id: string): void {
  const type = running.types.get(id) as NodeType
  setRunning(running.progress, id, '0.0', '1.0')
  sendProgressState(world, running)
  sendForRun(
    world,
    running,
    'executing',
    () => `{${displayNode(id)}, "prompt_id": ${running.promptIdText}}`,
  )
  if (running.lastNode === null) loadModels(world, running.graph)
  running.lastNode = id
  running.script = nodeScript(world, runNumber(running.run), id, type.class_type) ?? null
  running.inputs = gatherInputs(running, id, type)
  running.executed.push(id)
  startCall(world, running, id, createCalls(type, running.inputs))
}

function startCall(world: World, running: Running, id: string, calls: Calls): void {
  if (running.worker.interrupted) return interruptedAt(world, running, id)
  const type = running.types.get(id) as NodeType
  const { hasPartnerKey } = running.run
  const hash = hashOfCall(running.hashes.get(id) ?? 0, calls)
  const inputs = inputsOfCall(type, running.inputs, calls)
  const call = { world, node_id: id, type, hash, inputs, hasPartnerKey }
  running.calls = calls
  running.work = scriptedWork(call, running.script)
  const durationMs = callMs(world, running, calls)
  if (durationMs !== undefined) running.work = lasting(running.work, durationMs)
  running.step = 0
  if (running.work.text !== undefined) {
    // Texts of core nodes are sent to all clients, as on real servers.
    sendFrame(world, everyone(world), { frame: 'text', node_id: id, text: running.work.text })
  }
  if (running.work.notification !== undefined)
    sendNotification(world, running, running.work.notification)
  scheduleNext(world, running, running.work.stepMs ?? world.setup.options.paceMs)
}

/** The same work in this time. */
const lasting = (work: Work, durationMs: number): Work =>
  Object.assign({}, work, { stepMs: work.steps > 0 ? durationMs / work.steps : durationMs })

function performStep(
  world: World,
  running: Running,
  { steps, max = steps, stepMs, preview, previewFormat, socketPictures }: Work,
): void {
  const id = running.order[running.at] as string
  if (running.worker.interrupted) return interruptedAt(world, running, id)
  running.step++
  // Nodes that send their pictures count from 0, samplers from 1.
  const value = `${socketPictures === undefined ? running.step : running.step - 1}`
  setRunning(running.progress, id, value, `${max}`)
  sendProgressState(world, running)
  const sendProgress = (): void =>
    sendForRun(world, running, 'progress', () => {
      const ids = `"prompt_id": ${running.promptIdText}, "node": ${JSON.stringify(id)}`
      return `{"value": ${value}, "max": ${max}, ${ids}}`
    })
  const picture = socketPictures?.[running.step - 1]
  const format = previewFormat ?? world.setup.options.preview
  if (picture !== undefined) sendPreview(world, running, id, picture, 'png', sendProgress)
  else if (preview === undefined || format === 'none') sendProgress()
  else {
    const shown = { of: preview, step: running.step, steps, maxSize: PREVIEW_SIZE }
    sendPreview(world, running, id, shown, format, sendProgress)
  }
  // A node with a specific duration ends with its last step.
  const isLast = running.step === steps && stepMs !== undefined
  scheduleNext(world, running, isLast ? 0 : (stepMs ?? world.setup.options.paceMs))
}

function finishNode(world: World, running: Running, done: Work): void {
  const id = running.order[running.at] as string
  if (running.worker.interrupted && isEndless(running)) return interruptedAt(world, running, id)
  if (done.failure !== undefined) return fail(world, running, id, done.failure)
  if (isEndless(running)) return
  const ui = outputOf(world, running, done)
  if (typeof ui === 'object' && ui !== null) return fail(world, running, id, ui)
  const calls = running.calls as Calls
  const type = running.types.get(id) as NodeType
  const tooMuch = takeResults(calls, type, done, ui)
  if (tooMuch !== undefined) return fail(world, running, id, tooMuch)
  if (calls.at < calls.count) return startCall(world, running, id, calls)
  finishCalls(world, running, id, calls)
}

/** All calls of a node are done: joins their results. */
function finishCalls(world: World, running: Running, id: string, calls: Calls): void {
  const ui = joinedUi(calls)
  const result = { outputs: calls.outputs, ui, producer: id }
  running.results.set(id, result)
  cacheResult(world, running, id, result)
  if (ui !== null) sendExecuted(world, running, id, ui)
  const text = calls.max > 0 ? `${calls.max}` : '1.0'
  setFinished(running.progress, id, text)
  sendProgressState(world, running)
  running.work = null
  running.at++
  startNextNode(world, running)
}

function sendExecuted(world: World, running: Running, id: string, ui: string | null): void {
  sendForRun(
    world,
    running,
    'executed',
    () => `{${displayNode(id)}, "output": ${ui ?? 'null'}, "prompt_id": ${running.promptIdText}}`,
  )
}

/** The members that name the node of a message, and the node that displays it. */
function displayNode(id: string): string {
  const node = JSON.stringify(id)
  return `"node": ${node}, "display_node": ${node}`
}

function sendProgressState(world: World, running: Running): void {
  const sockets = socketsFor(world, 'progress_state', running.run.client_id)
  if (sockets.length > 0) send(world, sockets, 'progress_state', progressText(running.progress))
}
