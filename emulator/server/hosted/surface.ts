// One API of a hosted server beside the first: the handlers of its endpoints, and its refusals of all other requests.

import type { Surface } from '../../../spec/hosted/surfaces.ts'
import { empty, type Reply } from '../../http/replies.ts'
import { type Request, requestAt } from '../../http/requests.ts'
import { allowedBy, findEndpoint, readsBodyAt, routesOfSurface } from '../../http/routes.ts'
import type { Hosted, Server } from '../state/server.ts'
import type { HostedWorld } from '../state/world.ts'
import { bodyLimit } from '../world/features.ts'

/** `world` belongs to the requesting account; `id` is the number of the request. */
export type SurfaceHandler = (
  world: HostedWorld,
  request: Request,
  server: Server,
  id: number,
) => Reply

/** What an API replies to requests that reach none of its handlers. */
type SurfaceRefusals = {
  readonly unknownPath: (world: HostedWorld, path: string) => Reply
  /** `headers` name the methods of the path. */
  readonly wrongMethod: (headers: { readonly Allow: string }) => Reply
  readonly unreadable: () => Reply
  /** `limit` is in bytes. */
  readonly tooLarge: (limit: string) => Reply
}

/** Answers the requests to an API. */
export function createSurface<Name extends string>(
  surface: Surface,
  handlers: Readonly<Record<Name, SurfaceHandler>>,
  refuse: SurfaceRefusals,
): Pick<Hosted, 'answer' | 'readsBody'> {
  const routes = routesOfSurface(surface)
  return {
    readsBody: (_, method, path) => readsBodyAt(routes, method, path),
    answer: (server, world, request, path, query) => {
      const { method, fault } = request
      if (method === 'OPTIONS') return empty
      const found = findEndpoint(routes, method, path)
      if (found === undefined) return refuse.unknownPath(world, path)
      const { name, segments, readsBody } = found
      if (name === undefined)
        return refuse.wrongMethod({ Allow: allowedBy(found.methods).toSorted().join(',') })
      if (fault === 'unreadable' && readsBody) return refuse.unreadable()
      if (fault !== undefined && readsBody)
        return refuse.tooLarge(`${bodyLimit(world.setup.options, fault)}`)
      const routed = requestAt(request, path, query, segments)
      return handlers[name as Name](world, routed, server, request.request)
    },
  }
}
