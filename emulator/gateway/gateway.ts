// Creates and forks gateways.

import { limits } from '../../spec/limits.ts'
import { createBounded } from '../lib/bounded.ts'
import { createRandom } from '../lib/random.ts'
import { createTimers } from '../lib/timers.ts'
import { ratesAtStart } from './rate-limit.ts'
import { deliveryScriptsOf } from './outbox.ts'
import { noteSecrets } from './redact-secrets.ts'
import { portableHmac } from './signatures.ts'
import type { GatewayStateOptions, GatewayWorld } from './state.ts'
import { readStatic } from './static-routes.ts'

/** @param hmac a faster implementation from the edge, if any. */
export function createGatewayWorld(
  options: GatewayStateOptions,
  hmac = portableHmac,
): GatewayWorld {
  const world: GatewayWorld = {
    setup: {
      options,
      hmac,
      staticRoutes: readStatic(options),
    },
    state: {
      nowMs: 0,
      random: createRandom(options.seed),
      dynamicRoutes: new Map(),
      secrets: [],
      fileModifiedMs: 0,
      rates: ratesAtStart(options.script),
      deliveryIds: createBounded(limits.deliveryIds.value),
      running: new Map(),
      asked: new Map(),
      waiting: [],
      waitingBytes: 0,
      attempts: new Map(),
      sending: new Map(),
      deliveryScripts: deliveryScriptsOf(options.script),
      runCount: 0,
      timers: createTimers(),
      lastSerial: 0,
    },
    effects: [],
  }
  noteSecrets(world)
  return world
}

/**
 * A fork that continues from the state of this gateway. From then on, neither affects the other.
 * @public
 */
export const forkGateway = ({ setup, state }: GatewayWorld): GatewayWorld => ({
  setup,
  state: structuredClone(state),
  effects: [],
})
