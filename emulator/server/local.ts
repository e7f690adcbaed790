// The endpoints of a local server: what answers each, and what every other path is answered.

import { type EndpointName, endpoints } from '../../spec/endpoints.ts'
import type { Endpoint } from '../../spec/language.ts'
import { endpoints as managerEndpoints } from '../../spec/manager.ts'
import { empty, json, type Reply, refuse } from '../replies.ts'
import { createRoutes, decodePart, findRoute, isInternal, type Request } from '../requests.ts'
import { modelFiles, modelFolderNames, nodeTypeText, objectInfoText } from './catalog.ts'
import { normalisePath } from './paths.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { internalHandlers } from './internal.ts'
import { managerInstall, managerInstallModel, managerStatus } from './manager.ts'
import { uploadMask } from './masks.ts'
import { maxBodyBytes } from './features.ts'
import { modelHandlers } from './models.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'
import { settingsHandlers } from './settings.ts'
import { features, free, home, promptInfo, systemStats } from './system.ts'
import { uploadImage } from './uploads.ts'
import { userdataHandlers } from './userdata.ts'
import { view } from './view.ts'
import { submit } from './workflows.ts'
import type { World } from './world.ts'

/** A request before its path has been looked at. */
export type Arrived = Omit<Request, 'segment' | 'segments'> & {
  readonly fault?: 'tooLarge' | 'unreadable'
}

export type Handler = (world: World, request: Request) => Reply

/** Names of the endpoints that the local deployment serves: one without a handler does not compile. */
type LocalEndpoint = {
  [Name in EndpointName]: 'local' extends (typeof endpoints)[Name]['on'][number] ? Name : never
}[EndpointName]

/** What both deployments answer alike. */
export const sharedHandlers = {
  submit,
  promptInfo,
  free,
  systemStats,
  features,
  objectInfo: (world) => json(objectInfoText(world)),
  objectInfoOf: (world, { segment }) => {
    const text = nodeTypeText(world, segment)
    return json(text === undefined ? '{}' : `{${JSON.stringify(segment)}: ${text}}`)
  },
  // The handshake is an input of its own; a plain request is no handshake.
  socket: () => refuse('socketWithoutUpgrade', {}, { upgrade: 'None' }),
} as const satisfies Partial<Record<EndpointName, Handler>>

const handlers: Readonly<Record<LocalEndpoint, Handler>> = {
  ...sharedHandlers,
  readQueue,
  changeQueue,
  interrupt,
  readHistory,
  readHistoryEntry,
  changeHistory,
  view,
  uploadImage,
  uploadMask,
  modelFolders: () => json(JSON.stringify(modelFolderNames)),
  models: (world, { segment }) => {
    const files = modelFiles(world, segment)
    return files === undefined ? refuse('notFoundEmpty') : json(JSON.stringify(files))
  },
  home,
  managerInstall,
  managerStatus,
  managerInstallModel,
  ...modelHandlers,
  ...userdataHandlers,
  ...settingsHandlers,
  ...internalHandlers,
}

const served = Object.entries<Endpoint>(endpoints).filter(([, { on }]) => on.includes('local'))
const prefixes = ['', '/api']
const routesWithManager = createRoutes(served, prefixes)
const routes = createRoutes(
  served.filter(([name]) => !Object.hasOwn(managerEndpoints, name)),
  prefixes,
)

/** Answers a request to a local server. */
export function answerLocal(world: World, arrived: Arrived): Reply {
  const { method, path, fault } = arrived
  if (method === 'OPTIONS') return empty
  const found = findRoute(world.options.manager ? routesWithManager : routes, path)
  const known = found?.route.methods
  const name = known?.get(method === 'HEAD' ? 'GET' : method)
  if (name !== undefined && found !== undefined) {
    // Only a handler that reads a body meets what is wrong with it.
    if (fault !== undefined && known?.get('GET') !== name) return refuseBody(world, fault)
    const { segments } = found
    return handlers[name as LocalEndpoint](world, {
      ...arrived,
      segment: segments[0] ?? '',
      segments,
    })
  }
  const internal = isInternal(path)
  if (internal ? known === undefined : method === 'GET' || method === 'HEAD')
    return refuse(isPage(path) ? 'unknownPath' : 'notFoundText')
  const own = [...(known?.keys() ?? [])].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))
  // The pages stand behind every other path, and take GET and HEAD.
  const allowed = [...new Set([...(internal ? [] : ['GET', 'HEAD']), ...own])].sort()
  return refuse('methodNotAllowed', { Allow: allowed.join(',') })
}

function refuseBody({ options }: World, fault: 'tooLarge' | 'unreadable'): Reply {
  if (fault === 'unreadable') return refuse('internal')
  return refuse('bodyTooLarge', {}, { limit: `${maxBodyBytes(options.maxBody)}` })
}

/** Whether an unknown path is looked up among the pages, as real servers do with those that stay in their folder. */
const isPage = (path: string): boolean =>
  !isInternal(path) && normalisePath(decodePart(path.slice(1))) !== undefined
