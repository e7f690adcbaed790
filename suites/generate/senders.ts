// Senders of webhooks: each signs a body according to its scheme, from the table of the spec.

import { createHmac } from 'node:crypto'
import {
  base64SecretPrefix,
  type Scheme,
  type SchemeName,
  schemes,
} from '../../spec/gateway/signatures.ts'

/** The moment at which gateways start, in seconds since 1970. */
export const NOW = 1767225600

export type PostContent = {
  readonly body: string | Uint8Array
  readonly secret: string
  readonly id?: string
  /** As it is written, in seconds since 1970; by default the moment at which gateways start. */
  readonly timestamp?: string
  /** The address to which it is posted. */
  readonly url?: string
}

/** The key that a secret stands for, in a scheme. */
const keyOf = (secret: string, { key }: Scheme): Buffer =>
  key === 'base64' && secret.startsWith(base64SecretPrefix)
    ? Buffer.from(secret.slice(base64SecretPrefix.length), 'base64')
    : Buffer.from(secret)

/** The headers of a post that is signed by a scheme of the table. */
export const headersOf = (name: SchemeName, content: PostContent): Record<string, string> =>
  headersBy(schemes[name], content)

/**
 * The headers of a post that is signed by any scheme, with those that it signs or that select it. A time is written as it
 * is given.
 */
export function headersBy(
  scheme: Scheme,
  { body, secret, id = 'msg-1', timestamp = `${NOW}`, url = '' }: PostContent,
): Record<string, string> {
  const { algorithm, encoding, prefix, signs, separator = ',' } = scheme
  const texts: Readonly<Record<string, string | Uint8Array>> = { id, time: timestamp, body, url }
  const placed = [
    [scheme.id, id],
    [scheme.time, timestamp],
  ] as const
  const needed = new Set([...scheme.selectedBy, ...signedHeadersBy(scheme)])
  const headers = placed.flatMap(([place, value]) =>
    place !== undefined && 'header' in place && needed.has(place.header)
      ? [[place.header, value]]
      : [],
  )
  const items = placed.flatMap(([place, value]) =>
    place !== undefined && 'item' in place ? `${place.item}=${value}` : [],
  )
  const digest = (): Buffer => {
    const hmac = createHmac(algorithm, keyOf(secret, scheme))
    for (const piece of signs.split(/(\{\w+\})/))
      hmac.update(/^\{\w+\}$/.test(piece) ? (texts[piece.slice(1, -1)] ?? '') : piece)
    return hmac.digest()
  }
  const bytes = algorithm === 'none' ? Buffer.from(secret) : digest()
  const written = prefix + (encoding === 'text' ? secret : bytes.toString(encoding))
  return {
    ...Object.fromEntries(headers),
    [headerBy(scheme)]: [...items, written].join(separator),
  } as Record<string, string>
}

/** The headers besides the signature that a scheme signs. */
export const signedHeadersBy = ({ signs, id, time }: Scheme): readonly string[] =>
  Object.entries({ id, time }).flatMap(([part, place]) =>
    place !== undefined && 'header' in place && signs.includes(`{${part}}`) ? place.header : [],
  )

/** The header with the signature of a scheme. */
export const headerBy = ({ header }: Scheme): string => header.replace(/<\w+>/, 'Acme')

/** The schemes of the table: those that a route can name. */
export const allSchemes = Object.keys(schemes) as readonly SchemeName[]
/** Schemes that every route accepts which names none. */
export const schemeNames = allSchemes.filter((name) => schemes[name].selectedBy.length > 0)

/** Whether a scheme signs the body; others carry the secret itself. */
export const isSigning = (name: SchemeName): boolean => schemes[name].algorithm !== 'none'
export const signingSchemes = schemeNames.filter(isSigning)
/** Schemes that sign a time. */
export const timedSchemes = schemeNames.filter((name) => schemes[name].signs.includes('{time}'))
