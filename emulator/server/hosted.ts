// The endpoints of a hosted server: what answers each, and what every other path is answered.

import { goneOnHosted, profiles } from '../../spec/deployments.ts'
import { type EndpointName, endpoints } from '../../spec/endpoints.ts'
import type { Endpoint } from '../../spec/language.ts'
import type { quirks } from '../../spec/quirks.ts'
import { badRequest, empty, refuseHosted, type Reply } from '../replies.ts'
import { createRoutes, findRoute, type Request } from '../requests.ts'
import { hostedView } from './view-hosted.ts'
import { cancelJob, cancelJobs } from './cancel.ts'
import { hostedCatalogHandlers } from './catalog-hosted.ts'
import { hostedSettingsHandlers } from './settings-hosted.ts'
import { hostedSystemHandlers } from './system-hosted.ts'
import { hostedUserdataHandlers } from './userdata-hosted.ts'
import { changeHostedHistory, readHostedHistory, readHostedHistoryEntry } from './history-hosted.ts'
import { changeHostedQueue, interruptHosted, readHostedQueue } from './queue-hosted.ts'
import { jobs } from './job-list.ts'
import { deleteJob, job, jobStatus } from './jobs.ts'
import { submitHosted } from './workflows-hosted.ts'
import { type Arrived, sharedHandlers } from './local.ts'
import { hostedUploadImage, hostedUploadMask, maskLayers } from './uploads-hosted.ts'
import { maxBodyBytes } from './features.ts'
import type { Server } from './server.ts'
import type { World } from './world.ts'

/** `world` is that of the account that asks. */
export type HostedHandler = (world: World, request: Request, server: Server) => Reply

/** Names of the endpoints that hosted serves: one without a handler does not compile. */
type HostedEndpoint = {
  [Name in EndpointName]: 'hosted' extends (typeof endpoints)[Name]['on'][number] ? Name : never
}[EndpointName]

/** What is wrong with a request for the socket that is no handshake. */
export const handshakeNeeded = 'This path takes WebSocket handshakes, version 13.'

const handlers: Readonly<Record<HostedEndpoint, HostedHandler>> = {
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

const { prefix } = profiles.hosted
const unprefixed: readonly string[] = profiles.hosted.unprefixed

const routes = createRoutes(
  Object.entries<Endpoint>(endpoints)
    .filter(([, { on }]) => on.includes('hosted'))
    .map(([name, endpoint]) => {
      const path = endpoint.hostedPath ?? endpoint.path
      return [name, { ...endpoint, path: unprefixed.includes(path) ? path : prefix + path }]
    }),
  [''],
)
/** Old paths: whoever reads them is told that they are gone, not that the method is wrong. */
const gone = createRoutes(
  goneOnHosted.map((path) => ['gone', { ...endpoints.readHistory, path: prefix + path }]),
  [''],
)

/** Answers a request of an account to a hosted server. */
export function answerHosted(server: Server, world: World, arrived: Arrived): Reply {
  const { method, path, fault } = arrived
  if (method === 'OPTIONS') return empty
  const found = findRoute(routes, path)
  if (found === undefined || isTakenAway(world, found.route.methods))
    return refuseHosted('notFound')
  const known = found.route.methods
  const name = known.get(method === 'HEAD' ? 'GET' : method)
  if (name === undefined) {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && findRoute(gone, path) !== undefined) return refuseHosted('notFound')
    const allowed = [...known.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))
    return refuseHosted('methodNotAllowed', {}, { Allow: allowed.sort().join(',') })
  }
  if (fault !== undefined && known.get('GET') !== name) return refuseBody(world, fault)
  const { segments } = found
  const request = { ...arrived, segment: segments[0] ?? '', segments }
  return inOwnWords(handlers[name as HostedEndpoint](world, request, server))
}

/** Whether a quirk takes away what is at a path: none of those has two methods. */
function isTakenAway({ quirks: on }: World, methods: ReadonlyMap<string, string>): boolean {
  return [...methods.values()].some((name) => on.has(takenAwayBy[name] ?? ''))
}

/** A handler that local shares fails at bodies that it does not expect, as real ones there: here the client is told. */
const inOwnWords = (reply: Reply): Reply =>
  reply.raised && reply.status === 500 ? badRequest('The body is not what this path takes.') : reply

function refuseBody({ options }: World, fault: 'tooLarge' | 'unreadable'): Reply {
  if (fault === 'unreadable') return badRequest('The body is unreadable.')
  return refuseHosted('bodyTooLarge', { limit: `${maxBodyBytes(options.maxBody)}` })
}
