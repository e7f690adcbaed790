// The endpoints of a local server: the handler of each, and the replies for all other paths.

import type { Generation } from '../../../spec/generations.ts'
import { type EndpointOn, managerEndpoints } from '../../../spec/server/endpoints.ts'
import { empty, type Reply, refuse } from '../../http/replies.ts'
import type { BodyFault, IncomingRequest } from '../../machine.ts'
import { decodePart, requestAt } from '../../http/requests.ts'
import {
  allowedBy,
  createRoutes,
  findEndpoint,
  isInternal,
  type RouteMatch,
  type Routes,
  routesOn,
} from '../../http/routes.ts'
import { answeredMethods } from '../extensions/answers.ts'
import { normalisePath } from '../world/paths.ts'
import { localJobs } from './job-list.ts'
import { cancelLocalJob, cancelLocalJobs, localJob } from './jobs.ts'
import { internalHandlers } from './internal.ts'
import { assetHandlers, submit } from './on-demand.ts'
import { managerInstall, managerInstallModel, managerStatus } from './manager.ts'
import { uploadMask } from './masks.ts'
import { bodyLimit } from '../world/features.ts'
import { catalogHandlers } from './catalog.ts'
import { settingsHandlers } from './settings.ts'
import type { Handler } from './handler.ts'
import { features, freeMemory, home, promptInfo, systemStats } from './system.ts'
import { uploadImage } from './uploads.ts'
import { userdataHandlers } from './userdata.ts'
import { view } from './view.ts'
import type { World } from '../state/world.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'

const handlers: Readonly<Record<EndpointOn<'local'>, Handler>> = {
  promptInfo,
  submit,
  free: freeMemory,
  systemStats,
  features,
  // The handshake is a separate input; a plain request is not a handshake.
  socket: (_, { headers }) => {
    const { upgrade = 'None', connection = 'None' } = headers
    return upgrade.trim().toLowerCase() === 'websocket'
      ? refuse('socketWithoutConnection', {}, { connection })
      : refuse('socketWithoutUpgrade', {}, { upgrade })
  },
  readQueue,
  changeQueue,
  interrupt,
  readHistory,
  readHistoryEntry,
  changeHistory,
  view,
  uploadImage,
  uploadMask,
  home,
  localJobs,
  localJob,
  cancelLocalJob,
  cancelLocalJobs,
  managerInstall,
  managerStatus,
  managerInstallModel,
  ...catalogHandlers,
  ...userdataHandlers,
  ...settingsHandlers,
  ...internalHandlers,
  ...assetHandlers,
}

const withoutManager = new Map<Generation, Routes>()

/** The lookup table of a world: a server without the node manager lacks its endpoints. */
function routesOf({ setup: { generation, options } }: World): Routes {
  if (options.manager) return routesOn('local', generation)
  const routes =
    withoutManager.get(generation) ??
    createRoutes('local', generation, ({ name }) => !(name in managerEndpoints))
  withoutManager.set(generation, routes)
  return routes
}

const findHandler = (world: World, method: string, path: string): RouteMatch | undefined =>
  findEndpoint(routesOf(world), method, path)

/** Whether the server has an endpoint for a request. */
export const hasEndpoint = (world: World, method: string, path: string): boolean =>
  findHandler(world, method, path)?.name !== undefined

/** Whether any handler reads the body of the request. */
export function readsBody(world: World, method: string, path: string): boolean {
  const found = findHandler(world, method, path)
  return found?.name !== undefined && found.readsBody
}

/** Whether the file of a front end may answer a path: `/`, its alias, and those of no endpoint. */
export const isPagePath = (world: World, path: string): boolean =>
  path === '/' ||
  path === '/api/' ||
  (isPage(path) && findHandler(world, 'GET', path) === undefined)

/** Answers a request to a local server. */
export function answer(world: World, request: IncomingRequest, path: string, query: string): Reply {
  const { method, fault } = request
  if (method === 'OPTIONS') return empty
  const found = findHandler(world, method, path)
  if (found?.name === undefined)
    return refuseMethod(method, path, found, answeredMethods(world, { method, path, query }))
  if (fault !== undefined && found.readsBody) return refuseBody(world, fault)
  const { name, segments } = found
  return handlers[name as EndpointOn<'local'>](world, requestAt(request, path, query, segments))
}

/**
 * The reply if a path does not allow a method: pages are served at every path, with GET and HEAD.
 * @param answered the methods that the scenario answers there [scenario/answer-other-method].
 */
function refuseMethod(
  method: string,
  path: string,
  found: RouteMatch | undefined,
  answered: readonly string[],
): Reply {
  if (path === '*') return refuse('notFoundText')
  const internal = isInternal(path)
  if (internal ? found === undefined : method === 'GET' || method === 'HEAD')
    return refuse(isPage(path) ? 'unknownPath' : 'notFoundText')
  const own = found === undefined ? [] : allowedBy(found.methods)
  const allowed = [...new Set([...(internal ? [] : ['GET', 'HEAD']), ...own, ...answered])].sort()
  return refuse('methodNotAllowed', { Allow: allowed.join(',') })
}

function refuseBody({ setup: { options } }: World, fault: BodyFault): Reply {
  if (fault === 'unreadable') return refuse('internal')
  return refuse('bodyTooLarge', {}, { limit: `${bodyLimit(options, fault)}` })
}

/** Whether an unknown path is looked up among the pages: real servers do if it stays in their folder. */
const isPage = (path: string): boolean =>
  !isInternal(path) && normalisePath(decodePart(path.slice(1))) !== undefined
