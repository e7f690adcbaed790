// Validates the signature of a post: over its body as it came, or as it was before it was packed. Says in the log what came
// instead of a valid one.

import { insecureSecret } from '../../spec/gateway/signatures.ts'
import type { Headers } from '../machine.ts'
import { secondText } from '../lib/time-text.ts'
import { log } from './log.ts'
import { parseBody } from './post/payload.ts'
import { addressOf, type NamedScheme } from './post/schemes.ts'
import { crashed, payloadTimeFault, type SignatureFault, verify } from './post/signatures.ts'
import type { GatewayInput } from './state/inputs.ts'
import type { Route } from './state/routes.ts'
import { type GatewayWorld, hasQuirk, isOpenAllowed, timeMs } from './state/state.ts'

type Post = Extract<GatewayInput, { kind: 'request' }>

/**
 * Validates the signature of a post: returns its scheme, if the route does not accept any post, or the fault; undefined for
 * a crash.
 */
export function verifyPost(
  world: GatewayWorld,
  post: Post,
  { name, secret, oldSecrets, scheme }: Route,
): Partial<NamedScheme> | SignatureFault | undefined {
  const { schemes, hmac, options } = world.setup
  if (secret === insecureSecret && isOpenAllowed(options)) return {}
  const manner = {
    isEarlier: hasQuirk(world, 'webhooks.fewer-schemes'),
    isLenient: hasQuirk(world, 'webhooks.lenient-signatures'),
    crashes: hasQuirk(world, 'webhooks.crash-500'),
  }
  // Senders sign with the time of day, which somebody may set: the time of the world never jumps.
  const nowMs = post.wallMs ?? timeMs(world)
  const named = schemes?.get(scheme ?? '') ?? null
  const { headers, body, packed } = post
  const url = addressOf(post, options.baseUrl)
  const judgeBody = (one: Uint8Array, key: string): NamedScheme | SignatureFault =>
    verify({ headers, body: one, url }, key, named, nowMs, manner, hmac)
  // Who packs after signing leaves a signature of what was packed [webhooks/packed-body].
  const judge = (key: string): NamedScheme | SignatureFault => {
    const found = judgeBody(packed ?? body, key)
    if (!('fault' in found) || packed === undefined) return found
    const inside = judgeBody(body, key)
    return 'fault' in inside ? found : inside
  }
  const judgeAll = (): NamedScheme | SignatureFault => {
    const found = judge(secret)
    if (!('fault' in found)) return found
    for (const old of oldSecrets) {
      // [signatures/old-secret]
      if (nowMs >= old.untilMs) continue
      const earlier = judge(old.secret)
      if ('fault' in earlier) continue
      const until = secondText(old.untilMs)
      log(world, 'info', `A post to ${name} has an old secret, which counts until ${until}.`)
      return earlier
    }
    return found
  }
  try {
    const found = judgeAll()
    if ('fault' in found) return found
    const payload = () => parseBody(body, headers)?.value
    const fault = payloadTimeFault(found, payload, nowMs)
    return fault === undefined ? found : { fault }
  } catch (error) {
    if (error === crashed) return undefined
    throw error
  }
}

/** What the log says of the body of a refused post: what its sender declared. */
export function bodyFacts(post: Post): string {
  const { headers } = post
  const length = headers['content-length']
  const size = /^\d+$/.test(length ?? '') ? `Content-Length ${length}` : 'no Content-Length'
  const coding = codingOf(headers)
  return [
    size,
    ...(coding === undefined ? [] : [packedFault(post) ?? `packed with ${coding}`]),
  ].join(', ')
}

/** What the log says of a body that is packed and could not be unpacked; undefined for any other. */
export function packedFault({ headers, packed }: Post): string | undefined {
  const coding = packed === undefined ? codingOf(headers) : undefined
  return coding && `packed with ${coding}, which could not be unpacked`
}

/** The content coding that a post declares; undefined without one. */
function codingOf(headers: Headers): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  return /^[\w-]+$/.test(coding) && coding !== 'identity' ? coding : undefined
}
