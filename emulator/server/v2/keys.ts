// Idempotency keys [v2-access/key-*]: each works once, and is never replayed.

import { keyLimits } from '../../../spec/v2/v2-access.ts'
import { get, put } from '../../lib/bounded.ts'
import { refuseV2, type Reply } from '../../http/replies.ts'
import type { Headers } from '../../machine.ts'
import type { World } from '../state/world.ts'

const LIFETIME_MS = keyLimits.hours * 3_600_000

/** The key of a request; undefined without one, or the refusal of one that is not valid. */
export function readKey({
  headers,
}: {
  readonly headers: Headers
}): string | undefined | { readonly refusal: Reply } {
  const key = headers['idempotency-key']
  if (key === undefined || (key !== '' && key.length <= keyLimits.characters)) return key
  const reason = `An Idempotency-Key has 1 to ${keyLimits.characters} characters.`
  return { refusal: refuseV2('invalidRequest', { reason }) }
}

/** Whether a key has been used, and is not forgotten. */
const isUsed = ({ state }: World, key: string): boolean => {
  const usedMs = get(state.v2.keys, key)
  return usedMs !== undefined && state.nowMs < usedMs + LIFETIME_MS
}

/** Uses up a key. */
export function claimKey({ state }: World, key: string): void {
  put(state.v2.keys, key, state.nowMs)
}

/** Does what a request asks for under its key, which a refusal leaves unused. */
export function underKey(
  world: World,
  request: { readonly headers: Headers },
  work: () => Reply,
): Reply {
  const key = readKey(request)
  if (key === undefined) return work()
  if (typeof key === 'object') return key.refusal
  if (isUsed(world, key)) return refuseV2('keyReuse')
  const reply = work()
  if (reply.status < 300) claimKey(world, key)
  return reply
}
