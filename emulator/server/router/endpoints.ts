// The endpoints of the Router: the handler of each, and the replies for all other paths.

import type { RouterEndpointName } from '../../../spec/server/endpoints.ts'
import { routerRoot } from '../../../spec/router/router.ts'
import { empty, refuseRouter, type Reply } from '../../http/replies.ts'
import { decodePart, type Request, requestAt } from '../../http/requests.ts'
import { allowedBy, findEndpoint, readsBodyAt, routesOfSurface } from '../../http/routes.ts'
import type { BodyFault } from '../../machine.ts'
import type { NumberedRequest, Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { bodyLimit } from '../world/features.ts'
import { cancel, result, status, submit } from './queue.ts'
import { estimate, run } from './runs.ts'
import { listModels, modelDetail, modelDocument, unknownModel } from './catalog.ts'

/** `world` belongs to the requesting account; `id` is the number of the request. */
type RouterHandler = (world: HostedWorld, request: Request, id: number) => Reply

const handlers: Readonly<Record<RouterEndpointName, RouterHandler>> = {
  routerModels: listModels,
  routerModel: modelDetail,
  routerDocument: modelDocument,
  routerRun: run,
  routerEstimate: estimate,
  routerSubmit: submit,
  routerStatus: status,
  routerResult: result,
  routerCancel: cancel,
}

const routes = routesOfSurface('router')

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
  if (found === undefined) return unknownModel(world, decodePart(path.slice(routerRoot.length + 1)))
  const { name, segments } = found
  if (name === undefined) {
    const Allow = allowedBy(found.methods).toSorted().join(',')
    return refuseRouter('methodNotAllowed', {}, { Allow })
  }
  if (fault !== undefined && found.readsBody) return refuseBody(world, fault)
  const routed = requestAt(request, path, query, segments)
  return handlers[name as RouterEndpointName](world, routed, request.request)
}

function refuseBody({ setup: { options } }: HostedWorld, fault: BodyFault): Reply {
  if (fault === 'unreadable')
    return refuseRouter('invalidInput', { reason: 'The body is unreadable.' })
  return refuseRouter('tooLarge', { limit: `${bodyLimit(options, fault)}` })
}
