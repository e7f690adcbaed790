// Who may talk to a local server [access/bearer-*, http/foreign-origin]: a page of another origin may not, at a loopback
// address, and nobody without the token, where there is one.

import type { Headers } from '../../machine.ts'
import { type Reply, refuse } from '../../http/replies.ts'
import { parameter, type RequestHead, splitTarget } from '../../http/requests.ts'
import { isEqual } from '../../lib/equal.ts'
import type { WorldOptions } from '../state/options.ts'

/** What keeps a request or handshake out; undefined when nothing does. */
export function guard(
  { cors, token }: WorldOptions,
  { method, target, headers }: RequestHead,
): Reply | undefined {
  if (cors === null) {
    const origin = judgeOrigin(headers)
    if (origin !== 'own') return refuse(origin === 'foreign' ? 'forbiddenEmpty' : 'internal')
  }
  // Browsers ask for leave (OPTIONS) without their credentials.
  if (token === null || method === 'OPTIONS') return undefined
  const bearer = /^bearer +(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''
  // Sockets and pictures of a page carry no headers of one's own: for them there is the query.
  const inQuery = parameter(splitTarget(target)[1], 'token') ?? ''
  const isKnown = isEqual(bearer, token) || isEqual(inQuery, token)
  return isKnown ? undefined : refuse('bearerMissing')
}

/**
 * How a request with these headers stands: `foreign` when a browser sent it for a page of another origin,
 * `broken` when its origin cannot be read. Without Host or Origin there is nothing to compare.
 */
function judgeOrigin(headers: Headers): 'own' | 'foreign' | 'broken' {
  const host = headers['host']?.toLowerCase()
  const origin = headers['origin']?.toLowerCase()
  if (host === undefined || origin === undefined) return 'own'
  const place = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(origin)?.[1] ?? ''
  const from = splitPort(place.slice(place.lastIndexOf('@') + 1))
  const to = splitPort(host)
  if (from.port !== '' && !/^\d+$/.test(from.port)) return 'broken'
  if (from.name === '' || to.name === '' || !isLoopback(to.name)) return 'own'
  // Where one of the two names no port, only the names are compared.
  const withPort = from.port !== '' && to.port !== ''
  const equal = from.name === to.name && (!withPort || from.port === to.port)
  return equal ? 'own' : 'foreign'
}

function splitPort(place: string): { name: string; port: string } {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(place)
  return { name: match?.[1] ?? place, port: match?.[2] ?? '' }
}

const isLoopback = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  name === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(name)
