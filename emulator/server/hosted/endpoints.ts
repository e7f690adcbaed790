// The endpoints of a hosted server: what answers each, and what every other path is answered.

import { profiles } from '../../../spec/server/deployments.ts'
import { type EndpointOn, endpoints } from '../../../spec/server/endpoints.ts'
import type { Endpoint } from '../../../spec/language.ts'
import type { quirks } from '../../../spec/truth/quirks.ts'
import { badRequest, empty, refuseHosted, type Reply } from '../../http/replies.ts'
import { type IncomingRequest, requestAt } from '../../http/requests.ts'
import { allowedBy, createRoutes, findEndpoint, type RouteMatch } from '../../http/routes.ts'
import { hostedView } from './view.ts'
import { cancelJob, cancelJobs } from './cancel.ts'
import { hostedCatalogHandlers } from './catalog.ts'
import { hostedSettingsHandlers } from './settings.ts'
import { hostedSystemHandlers } from './system.ts'
import { hostedUserdataHandlers } from './userdata.ts'
import { changeHostedHistory, readHostedHistory, readHostedHistoryEntry } from './history.ts'
import { changeHostedQueue, interruptHosted, readHostedQueue } from './queue.ts'
import { jobs } from './job-list.ts'
import { deleteJob, job, jobStatus } from './jobs.ts'
import { submitHosted } from './workflows.ts'
import { sharedHandlers } from '../local/shared.ts'
import { hostedUploadImage, hostedUploadMask, maskLayers } from './uploads.ts'
import { maxBodyBytes } from '../world/features.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import type { HostedHandler } from './handler.ts'

/** What is wrong with a request for the socket that is no handshake. */
export const handshakeNeeded = 'This path takes WebSocket handshakes, version 13.'

const handlers: Readonly<Record<EndpointOn<'hosted'>, HostedHandler>> = {
  ...sharedHandlers,
  submit: submitHosted,
  socket: () => badRequest(handshakeNeeded),
  readQueue: readHostedQueue,
  changeQueue: changeHostedQueue,
  interrupt: interruptHosted,
  readHistory: readHostedHistory,
  readHistoryEntry: readHostedHistoryEntry,
  changeHistory: changeHostedHistory,
  jobStatus,
  jobs,
  job,
  deleteJob,
  cancelJob,
  cancelJobs,
  view: hostedView,
  uploadImage: hostedUploadImage,
  uploadMask: hostedUploadMask,
  maskLayers,
  ...hostedCatalogHandlers,
  ...hostedSystemHandlers,
  ...hostedSettingsHandlers,
  ...hostedUserdataHandlers,
}

/** The quirk that takes an endpoint away. */
const takenAwayBy: Partial<Readonly<Record<string, keyof typeof quirks>>> = {
  objectInfoOf: 'hosted.no-per-class',
  free: 'hosted.no-free',
}

const routes = createRoutes('hosted')

/** Old names of paths: whoever reads one is told that it is gone, not that the method is wrong. */
const oldPaths: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(endpoints).flatMap(({ path, hostedPath }) =>
    hostedPath === undefined ? [] : profiles.hosted.prefix + path,
  ),
)

/** Whether something reads the body of a request. */
export function readsBodyOnHosted(world: World, method: string, path: string): boolean {
  const found = findEndpoint(routes, method, path)
  return found?.name !== undefined && found.readsBody && !isTakenAway(world, found)
}

/** Answers a request of an account to a hosted server. */
export function answerHosted(
  server: Server,
  world: HostedWorld,
  request: IncomingRequest,
  path: string,
  query: string,
): Reply {
  const { method, fault } = request
  if (method === 'OPTIONS') return empty
  const found = findEndpoint(routes, method, path)
  if (found === undefined || isTakenAway(world, found)) return refuseHosted('notFound')
  const { name, segments } = found
  if (name === undefined) {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && oldPaths.has(path)) return refuseHosted('notFound')
    const allowed = allowedBy(found.methods).toSorted()
    return refuseHosted('methodNotAllowed', {}, { Allow: allowed.join(',') })
  }
  if (fault !== undefined && found.readsBody) return refuseBody(world, fault)
  const routed = requestAt(request, path, query, segments)
  return handlers[name as EndpointOn<'hosted'>](world, routed, server)
}

/** Whether a quirk takes away what is at a path: none of those has two methods. */
function isTakenAway({ quirks: on }: World, { methods }: RouteMatch): boolean {
  return [...methods.values()].some((name) => on.has(takenAwayBy[name] ?? ''))
}

function refuseBody({ options }: World, fault: 'tooLarge' | 'unreadable'): Reply {
  if (fault === 'unreadable') return badRequest('The body is unreadable.')
  return refuseHosted('bodyTooLarge', { limit: `${maxBodyBytes(options.maxBody)}` })
}
