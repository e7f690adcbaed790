// Executes the nodes of a run [runs/*], call by call and step by step, and sends their messages.

import { fail, failByCycle, interruptedAt, succeed } from './endings.ts'
import { awaitExpansion, expandCall, joinParts, scheduledGraph } from './expansion.ts'
import { missingSources } from './lazy-inputs.ts'
import {
  blockOf,
  createCalls,
  emptyListFailure,
  hashOfCall,
  inputsOfCall,
  joinedUi,
  takeResults,
} from './list-mapping.ts'
import { type NodeMoment, sendAtNode } from '../extensions/messages.ts'
import { everyone, send, sendFrame, socketsFor } from '../world/sockets.ts'
import { cachedResult, cacheResult, dropOtherResults } from './result-cache.ts'
import { loadModels } from './between-runs.ts'
import { gatherInputs } from './node-inputs.ts'
import { previewOf, sendPreview } from './previews.ts'
import { sendsProgress } from './throttle.ts'
import { progressText, setFinished, setPaused, setRunning } from './progress.ts'
import { finishScheduled, takeNext, waitFor } from '../graph/schedule.ts'
import { metadataFailure } from '../behaviours/saved-metadata.ts'
import { nodeScript, runNumber, withLists } from '../nodes/script.ts'
import { scriptedWork } from '../behaviours/scripted-work.ts'
import { outputOf } from './user-output.ts'
import { endsAtMs, isEndless, timed } from './pace.ts'
import { noteNode, originOf, sendForRun, sendNotification } from './running.ts'
import type { NodeResult, NodeType, Value, Work } from '../state/nodes.ts'
import type { Calls, Running } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { wakeWorker } from '../world/timers.ts'

/** Continues a run at its current node and step, and sets the next timer of its worker. */
export function continueRun(world: World, running: Running): void {
  const { work } = running
  if (running.waits !== null) endWait(world, running)
  else if (work === null) runNextNode(world, running)
  else if (running.step < (work.stopsAt ?? work.steps)) performStep(world, running, work)
  else finishCall(world, running, work)
}

/** Continues a run after this time. */
export function scheduleNext(world: World, { worker }: Running, delayMs: number): void {
  wakeWorker(world, worker, world.state.nowMs + delayMs)
}

/** Handles nodes that take no time, then starts the next one that does, or ends the run. */
function runNextNode(world: World, running: Running): void {
  const { schedule } = running
  for (let id = takeNext(schedule); id !== undefined; id = takeNext(schedule)) {
    const cached = cachedResult(running.worker, running.hashes, id)
    const waiting = running.expansion?.waiting.get(id)
    if (waiting !== undefined) {
      if (!resumeNode(world, running, id, waiting)) return
    } else if (cached === undefined) {
      if (!startNode(world, running, id)) return
    } else {
      serveCached(world, running, id, cached)
      finishNode(world, running, id)
    }
  }
  running.work = null
  const endMs = endsAtMs(world, running)
  if (schedule.pending.size > 0) failByCycle(world, running)
  else if (endMs === undefined) succeed(world, running)
  else wakeWorker(world, running.worker, endMs)
}

/** Sends what the scenario says at a node. */
function noteMoment(world: World, running: Running, id: string, at: NodeMoment): void {
  if (world.script.messages.length > 0) sendAtNode(world, running, id, at)
}

function serveCached(world: World, running: Running, id: string, cached: NodeResult): void {
  running.results.set(id, cached)
  sendExecuted(world, running, id, cached.ui)
  setFinished(running.progress, id, '1')
  sendProgressState(world, running)
}

/** Starts a node. Returns whether the run goes on with another one: it waits for lazy inputs, or is blocked. */
function startNode(world: World, running: Running, id: string): boolean {
  const known = running.types.get(id) as NodeType
  const script = nodeScript(world, runNumber(running.run), id, known.class_type) ?? null
  const type = script === null ? known : withLists(known, script)
  if (type !== known) running.types.set(id, type)
  noteNode(world, running, id, 'started')
  setRunning(running.progress, id, '0.0', '1.0')
  sendProgressState(world, running)
  sendForRun(
    world,
    running,
    'executing',
    () => `{${displayNode(running, id)}, "prompt_id": ${running.promptIdText}}`,
  )
  noteMoment(world, running, id, 'node-start')
  if (running.lastNode === null) loadModels(world, running.graph)
  running.lastNode = originOf(running, id).display
  running.script = script
  running.current = id
  running.calls = null
  running.inputs = gatherInputs(running, id, type)
  if (script?.needs !== undefined) {
    if (running.worker.interrupted) return ends(() => interruptedAt(world, running, id))
    const missing = missingSources(running, id, type, script)
    if (missing.length > 0) {
      setPaused(running.progress)
      waitFor(running.schedule, scheduledGraph(world, running), id, missing)
      return true
    }
  }
  const calls = createCalls(type, running.inputs, script?.expands !== undefined)
  return startCalls(world, running, id, calls) && completeNode(world, running, id, calls)
}

