// The one way into a world: an input goes in, effects come out, and nothing else happens.

import { type EndpointName, endpoints } from '../../spec/endpoints.ts'
import { endpoints as managerEndpoints } from '../../spec/manager.ts'
import type { Endpoint } from '../../spec/language.ts'
import type { Effect, Input } from '../machine.ts'
import { empty, json, type Reply, refuse } from '../replies.ts'
import { createRoutes, decodePart, findRoute, isInternal, type Request } from '../requests.ts'
import { guard } from './access.ts'
import { modelFiles, modelFolderNames, nodeTypeText, objectInfoText } from './catalog.ts'
import { maxBodyBytes } from './features.ts'
import { finish } from './headers.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { endInstall } from './installs.ts'
import { internalHandlers } from './internal.ts'
import { managerInstall, managerInstallModel, managerStatus } from './manager.ts'
import { uploadMask } from './masks.ts'
import { closeSocket, openSocket, readMessage } from './messages.ts'
import { modelHandlers } from './models.ts'
import { normalisePath } from './paths.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'
import { work } from './runs.ts'
import { settingsHandlers } from './settings.ts'
import { features, free, home, promptInfo, systemStats } from './system.ts'
import { uploadImage } from './uploads.ts'
import { userdataHandlers } from './userdata.ts'
import { view } from './view.ts'
import { submit } from './workflows.ts'
import type { World } from './world.ts'

type Handler = (world: World, request: Request) => Reply

/** Names of the endpoints that the local deployment serves: one without a handler does not compile. */
type LocalEndpoint = {
  [Name in EndpointName]: 'local' extends (typeof endpoints)[Name]['on'][number] ? Name : never
}[EndpointName]

/** What answers each endpoint of the local deployment. */
const handlers: Readonly<Record<LocalEndpoint, Handler>> = {
  submit,
  promptInfo,
  readQueue,
  changeQueue,
  interrupt,
  free,
  readHistory,
  readHistoryEntry,
  changeHistory,
  view,
  uploadImage,
  uploadMask,
  objectInfo: (world) => json(objectInfoText(world)),
  objectInfoOf: (world, { segment }) => {
    const text = nodeTypeText(world, segment)
    return json(text === undefined ? '{}' : `{${JSON.stringify(segment)}: ${text}}`)
  },
  modelFolders: () => json(JSON.stringify(modelFolderNames)),
  models: (world, { segment }) => {
    const files = modelFiles(world, segment)
    return files === undefined ? refuse('notFoundEmpty') : json(JSON.stringify(files))
  },
  systemStats,
  features,
  home,
  // The handshake is an input of its own; a plain request is no handshake.
  socket: () => refuse('socketWithoutUpgrade', {}, { upgrade: 'None' }),
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

/**
 * Lets the input happen to the world and returns the effects in their order. Synchronous and deterministic:
 * equal worlds and equal inputs give equal effects. Whatever is due before the input happens first.
 */
export function step(world: World, input: Input): readonly Effect[] {
  world.effects = []
  for (
    let due = nextWakeMs(world);
    due !== undefined && due <= input.atMs;
    due = nextWakeMs(world)
  ) {
    world.nowMs = Math.max(world.nowMs, due)
    if (due === world.installs.dueMs) endInstall(world.installs)
    else work(world)
  }
  world.nowMs = Math.max(world.nowMs, input.atMs)
  if (input.kind === 'request') answer(world, input)
  else if (input.kind === 'open') connect(world, input)
  else if (input.kind === 'message') readMessage(world, input.socket, input.text)
  else if (input.kind === 'close') closeSocket(world, input.socket)
  return world.effects
}

/** When the world does something by itself next, in its own milliseconds; undefined when it waits for an input. */
export function nextWakeMs({ workerDueMs, installs: { dueMs } }: World): number | undefined {
  if (dueMs === undefined || workerDueMs === undefined) return workerDueMs ?? dueMs
  return Math.min(dueMs, workerDueMs)
}

function connect(world: World, input: Extract<Input, { kind: 'open' }>): void {
  const refusal = guard(world, { method: 'GET', ...input }) ?? refuseHandshake(input)
  if (refusal === undefined) return openSocket(world, input)
  const { headers, target } = input
  const reply = finish(world, splitTarget(target)[0], headers['accept'], refusal)
  world.effects.push({ kind: 'refuse', socket: input.socket, ...reply })
}

function refuseHandshake({ fault }: Extract<Input, { kind: 'open' }>): Reply | undefined {
  if (fault === undefined) return undefined
  const { refusal, value } = fault
  return refuse(refusal, {}, { upgrade: value, version: value, key: value })
}

function answer(world: World, input: Extract<Input, { kind: 'request' }>): void {
  const before = world.effects
  world.effects = []
  const [path, query] = splitTarget(input.target)
  const reply = finish(world, path, input.headers['accept'], route(world, input, path, query))
  // The answer goes out before anything that the request sets off [workflows/answers-first].
  before.push({ kind: 'reply', request: input.request, ...reply }, ...world.effects)
  world.effects = before
}

function splitTarget(target: string): [path: string, query: string] {
  const cut = target.indexOf('?')
  return cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut + 1)]
}

function route(
  world: World,
  input: Extract<Input, { kind: 'request' }>,
  path: string,
  query: string,
): Reply {
  const { method, headers, body, fault } = input
  const refusal = guard(world, input)
  if (refusal !== undefined) return refusal
  if (method === 'OPTIONS') return empty
  const found = findRoute(world.options.manager ? routesWithManager : routes, path)
  const known = found?.route.methods
  const name = known?.get(method === 'HEAD' ? 'GET' : method)
  if (name !== undefined && found !== undefined) {
    // Only a handler that reads a body meets what is wrong with it.
    if (fault !== undefined && known?.get('GET') !== name) return refuseBody(world, fault)
    const { segments } = found
    const request = { method, path, segment: segments[0] ?? '', segments, query, headers, body }
    return handlers[name as LocalEndpoint](world, request)
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
