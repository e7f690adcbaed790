// The control paths of a gateway: its outbox and runs, those of its store, failures of deliveries, and subscriptions in
// memory.

import { controlEndpoints } from '../../../spec/control.ts'
import {
  type ClockMover,
  type ControlPaths,
  type ControlReply,
  type ControlRequest,
  jsonText,
  readMembers,
  ok,
  refusal,
  unusable,
} from '../control.ts'
import { queryFilter } from '../filters.ts'
import type { Gateway } from '../handles.ts'
import type { GatewayEffect } from '../../gateway/state/inputs.ts'
import { clockPaths, type Finder, worldPaths } from '../world-paths.ts'
import { isRefused } from '../../lib/refused.ts'
import type { RouteInput } from '../../options/gateway.ts'
import { conflictError } from '../../options/usage.ts'
import { type AskRuns, isUnknownRun, type RunsRequest } from './store/stored-runs.ts'

type Control = Gateway & {
  /** The agent runs as JSON text. */
  readonly runsText: () => string
  /** Answers requests for the runs of its store; null without one. */
  readonly storedRuns: AskRuns | null
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
  ...storedPaths(gateway.storedRuns),
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

const DEFAULT_LIMIT = 100

/** What `gateway runs` does [control/stored-runs, control/stored-changes]. */
function storedPaths(ask: AskRuns | null): ControlPaths {
  const answer = async (request: RunsRequest): Promise<ControlReply> => {
    if (ask === null) throw conflictError(noStore)
    try {
      return ok(await ask(request))
    } catch (error) {
      if (isRefused(error)) return refusal(isUnknownRun(error) ? 404 : 409, error.message)
      return refusal(503, 'The store fails. See: GET /health')
    }
  }
  const { query: parameters } = controlEndpoints.listStoredRuns
  return {
    'GET stored-runs': ({ query }) =>
      answer({ do: 'list', limit: DEFAULT_LIMIT, ...queryFilter(parameters, query) }),
    'GET stored-runs/{name}': ({ segment }) => answer({ do: 'show', id: segment }),
    'POST stored-runs/{name}': ({ segment, body }) => answer({ do: readChange(body), id: segment }),
    'DELETE stored-runs/{name}': ({ segment }) => answer({ do: 'drop', id: segment }),
  }
}

const noStore =
  'This gateway has no store. Start one with flowdouble gateway run, or with the option store; gateways below /w/NAME have none.'

const changeUsage = 'The body must be {"do": "retry"} or {"do": "cancel"}; DELETE drops a run.'

function readChange(body: ControlRequest['body']): 'retry' | 'cancel' {
  const { do: change } = readMembers(body, ['do'], changeUsage)
  if (change === 'retry' || change === 'cancel') return change
  throw unusable(changeUsage)
}

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
