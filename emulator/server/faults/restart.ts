// Restarts a server [faults/restart-*]: what it keeps in memory is lost, what it keeps on disk stays.

import { clear, remove } from '../../lib/bounded.ts'
import { setTimer } from '../../lib/timers.ts'
import type { FaultThen } from '../../../spec/scenario/faults.ts'
import type { Effect } from '../../machine.ts'
import type { Server } from '../state/server.ts'
import type { World } from '../state/world.ts'
import { clearHistory } from '../world/history.ts'
import { clearPending } from '../world/queue.ts'
import { forgetStreams } from '../world/streams.ts'
import { restWorker } from '../world/timers.ts'
import { release } from '../world/upload-quota.ts'
import { EARLY, endSockets, forgetHeld, wireOf } from './wire.ts'

/** Whether a fault takes the server away, for a moment or for good. */
export const isGone = ({ restart: again, exit }: FaultThen): boolean =>
  again !== undefined || exit !== undefined

/** Restarts the server, or ends it for good: its connections are reset, as those of a process that is killed [faults/restart-sockets]. */
export function restart(server: Server, effects: Effect[], then: FaultThen): void {
  const { state, hosted, worlds } = server
  const wire = wireOf(server)
  endSockets(server, effects, [...state.sockets.keys(), ...wire.opening], 'reset')
  const requests = new Set([
    ...wire.waiting,
    ...forgetStreams(state),
    ...forgetHeld(state),
    ...wire.flows.keys(),
  ])
  for (const request of requests) effects.push({ kind: 'reset', request })
  wire.waiting.clear()
  wire.flows.clear()
  if (hosted === null) for (const world of worlds) forget(world)
  if (then.exit !== undefined) {
    Object.assign(state, { downUntilMs: Infinity, isDown: true })
    state.exitCode = then.exit
    effects.push({ kind: 'exit', code: then.exit })
    return
  }
  const downMs = typeof then.restart === 'object' ? then.restart.downMs : 0
  effects.push({ kind: 'restart', ...(downMs > 0 && { downMs }) })
  const untilMs = state.nowMs + downMs
  if (downMs === 0 || untilMs <= state.downUntilMs) return
  Object.assign(state, { downUntilMs: untilMs, isDown: true })
  setTimer(state.timers, untilMs, { kind: 'listen' }, EARLY)
}

/** The server is there again, unless it went down once more meanwhile [faults/restart-again]. */
export function listen({ state }: Server, effects: Effect[]): void {
  if (state.downUntilMs > state.nowMs) return
  state.isDown = false
  effects.push({ kind: 'listen' })
}

/** Loses everything that a local server keeps in memory. Random numbers and serial numbers go on: no id repeats. */
function forget(world: World): void {
  const { state } = world
  clearPending(world)
  clearHistory(world)
  for (const worker of state.workers) {
    restWorker(world, worker)
    const isFresh = { interrupted: false, dropCache: false, dead: false }
    Object.assign(worker, isFresh, { running: null, cache: new Map() })
  }
  state.counter = 0
  state.memory.models.clear()
  state.memory.isUnloading = false
  state.log.lines = []
  clear(state.log.subscribers)
  clear(state.tempLetters)
  removeTemporary(world)
}

/** Removes the temporary files, which the server deletes when it starts. */
function removeTemporary(world: World): void {
  const { files, counters } = world.state
  for (const [key, { value }] of files.entries) {
    if (!key.startsWith('temp/')) continue
    remove(files, key)
    release(world, value.content)
  }
  for (const key of counters.entries.keys()) if (key.startsWith('temp/')) remove(counters, key)
}
