// Ends a run [runs/*]: successful, failed or interrupted. Every run enters the history.

import { valueText } from '../behaviours/printed.ts'
import { meaningOf, pythonNameOf, wordOf } from '../nodes/exception-types.ts'
import { addEntry } from '../world/history.ts'
import { isObject, writeJson } from '../../lib/json.ts'
import { unloadBetweenRuns } from '../world/loaded-models.ts'
import { announce } from '../world/log.ts'
import { sendStatus } from '../world/sockets.ts'
import { nodeInputs } from '../graph/graph.ts'
import { failedNodeJson } from '../graph/node-errors-json.ts'
import type { PythonException } from '../graph/node-errors.ts'
import { hiddenInputs, submittedGraph } from './node-inputs.ts'
import { pythonText } from '../../lib/python.ts'
import { nextPending, readyAtMs } from '../world/queue.ts'
import { idAndTime, noteNode, originOf, sendForRun } from './running.ts'
import { resultOf } from './result-cache.ts'
import { timestamp } from '../world/derived.ts'
import type { Ending, Running } from '../state/runs.ts'
import type { DeclaredInput, Failure, Value } from '../state/nodes.ts'
import type { Traits } from '../state/traits.ts'
import type { World } from '../state/world.ts'
import { wakeWorker } from '../world/timers.ts'

/** All nodes are done: on hosted the last chance to notice that the run was cancelled [jobs/cancel-running]. */
export function succeed(world: World, running: Running): void {
  const { worker, lastNode, graph, run } = running
  const lastId = lastNode ?? graph.keys().next().value ?? ''
  if (worker.interrupted && world.setup.traits.seesLateInterrupts) {
    return interruptedAt(world, running, lastId)
  }
  const {
    neverEnds,
    outcome,
    exception_type = 'RuntimeError',
    exception_message,
  } = run.script ?? {}
  if (neverEnds && !worker.interrupted) return
  if (neverEnds || outcome === 'interrupted') return interruptedAt(world, running, lastId)
  if (outcome === 'error') {
    const failure = {
      exception_type,
      exception_message: exception_message ?? meaningOf(exception_type),
    }
    return fail(world, running, lastId, failure)
  }
  sendForRun(world, running, 'execution_success', () => idAndTime(world, running))
  endRun(world, running, 'success', null)
}

/** The interrupt is noticed at this node. */
export function interruptedAt(world: World, running: Running, found: string): void {
  noteNode(world, running, found, 'interrupted')
  const id = originOf(running, found).real
  const data = [
    `{"prompt_id": ${running.promptIdText}`,
    `"node_id": ${JSON.stringify(id)}`,
    `"node_type": ${JSON.stringify(running.types.get(id)?.class_type ?? '')}`,
    `"executed": ${JSON.stringify(finished(running))}`,
    `"timestamp": ${timestamp(world)}}`,
  ]
  sendForRun(world, running, 'execution_interrupted', () => data.join(', '))
  endRun(world, running, 'interrupted', null)
}

/** The error that ends a run, with its inputs as JSON text. */
type RunError = Failure & { readonly traceback: readonly string[]; readonly inputsText: string }

/** This node has failed. A node of an expansion counts as the one that expanded. */
export function fail(world: World, running: Running, found: string, failure: Failure): void {
  const { exception_type, exception_message } = failure
  noteNode(world, running, found, 'error', `${exception_type}: ${exception_message}`)
  const id = originOf(running, found).real
  const error = {
    exception_type,
    exception_message: `${exception_message}\n`,
    traceback: [`  File "flowdouble", node ${id}\n`],
    inputsText: currentInputs(world, running, found),
  }
  endByError(world, running, id, error, 'error')
}

/**
 * No node can run: those that are left wait for each other. The error names the first of them, or the node that expanded
 * into it. A local history counts the run as successful, as on real servers [scenario/node-cycle].
 */
export function failByCycle(world: World, running: Running): void {
  const { keepsFailures } = world.setup.traits
  const waiting = [...running.schedule.pending.keys()]
  const expanded = waiting.find((id) => originOf(running, id).display !== id)
  const error = {
    exception_type: 'graph.DependencyCycleError',
    exception_message: 'Dependency cycle detected',
    traceback: [],
    inputsText: keepsFailures ? '{}' : '[]',
  }
  const id = originOf(running, expanded ?? waiting[0] ?? '').display
  noteNode(world, running, id, 'error', `${error.exception_type}: ${error.exception_message}`)
  endByError(world, running, id, error, keepsFailures ? 'error' : 'success')
}

