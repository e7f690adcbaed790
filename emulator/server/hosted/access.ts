// Identifies the account that a request to a hosted server comes from [access/hosted-*].

import {
  keyHeader,
  paidPaths,
  publicPaths,
  publishedPublicPaths,
} from '../../../spec/server/access.ts'
import { profiles } from '../../../spec/server/deployments.ts'
import { refuseHosted } from '../../http/replies.ts'
import type { RequestHead } from '../../machine.ts'
import { parameter, splitTarget } from '../../http/requests.ts'
import { isEqual } from '../../lib/equal.ts'
import { isSocketPath } from '../../http/routes.ts'
import { worldOfSession, worldOfToken } from './accounts/tokens.ts'
import type { Admission, Server } from '../state/server.ts'
import type { World } from '../state/world.ts'

const prefix = profiles.hosted.prefix
const open: ReadonlySet<string> = new Set(publicPaths.map((path) => prefix + path))
const isWithin = (paths: readonly string[]): ((path: string) => boolean) => {
  const roots = paths.map((path) => ({ root: prefix + path, folder: `${prefix}${path}/` }))
  return (path) => roots.some(({ root, folder }) => path === root || path.startsWith(folder))
}
const isPaid = isWithin(paidPaths)
const isPublished = isWithin(publishedPublicPaths)

/** The world of the account whose key a request carries; undefined without a key, or with an unknown one. */
export const callerOf = (server: Server, head: Omit<RequestHead, 'method'>): World | undefined =>
  worldOfKey(server, requestKey(server, head)) ?? worldOfIssued(server, head)

/** The world of the requesting account, or the refusal. Public paths are answered in the first world. */
export function admit(server: Server, head: RequestHead): Admission {
  const [path] = splitTarget(head.target)
  const world = callerOf(server, head)
  if (!needsKey(server, path) || head.method === 'OPTIONS')
    return { world: world ?? server.worlds[0] }
  if (world === undefined) return { refusal: refuseHosted('unauthorized') }
  const isRefused = isPaid(path) && world.setup.hosted?.account.tier === 'free'
  // With the quirk only the submit is rejected, after its body has been read.
  return isRefused && !world.setup.quirks.has('hosted.free-tier-402')
    ? { refusal: refuseHosted('freeTier') }
    : { world }
}

/** Paths that are not served are unknown to everyone, with or without a key. */
const needsKey = ({ options }: Server, path: string): boolean =>
  !open.has(path) &&
  !(isPublished(path) && options.quirks.includes('hosted.public-catalogues')) &&
  /^\/(?:api|ws)(?:\/|$)/.test(path)

/** Browsers cannot send a header with a handshake: they send the key in the query. */
function requestKey({ options }: Server, { target, headers }: Omit<RequestHead, 'method'>): string {
  const [path, query] = splitTarget(target)
  if (isSocketPath('hosted', path)) return parameter(query, 'token') ?? ''
  const key = headers[keyHeader.toLowerCase()]
  if (key !== undefined || !options.quirks.includes('hosted.bearer')) return key ?? ''
  return bearerIn(headers)
}

/** The world of the account to which the token or session of a request was issued, if it has no key. */
function worldOfIssued(
  server: Server,
  { target, headers }: Omit<RequestHead, 'method'>,
): World | undefined {
  const [path, query] = splitTarget(target)
  if (isSocketPath('hosted', path)) return worldOfToken(server, parameter(query, 'token') ?? '')
  if (headers[keyHeader.toLowerCase()] !== undefined) return undefined
  return worldOfToken(server, bearerIn(headers)) ?? worldOfSession(server, headers)
}

/** The bearer token of a request; empty without one. */
export const bearerIn = (headers: RequestHead['headers']): string =>
  /^bearer +(.*)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''

/** The world of the account that a bearer token stands for: one of its keys, or an access token [sign-in/bearer]. */
export function worldOfBearer(server: Server, { headers }: RequestHead): World | undefined {
  const token = bearerIn(headers)
  return worldOfKey(server, token) ?? worldOfToken(server, token)
}

/** The world of the account with this key; undefined for an unknown one. */
export function worldOfKey({ worlds }: Server, key: string): World | undefined {
  let found: World | undefined
  // Compare every key: the duration must not reveal which one was close.
  for (const world of worlds) {
    for (const known of world.setup.hosted?.account.keys ?? [])
      if (isEqual(key, known)) found = world
  }
  return found
}
