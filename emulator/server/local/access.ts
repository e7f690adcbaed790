// Decides who may use a local server [access/bearer-*, http/foreign-origin]: pages of other origins may not at a
// loopback address, and nobody may without the token, if there is one.

import type { Headers, RequestHead } from '../../machine.ts'
import { type Reply, refuse } from '../../http/replies.ts'
import { parameter, splitTarget } from '../../http/requests.ts'
import { isEqual } from '../../lib/equal.ts'
import type { Admission, Server } from '../state/server.ts'
import type { World } from '../state/world.ts'
import type { WorldOptions } from '../state/options.ts'

/** The world of the server, or the refusal of a request or handshake. */
export function admit({ options, worlds }: Server, head: RequestHead): Admission {
  const [world] = worlds
  const refusal = guard(world, options, head)
  return refusal === undefined ? { world } : { refusal }
}

/** The refusal of a request or handshake; undefined if it is allowed. */
function guard(
  { setup: { traits } }: World,
  { cors, token }: WorldOptions,
  { method, target, headers }: RequestHead,
): Reply | undefined {
  if (cors === null) {
    if (traits.refusesCrossSite && headers['sec-fetch-site'] === 'cross-site')
      return refuse('forbiddenEmpty')
    const origin = judgeOrigin(headers)
    if (origin !== 'own') return refuse(origin === 'foreign' ? 'forbiddenEmpty' : 'internal')
  }
  // Browsers send preflight requests (OPTIONS) without credentials.
  if (token === null || method === 'OPTIONS') return undefined
  const bearer = /^bearer +(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''
  // A page cannot set headers for its sockets and pictures: it sends the token in the query.
  const inQuery = parameter(splitTarget(target)[1], 'token') ?? ''
  const isKnown = isEqual(bearer, token) || isEqual(inQuery, token)
  return isKnown ? undefined : refuse('bearerMissing')
}

/**
 * Compares Host and Origin: `foreign` if a browser sent the request for a page of another origin, `broken` if the
 * origin is malformed. Without Host or Origin there is nothing to compare.
 */
export function judgeOrigin(headers: Headers): 'own' | 'foreign' | 'broken' {
  const host = headers['host']?.toLowerCase()
  const origin = headers['origin']?.toLowerCase()
  if (host === undefined || origin === undefined) return 'own'
  const from = readPlace(/^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(origin)?.[1] ?? '')
  const to = readPlace(host)
  if (!isPort(from.port) || !isPort(to.port)) return 'broken'
  // If one of the two has no port, the ports and users of both are ignored.
  const asked = to.port === '' ? from.name : from.whole
  const own = from.port === '' ? to.name : to.whole
  if (asked === '' || own === '' || !isLoopback(to.name)) return 'own'
  return asked === own ? 'own' : 'foreign'
}

/** A host with a port, and perhaps a user before it; the brackets of IPv6 addresses are not part of the name. */
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
