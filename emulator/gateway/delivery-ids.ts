// Which deliveries were seen: ids by route, for an hour.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { limits } from '../../spec/limits.ts'
import { get, put, remove } from '../lib/bounded.ts'
import { ownText } from '../lib/json.ts'
import { hasQuirk, type Receiver } from './state.ts'

const lifetimeMs = limits.deliveryIdLifetime.value * 1000
/** Longer ids are remembered by their hash, so that what is remembered is bounded. */
const MAX_ID = 200

function keyOf(receiver: Receiver, route: string, id: string): string {
  const short = id.length > MAX_ID ? bytesToHex(sha256(utf8ToBytes(id))) : id
  // The length of the route tells where the id begins, whatever stands in both.
  return hasQuirk(receiver, 'webhooks.global-ids') ? short : `${route.length}:${route}${short}`
}

/** Remembers an id of a route from now on. Tells whether it is new; one that is known stays as it is. */
export function remember(receiver: Receiver, route: string, id: string): boolean {
  const key = ownText(keyOf(receiver, route, id))
  const firstMs = get(receiver.seen, key)
  if (firstMs !== undefined && receiver.nowMs - firstMs < lifetimeMs) return false
  // One that is seen again after its time is as new as any.
  if (firstMs !== undefined) remove(receiver.seen, key)
  put(receiver.seen, key, receiver.nowMs)
  return true
}

/** Forgets an id, so that its post can come again. */
export const forget = (receiver: Receiver, route: string, id: string): boolean =>
  remove(receiver.seen, keyOf(receiver, route, id))
