// The endpoints of the hosted API v2: the handler of each, and the replies for all other paths.

import type { V2EndpointName } from '../../../spec/server/endpoints.ts'
import { empty, refuseV2, type Reply } from '../../http/replies.ts'
import { type Request, requestAt } from '../../http/requests.ts'
import { allowedBy, findEndpoint, readsBodyAt, routesOfSurface } from '../../http/routes.ts'
import type { BodyFault } from '../../machine.ts'
import type { NumberedRequest, Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import { bodyLimit } from '../world/features.ts'
import { asset, byHash, content, deleteAsset, mintFromHash } from './assets.ts'
import { cancelJob, job, workflow } from './jobs.ts'
import { list } from './list.ts'
import { submit } from './submit.ts'
import { events } from './streams.ts'
import { upload } from './uploads.ts'

/** `world` belongs to the requesting account; `id` is the number of the request. */
type V2Handler = (world: HostedWorld, request: Request, server: Server, id: number) => Reply

const handlers: Readonly<Record<V2EndpointName, V2Handler>> = {
  v2Submit: submit,
  v2Jobs: list,
  v2Job: job,
  v2Workflow: workflow,
  v2Cancel: cancelJob,
  v2Events: events,
  v2Upload: upload,
  v2FromHash: mintFromHash,
  v2ByHash: byHash,
  v2Asset: asset,
  v2DeleteAsset: deleteAsset,
  v2Content: content,
}

const routes = routesOfSurface('v2')

/** Whether any handler reads the body of the request. */
export const readsBody = (_: World, method: string, path: string): boolean =>
  readsBodyAt(routes, method, path)

/** Answers a request of an account. */
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
  if (found === undefined) return refuseV2('notFound')
  const { name, segments } = found
  if (name === undefined) {
    const Allow = allowedBy(found.methods).toSorted().join(',')
    return refuseV2('methodNotAllowed', {}, null, { Allow })
  }
  if (fault !== undefined && found.readsBody) return refuseBody(world, fault)
  const routed = requestAt(request, path, query, segments)
  return handlers[name as V2EndpointName](world, routed, server, request.request)
}

function refuseBody({ setup: { options } }: HostedWorld, fault: BodyFault): Reply {
  if (fault === 'unreadable')
    return refuseV2('invalidRequest', { reason: 'The body is unreadable.' })
  return refuseV2('tooLarge', { limit: `${bodyLimit(options, fault)}` })
}
