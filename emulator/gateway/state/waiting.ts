// The runs that wait for an agent: a fair share of the places for each route, and their turns.

import { limits } from '../../../spec/limits.ts'

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

/**
 * Whether one more run of a route may wait [deliveries/runs-bounded]. When all places are taken, a route may still use
 * its share of them: a busy route cannot keep the others out [deliveries/fair-places].
 */
export function hasPlace({ routes, count, bytes }: Waiting, route: string, size: number): boolean {
  const [most, mostBytes] = [limits.waitingRuns.value, limits.waitingRunBytes.value]
  if (count === 0 || (count < most && bytes + size <= mostBytes)) return true
  const own = routes.get(route)
  const sharers = routes.size + (own === undefined ? 1 : 0)
  const { count: ownCount = 0, bytes: ownBytes = 0 } = own ?? {}
  return ownCount < most / sharers && ownBytes + size <= mostBytes / sharers
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

/** Removes a run of a route, which works or has ended. */
export function removeWaiting(waiting: Waiting, route: string, size: number): void {
  const own = waiting.routes.get(route)
  if (own === undefined) return
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
