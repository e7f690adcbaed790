// The key of an accepted post: what its run and its deliveries are recognised by, over attempts and restarts.

import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { idempotencyKey } from '../../../spec/gateway/deliveries.ts'
import type { Hmac } from '../post/sign.ts'

const purpose = utf8ToBytes(idempotencyKey.purpose)

/** The key of a part of a text, given that of the post or of another part. */
export function keyOfPart(key: string, part: number): string {
  if (part === 1) return key
  const [post = ''] = key.split('-')
  return `${post}-${part}`
}

/**
 * The key of a post to a route.
 * @param mark distinguishes it from other posts with its id: when a run was accepted, in milliseconds since 1970, since another one
 *   has another answer; the text of a direct delivery, which the sender can repeat [deliveries/direct-key].
 */
export const keyOf = (
  hmac: Hmac,
  route: string,
  delivery_id: string,
  mark: number | string,
): string =>
  bytesToHex(hmac('sha256', purpose, utf8ToBytes(`${route}\n${delivery_id}\n${mark}`))).slice(
    0,
    idempotencyKey.characters,
  )
