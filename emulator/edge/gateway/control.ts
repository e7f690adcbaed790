// The control paths of a gateway: its outbox and runs, failures of deliveries, and subscriptions in memory.

import {
  type ClockMover,
  type ControlPaths,
  jsonText,
  readMembers,
  ok,
  unusable,
} from '../control.ts'
import type { Gateway } from '../handles.ts'
import type { GatewayEffect } from '../../gateway/state/inputs.ts'
import { clockPaths, type Finder, worldPaths } from '../world-paths.ts'
import type { RouteInput } from '../../options/gateway.ts'

type Control = Gateway & {
  /** The agent runs as JSON text. */
  readonly runsText: () => string
}

/** What a clock moves to: a state of the run of one delivery. */
function finderOf(until: Readonly<Record<string, unknown>>): Finder<GatewayEffect> | undefined {
  const { run, state } = until
  if (typeof run !== 'string') return undefined
  return (effect) => {
    if (effect.kind !== 'run' || effect.run.delivery_id !== run) return undefined
    const { status } = effect.run
    return (state ?? status) === status ? { delivery_id: run, state: status } : undefined
  }
}

export const gatewayPaths = (gateway: Control, move: ClockMover<GatewayEffect>): ControlPaths => ({
  ...clockPaths(move, finderOf),
  ...worldPaths(gateway, (given) => gateway.world(given)),
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
  'The body must be {"target": "telegram", "error": "why", "times": 1}: target * matches any; times null means always, 0 never; "status" and "retryAfterMs" decide about retries.'

const isWhole = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least

function readFailure(body: Uint8Array): Parameters<Gateway['failDeliveries']>[0] {
  const members = ['target', 'error', 'times', 'status', 'retryAfterMs']
  const given = readMembers(body, members, failureUsage)
  const { target, error = 'scripted', times = 1, status, retryAfterMs } = given
  const isCount = times === null || isWhole(times, 0)
  const isStatus = status === undefined || (isWhole(status, 100) && Number(status) < 600)
  const isPause = retryAfterMs === undefined || isWhole(retryAfterMs, 0)
  if (typeof target === 'string' && typeof error === 'string' && isCount && isStatus && isPause)
    return {
      target,
      error,
      times: times as number | null,
      ...(status !== undefined && { status: status as number }),
      ...(retryAfterMs !== undefined && { retryAfterMs: retryAfterMs as number }),
    }
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
