// Idempotency keys of the Router [router-runs/key-*]: the same request under the same key gets the recorded answer.

import { recordLimits } from '../../../spec/router/router-runs.ts'
import { get, put } from '../../lib/bounded.ts'
import { refuseRouter, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { Headers } from '../../machine.ts'
import type { KeyRecord, RouterCall } from '../state/router.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { routerOf } from './state.ts'

const LIFETIME_MS = recordLimits.hours * 3_600_000
const LINKS_MS = recordLimits.linksS * 1000

const form = /^[ -~]{1,255}$/

/** The key of a request; null without one, or the refusal of one that is not valid [router-runs/key-form]. */
export function readKey({
  headers,
}: {
  readonly headers: Headers
}): string | null | { readonly refusal: Reply } {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (form.test(key)) return key
  const reason = 'An Idempotency-Key has 1 to 255 printable characters of ASCII.'
  return { refusal: refuseRouter('invalidInput', { reason }) }
}

/** What identifies a request: its method, path, query and body. */
export function digestOf(world: HostedWorld, { method, path, query, body }: Request): string {
  const { sha256Hex, blake3Hex } = world.setup.hosted.hashing
  return sha256Hex(`${method} ${path}?${query} ${blake3Hex(body)}`)
}

/** The answer to a request whose key is used; undefined for a new key. */
export function answerUsed(world: World, key: string, digest: string): Reply | undefined {
  const { nowMs } = world.state
  const known = get(routerOf(world).records, key)
  if (known === undefined || nowMs >= known.usedMs + LIFETIME_MS) return undefined
  if (known.digest !== digest)
    return refuseRouter('keyUnusable', { reason: 'This Idempotency-Key is of another request.' })
  if (known.call !== null && known.answer === null) return refuseRouter('keyInFlight')
  if (known.answer === null || nowMs >= known.untilMs)
    return refuseRouter('keyUnusable', { reason: 'The answer of this Idempotency-Key is gone.' })
  const { status, headers, body } = known.answer
  return { status, headers: Object.assign({}, headers, replayed), body }
}

const replayed = { 'Idempotent-Replayed': 'true' }

/** Uses a key for a call. */
export function useKey(world: World, key: string, digest: string, call: string | null): void {
  const { nowMs } = world.state
  record(world, key, { digest, usedMs: nowMs, call, answer: null, untilMs: nowMs })
}

const record = (world: World, key: string, one: KeyRecord): void =>
  void put(routerOf(world).records, key, one)

/** Changes what is recorded for a call, unless its key is that of a later one by now. */
function change(world: World, { id, key }: RouterCall, changed: Partial<KeyRecord>): void {
  const known = get(routerOf(world).records, key ?? '')
  if (known?.call === id) record(world, key ?? '', Object.assign({}, known, changed))
}

/** Records the output of a run: with addresses of files for a few minutes alone [router-runs/links-replay]. */
export function recordAnswer(world: World, call: RouterCall, answer: Reply): void {
  if (!call.isRun) return
  const { nowMs } = world.state
  const hasLinks = typeof answer.body === 'string' && answer.body.includes('X-Goog-Signature=')
  change(world, call, { answer, untilMs: nowMs + (hasLinks ? LINKS_MS : LIFETIME_MS) })
}

/** Records what a provider says of the input; of any other failure that there is nothing to return. */
export function recordFailure(world: World, call: RouterCall, answer: Reply): void {
  if (!call.isRun) return
  const isOfInput = answer.status === 400 || answer.status === 422
  if (isOfInput) change(world, call, { answer, untilMs: world.state.nowMs + LIFETIME_MS })
  else change(world, call, { call: null })
}

/** Records the handle of a queued call, which a repeated submit returns. */
export const recordHandle = (world: World, call: RouterCall, answer: Reply): void =>
  change(world, call, { answer, untilMs: world.state.nowMs + LIFETIME_MS })

/** A request gets a 5xx of a fault: its key is used, unless that says that the answer can be collected. */
export function claimKey(world: HostedWorld, request: Request): void {
  const key = readKey(request)
  if (typeof key !== 'string') return
  const digest = digestOf(world, request)
  if (answerUsed(world, key, digest) === undefined) useKey(world, key, digest, null)
}