/** Ends the run: it does not go on with another node. */
const ends = (end: () => void): false => {
  end()
  return false
}

/** Starts the next call that is not blocked. Returns whether all calls are done instead. */
function startCalls(world: World, running: Running, id: string, calls: Calls): boolean {
  const type = running.types.get(id) as NodeType
  const canBeBlocked = world.script.nodes.length > 0
  while (calls.at < calls.count) {
    if (running.worker.interrupted) return ends(() => interruptedAt(world, running, id))
    const block = canBeBlocked ? blockOf(type, running.inputs, calls) : undefined
    if (block === undefined) return ends(() => startCall(world, running, id, type, calls))
    skipCall(world, running, id, type, calls, block.message)
  }
  return true
}

/** Fails where a node cannot save the extra data of its run. */
function withMetadata(world: World, running: Running, type: NodeType, work: Work): Work {
  if (work.save === undefined || work.save.isBare || work.failure !== undefined) return work
  const { nodesOf2026 } = world.setup.traits
  const { extraDataText } = running.savedBy
  const failure = metadataFailure(extraDataText, type.class_type, nodesOf2026)
  return failure === undefined ? work : { outputs: [], steps: 0, failure }
}

/** The request has come for which a node waits, or an interrupt [scenario/node-waits-interrupt]. */
function endWait(world: World, running: Running): void {
  const id = running.current as string
  running.waits = null
  if (running.worker.interrupted) return interruptedAt(world, running, id)
  startCall(world, running, id, running.types.get(id) as NodeType, running.calls as Calls)
}

function startCall(world: World, running: Running, id: string, type: NodeType, calls: Calls): void {
  const waitsFor = running.calls === null ? running.script?.waitsFor : undefined
  running.calls = calls
  if (waitsFor !== undefined) return void (running.waits = waitsFor)
  const { hasPartnerKey } = running.run
  const hash = hashOfCall(running.hashes.get(id) ?? 0, calls)
  const inputs = inputsOfCall(type, running.inputs, calls)
  const call = { world, node_id: id, type, hash, inputs, hasPartnerKey }
  const work = emptyListFailure(type, running.inputs) ?? scriptedWork(call, running.script)
  running.work = withMetadata(world, running, type, work)
  running.work = timed(world, running, calls, running.work)
  running.step = 0
  if (running.work.text !== undefined) {
    // Texts of core nodes are sent to all clients, as on real servers.
    sendFrame(world, everyone(world), { frame: 'text', node_id: id, text: running.work.text })
  }
  if (running.work.notification !== undefined)
    sendNotification(world, running, running.work.notification)
  scheduleNext(world, running, running.work.stepMs ?? world.setup.options.paceMs)
}

const silentBlock: Value = { kind: 'blocked', message: null }

/** A call with a blocked input only passes the block on; the message is sent once [scenario/node-blocks-message]. */
function skipCall(
  world: World,
  running: Running,
  id: string,
  type: NodeType,
  calls: Calls,
  message: string | null,
): void {
  if (message !== null && world.setup.traits.messageNames === 'python') {
    const data = [
      `{"prompt_id": ${running.promptIdText}`,
      `"node_id": ${JSON.stringify(id)}`,
      `"node_type": ${JSON.stringify(type.class_type)}`,
      `"executed": ${JSON.stringify(running.executed)}`,
      `"exception_message": ${JSON.stringify(`Execution Blocked: ${message}`)}`,
      '"exception_type": "ExecutionBlocked"',
      '"traceback": [], "current_inputs": [], "current_outputs": []}',
    ]
    // The history does not contain it.
    const sockets = socketsFor(world, 'execution_error', running.run.client_id)
    send(world, sockets, 'execution_error', data.join(', '))
  }
  const outputs = type.outputs.map(() => silentBlock)
  takeResults(calls, type, { outputs, steps: 0 }, null)
}

