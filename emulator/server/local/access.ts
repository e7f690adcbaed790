// Who may talk to a local server [access/bearer-*, http/foreign-origin]: a page of another origin may not, at a loopback
// address, and nobody without the token, where there is one.

import type { Headers } from '../../machine.ts'
import { type Reply, refuse } from '../../http/replies.ts'
import { parameter, type RequestHead, splitTarget } from '../../http/requests.ts'
import { isEqual } from '../../lib/equal.ts'
import type { Admission, Server } from '../state/server.ts'
import type { WorldOptions } from '../state/options.ts'

/** The world of the server, or what keeps a request or handshake out of it. */
export function admit({ options, worlds }: Server, head: RequestHead): Admission {
  const refusal = guard(options, head)
  return refusal === undefined ? { world: worlds[0] } : { refusal }
}

/** What keeps a request or handshake out; undefined when nothing does. */
function guard(
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
export function judgeOrigin(headers: Headers): 'own' | 'foreign' | 'broken' {
  const host = headers['host']?.toLowerCase()
  const origin = headers['origin']?.toLowerCase()
  if (host === undefined || origin === undefined) return 'own'
  const from = readPlace(/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(origin)?.[1] ?? '')
  const to = readPlace(host)
  if (!isPort(from.port) || !isPort(to.port)) return 'broken'
  // Where one of the two names no port, the other is taken without its own, and without a user.
  const asked = to.port === '' ? from.name : from.whole
  const own = from.port === '' ? to.name : to.whole
  if (asked === '' || own === '' || !isLoopback(to.name)) return 'own'
  return asked === own ? 'own' : 'foreign'
}

/** A host with a port, and perhaps a user before both; IPv6 addresses are in brackets, which are not part of the name. */
function readPlace(whole: string): { whole: string; name: string; port: string } {
  const place = whole.slice(whole.lastIndexOf('@') + 1)
  const [, name = place, port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(place) ?? []
  return { whole, name: name.replace(/^\[(.*)\]$/, '$1'), port }
}

const isPort = (port: string): boolean => /^\d*$/.test(port) && Number(port) <= 65_535

const isLoopback = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  name === '::1' ||
  /^127(?:\.\d{1,3}){3}$/.test(name)