/** Sends an error at a node, and ends the run in this state. */
function endByError(
  world: World,
  running: Running,
  id: string,
  { exception_type, exception_message, traceback, inputsText }: RunError,
  state: Ending['state'],
): void {
  const { keepsFailures, messageNames, jobNames } = world.setup.traits
  const node = [
    `"node_id": ${JSON.stringify(id)}`,
    `"node_type": ${JSON.stringify(running.types.get(id)?.class_type ?? '')}`,
  ]
  const message = `"exception_message": ${JSON.stringify(exception_message)}`
  const named = (name: string): string => `"exception_type": ${JSON.stringify(name)}`
  const exception = { type: exception_type, text: exception_message.trimEnd() }
  const detailsOf = (name: string): readonly string[] =>
    name === 'ValidationError' ? [nodeErrorsMember(running, id, exception)] : []
  const place = [
    `"traceback": ${JSON.stringify(traceback)}`,
    `"current_inputs": ${inputsText}`,
    `"current_outputs": ${keepsFailures ? currentOutputs(running) : JSON.stringify([...submittedGraph(running).keys()])}`,
  ]
  const messageName = messageNames === 'words' ? wordOf(exception_type) : exception_type
  const data = [
    `{"prompt_id": ${running.promptIdText}`,
    ...node,
    `"executed": ${JSON.stringify(finished(running))}`,
    message,
    named(messageName),
    ...place,
    ...detailsOf(messageName),
    `"timestamp": ${timestamp(world)}}`,
  ]
  sendForRun(world, running, 'execution_error', () => data.join(', '))
  if (!keepsFailures) return endRun(world, running, state, null)
  const jobName = (jobNames === 'words' ? wordOf : pythonNameOf)(exception_type)
  const detail = [...node, message, named(jobName), ...place, ...detailsOf(jobName)]
  endRun(world, running, state, `{${detail.join(', ')}}`)
}

/** The member that contains the details of a ValidationError at a node of the submitted graph. */
const nodeErrorsMember = (running: Running, id: string, exception: PythonException): string => {
  const graph = submittedGraph(running)
  const class_type = running.types.get(id)?.class_type ?? null
  const entry = failedNodeJson(graph, running.run.outputs, id, class_type, exception)
  return `"node_errors": ${writeJson(entry)}`
}

/** The outputs of the finished nodes, by node id. */
function currentOutputs(running: Running): string {
  const shown = finished(running).flatMap((id) => {
    const ui = running.results.get(id)?.ui ?? null
    return ui === null ? [] : [`${JSON.stringify(id)}: ${ui}`]
  })
  return `{${shown.join(', ')}}`
}

/** The nodes that this run has finished, without the one that failed or was interrupted. */
const finished = (running: Running): string[] =>
  running.executed.filter((id) => running.results.has(id))

/** Inputs of the failing node in the order of the graph, each as the list of its items [messages/error-inputs]. */
function currentInputs({ setup }: World, running: Running, id: string): string {
  const given = [...nodeInputs(running.graph, id).keys()]
  const placeOf = (name: string): number => given.indexOf(name)
  const shown = [...running.inputs].sort(([a], [b]) => placeOf(a) - placeOf(b))
  const typeOf = (name: string): DeclaredInput['type'] | undefined =>
    running.types.get(id)?.inputs.find((input) => input.name === name)?.type
  const inputs = Array.from([...shown, ...hiddenInputs(running, id)], ([name, items]) => {
    const texts = items.map((item) => inputText(setup.traits, item, typeOf(name)))
    return `${JSON.stringify(name)}: [${texts.join(', ')}]`
  })
  return `{${inputs.join(', ')}}`
}

/** Numbers, texts and so on as they are, others as Python prints them, and those of models by their kind. */
function inputText(traits: Traits, item: Value, type: DeclaredInput['type'] | undefined): string {
  const isPrinted = item.kind === 'picture' || ('of' in item && item.of !== undefined)
  if (isPrinted) return JSON.stringify(valueText(traits, item, type))
  if (item.kind !== 'literal') return JSON.stringify(`<${item.kind}>`)
  const { value } = item
  const isNested = isObject(value) || Array.isArray(value)
  return isNested ? JSON.stringify(pythonText(value)) : writeJson(value)
}

/** The details of an output: the node that produced it, and where that comes from. */
function metaText(running: Running, producer: string): string {
  const { display, parent, real } = originOf(running, producer)
  const node_id = JSON.stringify(producer)
  const display_node = JSON.stringify(display)
  const from = `"parent_node": ${JSON.stringify(parent)}, "real_node_id": ${JSON.stringify(real)}`
  return `{"node_id": ${node_id}, "display_node": ${display_node}, ${from}}`
}

/** Adds the run to the history, then sends its client the final message [messages/executing-null-last]. */
function endRun(
  world: World,
  running: Running,
  state: Ending['state'],
  failure: string | null,
): void {
  const { worker } = running
  const outputs: string[] = []
  const meta: string[] = []
  // [history/cached-needs-client]
  const leavesOut = world.setup.traits.cachedNeedsClient && running.run.client_id === null
  const ran = new Set(running.executed)
  // [history/outputs-in-order]
  const { listsUnreached } = world.setup.traits
  const reached = listsUnreached ? running.graph : running.results
  for (const id of reached.keys()) {
    const result = resultOf(running, id)
    if (result === undefined || result.ui === null || (leavesOut && !ran.has(id))) continue
    const node = JSON.stringify(id)
    outputs.push(`${node}: ${result.ui}`)
    meta.push(`${node}: ${metaText(running, result.producer)}`)
  }
  const { messages, startedMs } = running
  addEntry(world, running.run, { state, messages, outputs, meta, failure, startedMs })
  worker.running = null
  unloadBetweenRuns(world)
  announce(world, running.run.prompt_id, state)
  sendStatus(world)
  if (world.setup.traits.endsWithNullNode)
    sendForRun(
      world,
      running,
      'executing',
      () => `{"node": null, "prompt_id": ${running.promptIdText}}`,
    )
  const next = nextPending(world)
  if (next === undefined) return
  const restedMs = world.state.nowMs + world.setup.options.paceMs
  wakeWorker(world, worker, Math.max(restedMs, readyAtMs(world, next)))
}