function performStep(
  world: World,
  running: Running,
  { steps, max = steps, stepMs, restMs = 0, socketPictures }: Work,
): void {
  const id = running.current as string
  if (running.worker.interrupted) return interruptedAt(world, running, id)
  running.step++
  // Nodes that send their pictures count from 0, samplers from 1.
  const value = `${socketPictures === undefined ? running.step : running.step - 1}`
  setRunning(running.progress, id, value, `${max}`)
  const shown = previewOf(running)
  if (sendsProgress(world, running, { steps, max, hasPicture: shown !== undefined })) {
    sendProgressState(world, running)
    const sendProgress = (): void =>
      sendForRun(world, running, 'progress', () => {
        const ids = `"prompt_id": ${running.promptIdText}, "node": ${JSON.stringify(id)}`
        return `{"value": ${value}, "max": ${max}, ${ids}}`
      })
    if (shown === undefined) sendProgress()
    else sendPreview(world, running, id, shown.image, shown.format, sendProgress)
  }
  noteMoment(world, running, id, 'node-step')
  // A node with a specific duration ends with its last step.
  const isLast = running.step === steps && stepMs !== undefined
  scheduleNext(world, running, isLast ? restMs : (stepMs ?? world.setup.options.paceMs))
}

/** A call is done: continues with the next one, or with the next node. */
function finishCall(world: World, running: Running, done: Work): void {
  const id = running.current as string
  if (running.worker.interrupted && isEndless(running)) return interruptedAt(world, running, id)
  if (done.failure !== undefined) return fail(world, running, id, done.failure)
  if (isEndless(running)) return
  const ui = outputOf(world, running, done)
  if (typeof ui === 'object' && ui !== null) return fail(world, running, id, ui)
  const calls = running.calls as Calls
  const type = running.types.get(id) as NodeType
  const failure =
    done.expands === undefined
      ? takeResults(calls, type, done, ui)
      : expandCall(world, running, id, calls, done.expands, ui)
  if (failure !== undefined) return fail(world, running, id, failure)
  if (!startCalls(world, running, id, calls)) return
  if (completeNode(world, running, id, calls)) runNextNode(world, running)
}

/** All calls of a node are done. One that expanded waits. Returns whether the run goes on. */
function completeNode(world: World, running: Running, id: string, calls: Calls): boolean {
  running.work = null
  noteMoment(world, running, id, 'node-end')
  const ui = joinedUi(calls)
  if (ui !== null) sendExecuted(world, running, id, ui)
  if (!calls.parts?.some((part) => 'results' in part)) return endNode(world, running, id, calls)
  setPaused(running.progress)
  awaitExpansion(world, running, id, calls)
  return true
}

/** The expansion of a node has finished: joins its results. Returns whether the run goes on. */
function resumeNode(world: World, running: Running, id: string, calls: Calls): boolean {
  running.expansion?.waiting.delete(id)
  return endNode(world, running, id, calls)
}

/** Stores the results of a node. Returns whether the run goes on: they can exceed the memory. */
function endNode(world: World, running: Running, id: string, calls: Calls): boolean {
  const tooMuch = joinParts(running, running.types.get(id) as NodeType, calls)
  if (tooMuch !== undefined) return ends(() => fail(world, running, id, tooMuch))
  const result = { outputs: calls.outputs, ui: joinedUi(calls), producer: id }
  running.executed.push(id)
  running.results.set(id, result)
  cacheResult(world, running, id, result)
  noteNode(world, running, id, 'success')
  const text = calls.max > 0 ? `${calls.max}` : '1.0'
  setFinished(running.progress, id, text)
  sendProgressState(world, running)
  finishNode(world, running, id)
  return true
}

function finishNode(world: World, running: Running, id: string): void {
  const { schedule, types, worker, hashes, results } = running
  const isFirst = results.size === 1
  if (isFirst && world.setup.traits.keepsEarlierResults) dropOtherResults(world, worker, hashes)
  finishScheduled(schedule, types, id)
}

function sendExecuted(world: World, running: Running, id: string, ui: string | null): void {
  const output = ui ?? 'null'
  sendForRun(
    world,
    running,
    'executed',
    () =>
      `{${displayNode(running, id)}, "output": ${output}, "prompt_id": ${running.promptIdText}}`,
  )
}

/** The members that name the node of a message, and the node that displays it. */
function displayNode(running: Running, id: string): string {
  const { display } = originOf(running, id)
  return `"node": ${JSON.stringify(id)}, "display_node": ${JSON.stringify(display)}`
}

function sendProgressState(world: World, running: Running): void {
  const sockets = socketsFor(world, 'progress_state', running.run.client_id)
  if (sockets.length > 0) send(world, sockets, 'progress_state', progressText(running.progress))
}
