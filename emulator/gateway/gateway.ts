// Creates and forks gateways.

import { limits } from '../../spec/limits.ts'
import { createBounded } from '../lib/bounded.ts'
import { copyOf } from '../lib/copy.ts'
import { createRandom } from '../lib/random.ts'
import { createTimers } from '../lib/timers.ts'
import type { WorldChange } from '../machine.ts'
import { deliveryScriptsOf } from './deliveries/scripts.ts'
import { ratesAtStart } from './state/rate-limit.ts'
import { noMetrics } from './state/metrics.ts'
import { noteSecrets } from './state/redact-secrets.ts'
import { portableHmac } from './post/sign.ts'
import {
  type GatewayState,
  type GatewayStateOptions,
  type GatewayWorld,
  schemesOf,
} from './state/state.ts'
import { readStatic } from './static-routes.ts'
import { createWaiting } from './state/waiting.ts'

/** @param hmac a faster implementation from the edge, if any. */
export function createGatewayWorld(
  options: GatewayStateOptions,
  hmac = portableHmac,
): GatewayWorld {
  const setup = { options, hmac, staticRoutes: readStatic(options), schemes: schemesOf(options) }
  const world = { setup, state: emptyState(options, 0), snapshots: new Map(), effects: [] }
  noteSecrets(world)
  return world
}

/** How many direct deliveries that failed after a part of theirs was confirmed are remembered. */
const MAX_CONFIRMED = 100

const emptyState = (options: GatewayStateOptions, nowMs: number): GatewayState => ({
  nowMs,
  random: createRandom(options.seed),
  dynamicRoutes: new Map(),
  secrets: [],
  fileModifiedMs: 0,
  rates: ratesAtStart(options.script, nowMs),
  deliveryIds: createBounded(limits.deliveryIds.value),
  running: new Map(),
  asked: new Map(),
  waiting: createWaiting(),
  pace: [],
  backlog: new Map(),
  isDraining: false,
  pending: new Map(),
  attempts: new Map(),
  sending: new Map(),
  confirmed: createBounded(MAX_CONFIRMED),
  deliveryScripts: deliveryScriptsOf(options.script),
  runCount: 0,
  timers: createTimers(),
  lastSerial: 0,
  problems: new Map(),
  failures: new Map(),
  metrics: noMetrics(),
})

/**
 * A fork that continues from the state of this gateway, with its snapshots. From then on, neither affects the other.
 * @public
 */
export const forkGateway = ({ setup, state, snapshots }: GatewayWorld): GatewayWorld => ({
  // The store stays with the gateway that has it.
  setup: { ...setup, options: { ...setup.options, store: 'none' } },
  state: copyOf(state),
  snapshots: new Map(snapshots),
  effects: [],
})

/** Applies a change of the whole state. An unknown snapshot changes nothing: whoever asks checks the name first. */
export function changeGateway(world: GatewayWorld, change: WorldChange): void {
  const { setup, state, snapshots } = world
  if (change.do === 'snapshot') {
    snapshots.set(change.name, copyOf(state))
    return
  }
  const snapshot = change.do === 'restore' ? snapshots.get(change.name) : undefined
  if (change.do === 'restore' && snapshot === undefined) return
  if (change.do === 'reset') {
    world.state = emptyState(setup.options, change.keepsTime ? state.nowMs : 0)
  } else if (snapshot !== undefined) world.state = copyOf(snapshot)
  // No log line ever contains a secret that the gateway has known.
  world.state.secrets = [...new Set([...world.state.secrets, ...state.secrets])]
  noteSecrets(world)
  resumeWork(world)
}

/** Work outside ends with the state that asked for it: the new state asks for its own again. */
function resumeWork({ state: { asked, running, sending, attempts }, effects }: GatewayWorld): void {
  for (const id of asked.keys()) {
    const found = running.get(id)
    if (found !== undefined) effects.push({ kind: 'ask', id, run: found.run })
  }
  for (const id of sending.keys()) {
    const found = attempts.get(id)
    if (found !== undefined) effects.push({ kind: 'deliver', id, delivery: found.delivery })
  }
}
