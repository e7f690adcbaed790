// Senders of webhooks: each signs a body according to its scheme, from the table of the spec.

import { createHmac } from 'node:crypto'
import {
  base64SecretPrefix,
  type Scheme,
  type SchemeName,
  schemes,
  stripeTimestamp,
} from '../../spec/gateway/signatures.ts'

/** The moment at which gateways start, in seconds since 1970. */
export const NOW = 1767225600

export type PostContent = {
  readonly body: string | Uint8Array
  readonly secret: string
  readonly id?: string
  /** As it is written, in seconds since 1970; by default the moment at which gateways start. */
  readonly timestamp?: string
}

/** The key that a secret stands for, in a scheme. */
const keyOf = (secret: string, { key }: Scheme): Buffer =>
  key === 'whsec-base64' && secret.startsWith(base64SecretPrefix)
    ? Buffer.from(secret.slice(base64SecretPrefix.length), 'base64')
    : Buffer.from(secret)

/** The headers of a post that is signed by a scheme. */
export function headersOf(
  name: SchemeName,
  { body, secret, id = 'msg-1', timestamp = `${NOW}` }: PostContent,
): Record<string, string> {
  const scheme: Scheme = schemes[name]
  if (scheme.signs === 'token' || scheme.encoding === 'plain') {
    return { [name === 'token' ? 'X-Acme-Token' : scheme.signature]: secret }
  }
  const texts = { v0: 'v0', id, timestamp, body: Buffer.from(body) }
  const joint = Buffer.from(scheme.joint ?? '.')
  const parts = scheme.signs.flatMap((part) => [joint, Buffer.from(texts[part])])
  const hmac = createHmac('sha256', keyOf(secret, scheme)).update(Buffer.concat(parts.slice(1)))
  const digest = scheme.prefix + hmac.digest(scheme.encoding)
  return {
    ...(scheme.id !== undefined && { [scheme.id]: id }),
    ...(scheme.timestamp !== undefined && { [scheme.timestamp]: timestamp }),
    [scheme.signature]: name === 'stripe' ? `${stripeTimestamp}=${timestamp},${digest}` : digest,
  }
}

export const schemeNames = Object.keys(schemes) as readonly SchemeName[]
/** Schemes that sign the body; the others carry the secret itself. */
export const signingSchemes = schemeNames.filter((name) => schemes[name].signs !== 'token')
/** Schemes that sign a time. */
export const timedSchemes = schemeNames.filter((name) => 'windowSeconds' in schemes[name])
