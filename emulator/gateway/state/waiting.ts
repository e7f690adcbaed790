// The runs that wait for an agent: a fair share of the places for each route, and their turns.

import { limits } from '../../../spec/limits.ts'
import type { AgentRun } from './run.ts'

/** The waiting runs of one route. */
type WaitingRoute = {
  /** Those that an external agent will take, oldest first. */
  readonly ids: number[]
  /** How many wait, also for a scripted answer. */
  count: number
  /** Their total size, in bytes: texts count by their characters. */
  bytes: number
}

export type Waiting = {
  /** By name. The route whose turn is next comes first. */
  readonly routes: Map<string, WaitingRoute>
  count: number
  bytes: number
}

export const createWaiting = (): Waiting => ({ routes: new Map(), count: 0, bytes: 0 })

/** The size of a run, in bytes: texts count by their characters. */
export const runBytes = ({ prompt, payload }: Pick<AgentRun, 'prompt' | 'payload'>): number =>
  prompt.length + payload.length

/**
 * Whether one more run of a route may wait [deliveries/runs-bounded]. When all places are taken, a route may still use
 * its share of them: a busy route cannot keep the others out [deliveries/fair-places].
 */
export function hasPlace(
  waiting: Waiting,
  backlog: ReadonlyMap<string, Pick<WaitingRoute, 'count' | 'bytes'>>,
  route: string,
  size: number,
): boolean {
  let { count, bytes } = waiting
  for (const elsewhere of backlog.values()) {
    count += elsewhere.count
    bytes += elsewhere.bytes
  }
  const [most, mostBytes] = [limits.waitingRuns.value, limits.waitingRunBytes.value]
  if (count === 0 || (count < most && bytes + size <= mostBytes)) return true
  const sharers = new Set([...waiting.routes.keys(), ...backlog.keys(), route]).size
  const [here, there] = [waiting.routes.get(route), backlog.get(route)]
  const ownCount = (here?.count ?? 0) + (there?.count ?? 0)
  const ownBytes = (here?.bytes ?? 0) + (there?.bytes ?? 0)
  return ownCount < most / sharers && ownBytes + size <= mostBytes / sharers
}

/** How many runs await their turn at an agent. */
export function awaitingTurn({ routes }: Waiting): number {
  let count = 0
  for (const { ids } of routes.values()) count += ids.length
  return count
}

/** Adds a run to those of its route. */
export function addWaiting(waiting: Waiting, route: string, size: number): WaitingRoute {
  let own = waiting.routes.get(route)
  if (own === undefined) waiting.routes.set(route, (own = { ids: [], count: 0, bytes: 0 }))
  own.count++
  own.bytes += size
  waiting.count++
  waiting.bytes += size
  return own
}

/** Removes a run of a route, which works or has ended; with its number, also from those that await their turn. */
export function removeWaiting(waiting: Waiting, route: string, size: number, id?: number): void {
  const own = waiting.routes.get(route)
  if (own === undefined) return
  if (id !== undefined && own.ids.includes(id)) own.ids.splice(own.ids.indexOf(id), 1)
  own.count--
  own.bytes -= size
  waiting.count--
  waiting.bytes -= size
  if (own.count === 0) waiting.routes.delete(route)
}

/**
 * The next run for an agent: the oldest of the route whose turn it is [deliveries/fair-turns]; undefined if none waits.
 * @param isFree whether a run may start now: those of a route in order wait for each other.
 */
export function takeTurn(
  { routes }: Waiting,
  isFree: (route: string, id: number) => boolean,
): number | undefined {
  for (const [route, own] of routes) {
    const [id] = own.ids
    if (id === undefined || !isFree(route, id)) continue
    own.ids.shift()
    // To the end: the others come first.
    routes.delete(route)
    routes.set(route, own)
    return id
  }
  return undefined
}
