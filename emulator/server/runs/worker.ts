// The workers of a world [runs/*]: each takes one run after the other from the queue, and begins it.

import { isObject, type JsonObject } from '../../lib/json.ts'
import { accountFailure } from './account-failures.ts'
import { keepLettersOf } from './between-runs.ts'
import { fail } from './endings.ts'
import { continueRun, scheduleNext } from './execute.ts'
import { brokenLink } from '../graph/graph.ts'
import { announce } from '../world/log.ts'
import { beginMs } from './pace.ts'
import { sendStatus } from '../world/sockets.ts'
import { beginCache, isCached } from './result-cache.ts'
import { dequeue, nextPending, readyAtMs } from '../world/queue.ts'
import {
  createRunning,
  idAndTime,
  members,
  noteNode,
  sendNotification,
  prepare,
  sendForRun,
} from './running.ts'
import type { Failure } from '../state/nodes.ts'
import type { Running, Worker } from '../state/runs.ts'
import type { World } from '../state/world.ts'
import { sendLater, wakeWorker } from '../world/timers.ts'

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
  else continueRun(world, running)
}

function takeRun(world: World, worker: Worker): void {
  if (isEarly(world, worker)) return
  const run = dequeue(world)
  if (run === undefined) return
  worker.interrupted = false
  const prepared = prepare(world, run)
  beginCache(world, worker, prepared.hashes)
  keepLettersOf(world, prepared.types)
  const poison = run.poison ?? poisonOf(prepared.graph, run.outputs)
  const running = createRunning(world, worker, run, prepared, poison === null)
  world.state.startedCount++
  worker.running = running
  announce(world, run.prompt_id, 'started')
  sendStatus(world)
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
  for (const id of cached) noteNode(world, running, id, 'cached')
  const nodes = JSON.stringify(cached)
  sendForRun(
    world,
    running,
    'execution_cached',
    () => `{"nodes": ${nodes}, ${members(world, running)}`,
  )
  const failure = poison === null ? accountFailure(world) : failedBy(poison)
  if (failure === undefined) scheduleNext(world, running, beginMs(world, running))
  else fail(world, running, running.schedule.ready[0]?.id ?? firstKey(graph), failure)
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
