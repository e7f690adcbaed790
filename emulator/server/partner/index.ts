// What the proxy to partners does for a hosted server: the handler of each endpoint, and the replies for all other paths.

import type { PartnerEndpointName } from '../../../spec/server/endpoints.ts'
import { empty, json, type Reply } from '../../http/replies.ts'
import { type Request, requestAt } from '../../http/requests.ts'
import { allowedBy, findEndpoint, readsBodyAt, routesOfSurface } from '../../http/routes.ts'
import type { NumberedRequest, Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { bodyLimit } from '../world/features.ts'
import { readBalance, readConcurrency, readCustomer, readEvents } from './customers.ts'
import { refusePartner } from './replies.ts'
import { readStorage } from './storage.ts'
import { cancel, poll, submit } from './tasks.ts'

export { admit } from './access.ts'

/** `world` belongs to the requesting account. */
type Handler = (world: HostedWorld, request: Request) => Reply

const handlers: Readonly<Record<PartnerEndpointName, Handler>> = {
  partnerSubmit: submit,
  partnerPoll: poll,
  partnerCancel: cancel,
  partnerHealth: () => json('{"status":"ok"}'),
  createCustomer: readCustomer,
  readCustomer,
  customerBalance: readBalance,
  customerEvents: readEvents,
  customerConcurrency: readConcurrency,
  customerStorage: readStorage,
}

const routes = routesOfSurface('partner')

/** Whether any handler reads the body of the request. */
export const readsBody = (_: World, method: string, path: string): boolean =>
  readsBodyAt(routes, method, path)

/** Answers a request of an account. */
export function answer(
  _: Server,
  world: HostedWorld,
  request: NumberedRequest,
  path: string,
  query: string,
): Reply {
  const { method, fault } = request
  if (method === 'OPTIONS') return empty
  const found = findEndpoint(routes, method, path)
  if (found === undefined) return refusePartner('notFound')
  const { name, segments } = found
  if (name === undefined) {
    const Allow = allowedBy(found.methods).toSorted().join(',')
    return refusePartner('methodNotAllowed', {}, { Allow })
  }
  if (fault === 'unreadable')
    return refusePartner('badRequest', { reason: 'The body is unreadable.' })
  if (fault !== undefined && found.readsBody)
    return refusePartner('tooLarge', { limit: `${bodyLimit(world.setup.options, fault)}` })
  return handlers[name as PartnerEndpointName](world, requestAt(request, path, query, segments))
}
