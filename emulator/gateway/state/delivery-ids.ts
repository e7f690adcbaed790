// The ids of recent deliveries, by route, kept for an hour.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { limits } from '../../../spec/limits.ts'
import { get, put, remove } from '../../lib/bounded.ts'
import { copyText } from '../../lib/json.ts'
import { hasQuirk, type GatewayWorld } from './state.ts'

const lifetimeMs = limits.deliveryIdLifetime.value * 1000
/** Hashes longer ids, to bound the memory. */
const MAX_ID = 200

function deliveryKey(world: GatewayWorld, route: string, id: string): string {
  const short = id.length > MAX_ID ? bytesToHex(sha256(utf8ToBytes(id))) : id
  // The length of the route marks where the id begins, whatever both contain.
  return hasQuirk(world, 'webhooks.global-ids') ? short : `${route.length}:${route}${short}`
}

/** Remembers an id of a route. Returns whether it is new; a known id keeps its time. */
export function remember(world: GatewayWorld, route: string, id: string): boolean {
  const key = copyText(deliveryKey(world, route, id))
  const firstMs = get(world.state.deliveryIds, key)
  if (firstMs !== undefined && world.state.nowMs - firstMs < lifetimeMs) return false
  // An expired id counts as new.
  if (firstMs !== undefined) remove(world.state.deliveryIds, key)
  put(world.state.deliveryIds, key, world.state.nowMs)
  return true
}

/** Forgets an id, so that the sender can repeat its post. */
export const forget = (world: GatewayWorld, route: string, id: string): boolean =>
  remove(world.state.deliveryIds, deliveryKey(world, route, id))
