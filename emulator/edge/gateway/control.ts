// The control paths of a gateway: its outbox and runs, failures of deliveries, and subscriptions in memory.

import { type ControlPaths, jsonText, readMembers, ok, unusable } from '../control.ts'
import type { Gateway, WorldHandle } from '../handles.ts'
import { handlePaths } from '../world-paths.ts'
import type { RouteInput } from '../../options/gateway.ts'

type Control = Pick<Gateway, 'outbox' | 'failDeliveries' | 'subscribe' | 'remove'> &
  WorldHandle & {
    /** The agent runs as JSON text. */
    readonly runsText: () => string
  }

export const gatewayPaths = (gateway: Control): ControlPaths => ({
  ...handlePaths(gateway),
  'GET outbox': () => ok(gateway.outbox()),
  'GET runs': () => jsonText(gateway.runsText()),
  'POST outbox': ({ body }) => {
    gateway.failDeliveries(readFailure(body))
    return ok({})
  },
  'POST subscriptions': ({ body }) => {
    const { name, route } = readSubscription(body)
    if (route === null) return ok({ removed: gateway.remove(name) })
    gateway.subscribe(name, route)
    return ok({})
  },
})

const failureUsage =
  'The body must be {"target": "telegram", "error": "why", "times": 1}: target * matches any; times null means always, 0 never.'

function readFailure(body: Uint8Array): Parameters<Gateway['failDeliveries']>[0] {
  const given = readMembers(body, ['target', 'error', 'times'], failureUsage)
  const { target, error = 'scripted', times = 1 } = given
  const isCount = times === null || (Number.isSafeInteger(times) && Number(times) >= 0)
  if (typeof target === 'string' && typeof error === 'string' && isCount)
    return { target, error, times: times as number | null }
  throw unusable(failureUsage)
}

const subscriptionUsage =
  'The body must be {"name": "ci", "route": {"secret": "...", "prompt": "..."}}; a null route removes the subscription.'

function readSubscription(body: Uint8Array): { name: string; route: RouteInput | null } {
  const { name, route } = readMembers(body, ['name', 'route'], subscriptionUsage)
  if (typeof name === 'string' && typeof route === 'object')
    return { name, route: route as RouteInput | null }
  throw unusable(subscriptionUsage)
}
