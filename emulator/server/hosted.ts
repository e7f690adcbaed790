// The endpoints of a hosted server: what answers each, and what every other path is answered.

import { goneOnHosted, profiles } from '../../spec/deployments.ts'
import { type EndpointName, endpoints } from '../../spec/endpoints.ts'
import type { Endpoint } from '../../spec/language.ts'
import { empty, type Reply, refuse, refuseHosted } from '../replies.ts'
import { createRoutes, findRoute, type Request } from '../requests.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { type Arrived, sharedHandlers } from './local.ts'
import { uploadMask } from './masks.ts'
import { submitHosted } from './hosted-submit.ts'
import { maxBodyBytes } from './messages.ts'
import { experimentModelFolders, experimentModels } from './models.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'
import type { Server } from './server.ts'
import { uploadImage } from './uploads.ts'
import { view } from './view.ts'
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
  socket: () => refuseHosted('badRequest', { reason: handshakeNeeded }),
  readQueue,
  changeQueue,
  interrupt,
  readHistory,
  readHistoryEntry,
  changeHistory,
  jobStatus: () => refuseHosted('notFound'),
  job: () => refuseHosted('notFound'),
  modelFolders: experimentModelFolders,
  models: experimentModels,
  view,
  uploadImage,
  uploadMask,
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
  const known = found?.route.methods
  const name = known?.get(method === 'HEAD' ? 'GET' : method)
  if (known === undefined || found === undefined) return refuseHosted('notFound')
  if (name === undefined) {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && findRoute(gone, path) !== undefined) return refuseHosted('notFound')
    const allowed = [...known.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))
    return refuseHosted('methodNotAllowed', {}, { Allow: allowed.sort().join(',') })
  }
  if (fault !== undefined && known.get('GET') !== name) return refuseBody(world, fault)
  const { segments } = found
  const request = { ...arrived, segment: segments[0] ?? '', segments }
  return handlers[name as HostedEndpoint](world, request, server)
}

function refuseBody({ options }: World, fault: 'tooLarge' | 'unreadable'): Reply {
  if (fault === 'unreadable')
    return refuseHosted('badRequest', { reason: 'The body is unreadable.' })
  return refuse('bodyTooLarge', {}, { limit: `${maxBodyBytes(options.maxBody)}` })
}
