// The endpoints of OAuth: the handler of each, and the replies for all other paths below /oauth. They need no credential.

import type { OauthEndpointName } from '../../../../spec/server/endpoints.ts'
import { empty, refuseOauth, type Reply } from '../../../http/replies.ts'
import { type Request, requestAt } from '../../../http/requests.ts'
import { allowedBy, findEndpoint, routesOfSurface } from '../../../http/routes.ts'
import type { NumberedRequest, Server } from '../../state/server.ts'
import type { Admission } from '../../state/server.ts'
import type { HostedWorld, World } from '../../state/world.ts'
import { oauthAuthorize, oauthRegister, oauthToken } from './oauth.ts'

/** `world` is that of the first account, which keeps the clients. */
type OauthHandler = (world: HostedWorld, request: Request, server: Server) => Reply

const handlers: Readonly<Record<OauthEndpointName, OauthHandler>> = {
  oauthRegister,
  oauthAuthorize,
  oauthToken,
}

const routes = routesOfSurface('oauth')

export const admit = ({ worlds }: Server): Admission => ({ world: worlds[0] })

export function readsBody(_: World, method: string, path: string): boolean {
  const found = findEndpoint(routes, method, path)
  return found?.name !== undefined && found.readsBody
}

export function answer(
  server: Server,
  world: HostedWorld,
  request: NumberedRequest,
  path: string,
  query: string,
): Reply {
  const { method, fault } = request
  if (method === 'OPTIONS') return empty
  const found = findEndpoint(routes, method, path)
  if (found === undefined) return refuseOauth('unknownPath')
  const { name, segments } = found
  if (name === undefined) {
    const Allow = allowedBy(found.methods).toSorted().join(',')
    return refuseOauth('methodNotAllowed', {}, { Allow })
  }
  if (fault !== undefined && found.readsBody)
    return refuseOauth(fault === 'unreadable' ? 'metadataInvalid' : 'bodyTooLarge')
  const routed = requestAt(request, path, query, segments)
  return handlers[name as OauthEndpointName](world, routed, server)
}
