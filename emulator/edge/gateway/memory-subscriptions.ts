// Subscriptions in memory: the gateway sees them as a file that changes.

import { conflictError, usageError } from '../../options/usage.ts'
import type { GatewayInput } from '../../gateway/state/inputs.ts'
import { isOpenAllowed, type GatewayWorld } from '../../gateway/state/state.ts'
import { readFile } from '../../gateway/state/read-subscriptions.ts'
import { readRoute, unknownMember, usable } from '../../gateway/state/routes.ts'
import type { CompleteGatewayOptions, RouteInput } from '../../options/gateway.ts'

export type Memory = {
  readonly subscribe: (name: string, route: RouteInput) => void
  readonly remove: (name: string) => boolean
  /** The current subscriptions. */
  readonly kept: () => Subscriptions
  /** Replaces the subscriptions by those of a state that the gateway has returned to, or by the initial ones. */
  readonly restart: (kept: Subscriptions | undefined) => void
}

export type Subscriptions = ReadonlyMap<string, RouteInput>

/**
 * Loads the initial subscriptions. Throws a usage error for an invalid one.
 * @param kept those of the gateway that a fork continues; null for none.
 */
export function createMemory(
  world: GatewayWorld,
  { subscriptionsFile, subscriptions }: CompleteGatewayOptions,
  dispatch: (at: (atMs: number) => GatewayInput) => void,
  kept: Subscriptions | null,
): Memory {
  let held = new Map(kept ?? Object.entries(subscriptions))
  const load = (): void => {
    const text = JSON.stringify(Object.fromEntries(held))
    const modifiedMs = world.state.fileModifiedMs + 1
    dispatch((atMs) => ({ kind: 'file', atMs, text, modifiedMs }))
  }
  const requireMemory = (): void => {
    if (subscriptionsFile !== null) {
      throw conflictError('This gateway reads its subscriptions from a file: change the file.')
    }
  }
  /** Throws a usage error for a subscription that the gateway would not serve. */
  const requireServed = (name: string, route: RouteInput): void => {
    if (world.setup.staticRoutes.has(name)) {
      throw conflictError(
        `A static route "${name}" exists, and static routes win. Choose another name.`,
      )
    }
    const given = readFile(JSON.stringify({ [name]: route }))?.get(name)
    const fault =
      given === undefined
        ? 'is not an object'
        : (unknownMember(given) ??
          usable(
            readRoute(name, given, world.setup.options.secret),
            isOpenAllowed(world.setup.options),
            world.setup.schemes,
          ))
    if (fault !== undefined) throw usageError(`The subscription "${name}" ${fault}.`)
  }
  for (const [name, route] of held) requireServed(name, route)
  if (kept === null && held.size > 0) load()
  return {
    subscribe: (name, route) => {
      requireMemory()
      requireServed(name, route)
      held.set(name, route)
      load()
    },
    remove: (name) => {
      requireMemory()
      const isGone = held.delete(name)
      if (isGone) load()
      return isGone
    },
    kept: () => new Map(held),
    restart: (earlier) => {
      held = new Map(earlier ?? Object.entries(subscriptions))
      if (earlier === undefined && held.size > 0) load()
    },
  }
}
