// The endpoints of a hosted server: the handler of each, and the replies for all other paths.

import { profiles } from '../../../spec/server/deployments.ts'
import { endpoints, type V1EndpointName } from '../../../spec/server/endpoints.ts'
import type { Endpoint } from '../../../spec/language.ts'
import type { QuirkId } from '../../../spec/truth/quirks.ts'
import { badRequest, empty, refuseHosted, type Reply } from '../../http/replies.ts'
import type { BodyFault, IncomingRequest } from '../../machine.ts'
import { requestAt } from '../../http/requests.ts'
import { allowedBy, findEndpoint, type RouteMatch, routesOfSurface } from '../../http/routes.ts'
import { jobs } from './job-list.ts'
import { cancelJob, cancelJobs, deleteJob, job, jobStatus } from './jobs.ts'
import { promptInfo } from '../local/system.ts'
import { answeredMethods } from '../extensions/answers.ts'
import { bodyLimit } from '../world/features.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld, World } from '../state/world.ts'
import type { HostedHandler } from './handler.ts'
import { billingHandlers } from './accounts/billing.ts'
import { workspaceHandlers } from './accounts/workspaces.ts'
import { secretHandlers } from './accounts/secrets.ts'
import { sessionHandlers } from './accounts/sessions.ts'
import { publishedHandlers } from './accounts/published.ts'
import { workflowHandlers } from './accounts/saved-workflows.ts'
import { assetHandlers } from './assets/handlers.ts'
import { assetExport, hostedContent } from './asset-content.ts'
import { view } from './view.ts'
import { catalogHandlers } from './catalog.ts'
import { settingsHandlers } from './settings.ts'
import { systemHandlers } from './system.ts'
import { userdataHandlers } from './userdata.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'
import { submit } from './submit.ts'
import { uploadImage } from './uploads.ts'
import { uploadMask, maskLayers } from './masks.ts'

/** The error in a request for the socket path that is not a handshake. */
export const handshakeNeeded = 'This path takes WebSocket handshakes, version 13.'

const handlers: Readonly<Record<V1EndpointName, HostedHandler>> = {
  promptInfo,
  submit,
  socket: () => badRequest(handshakeNeeded),
  readQueue,
  changeQueue,
  interrupt,
  readHistory,
  readHistoryEntry,
  changeHistory,
  jobStatus,
  jobs,
  job,
  deleteJob,
  cancelJob,
  cancelJobs,
  view,
  uploadImage,
  uploadMask,
  maskLayers,
  hostedContent,
  assetExport,
  ...assetHandlers,
  ...catalogHandlers,
  ...systemHandlers,
  ...settingsHandlers,
  ...userdataHandlers,
  ...workflowHandlers,
  ...publishedHandlers,
  ...workspaceHandlers,
  ...billingHandlers,
  ...sessionHandlers,
  ...secretHandlers,
}

/** The quirk that removes an endpoint. */
const takenAwayBy: Partial<Readonly<Record<string, QuirkId>>> = {
  objectInfoOf: 'hosted.no-per-class',
  free: 'hosted.no-free',
}

const routes = routesOfSurface('v1')

/** Old names of paths: reading one returns 410, not 405. */
const oldPaths: ReadonlySet<string> = new Set(
  Object.values<Endpoint>(endpoints).flatMap(({ path, hostedPath }) =>
    hostedPath === undefined ? [] : profiles.hosted.prefix + path,
  ),
)

/** Whether any handler reads the body of the request. */
export function readsBody(world: World, method: string, path: string): boolean {
  const found = findEndpoint(routes, method, path)
  return found?.name !== undefined && found.readsBody && !isRemovedByQuirk(world, found)
}

/** Answers a request of an account to a hosted server. */
export function answer(
  server: Server,
  world: HostedWorld,
  request: IncomingRequest,
  path: string,
  query: string,
): Reply {
  const { method, fault } = request
  if (method === 'OPTIONS') return empty
  const found = findEndpoint(routes, method, path)
  if (found === undefined || isRemovedByQuirk(world, found)) {
    const answered = answeredMethods(world, { method, path, query })
    return answered.length === 0 ? refuseHosted('notFound') : refuseMethod(answered)
  }
  const { name, segments } = found
  if (name === undefined) {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && oldPaths.has(path)) return refuseHosted('notFound')
    const answered = answeredMethods(world, { method, path, query })
    return refuseMethod([...allowedBy(found.methods), ...answered])
  }
  if (fault !== undefined && found.readsBody) return refuseBody(world, fault)
  const routed = requestAt(request, path, query, segments)
  return handlers[name as V1EndpointName](world, routed, server)
}

const refuseMethod = (allowed: readonly string[]): Reply =>
  refuseHosted('methodNotAllowed', {}, { Allow: [...new Set(allowed)].toSorted().join(',') })

/** Whether a quirk removes the endpoint at a path: none of those has two methods. */
function isRemovedByQuirk({ setup: { quirks: on } }: World, { methods }: RouteMatch): boolean {
  for (const name of methods.values()) {
    const quirk = takenAwayBy[name]
    if (quirk !== undefined && on.has(quirk)) return true
  }
  return false
}

function refuseBody({ setup: { options } }: World, fault: BodyFault): Reply {
  if (fault === 'unreadable') return badRequest('The body is unreadable.')
  return refuseHosted('bodyTooLarge', { limit: `${bodyLimit(options, fault)}` })
}
