// The one way into a world: an input goes in, effects come out, and nothing else happens.

import { endpoints } from '../../spec/index.ts'
import type { Endpoint } from '../../spec/language.ts'
import type { Effect, Headers, Input } from '../machine.ts'
import { empty, json, type Reply, refuse } from '../replies.ts'
import { createRoutes, decodePart, findRoute, isInternal, type Request } from '../requests.ts'
import { judgeOrigin } from './access.ts'
import { modelFiles, modelFolderNames, nodeTypeText, objectInfoText } from './catalog.ts'
import { normalisePath } from './file-inputs.ts'
import { uploadImage, view } from './files.ts'
import { changeHistory, readHistory, readHistoryEntry } from './history.ts'
import { closeSocket, openSocket, readMessage } from './messages.ts'
import { changeQueue, interrupt, readQueue } from './queue.ts'
import { work } from './runs.ts'
import { features, free, home, promptInfo, systemStats } from './system.ts'
import { submit } from './workflows.ts'
import type { World } from './world.ts'

type Handler = (world: World, request: Request) => Reply

/** What answers each endpoint of the local deployment. */
const handlers = {
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
  socket: () => refuse('socketWithoutUpgrade'),
} as const satisfies Readonly<Record<string, Handler>>

const handlerOf: Readonly<Record<string, Handler>> = handlers
const served = Object.entries<Endpoint>(endpoints).filter(([name]) => Object.hasOwn(handlers, name))
const routes = createRoutes(served, ['', '/api'])

/**
 * Lets the input happen to the world and returns the effects in their order. Synchronous and deterministic:
 * equal worlds and equal inputs give equal effects. Whatever is due before the input happens first.
 */
export function step(world: World, input: Input): readonly Effect[] {
  world.effects = []
  while (world.workerDueMs !== undefined && world.workerDueMs <= input.atMs) {
    world.nowMs = Math.max(world.nowMs, world.workerDueMs)
    work(world)
  }
  world.nowMs = Math.max(world.nowMs, input.atMs)
  if (input.kind === 'request') answer(world, input)
  else if (input.kind === 'open') connect(world, input)
  else if (input.kind === 'message') readMessage(world, input.socket, input.text)
  else if (input.kind === 'close') closeSocket(world, input.socket)
  return world.effects
}

/** When the world does something by itself next, in its own milliseconds; undefined when it waits for an input. */
export const nextWakeMs = (world: World): number | undefined => world.workerDueMs

function connect(world: World, input: Extract<Input, { kind: 'open' }>): void {
  const refusal = refuseOrigin(input.headers) ?? refuseHandshake(input)
  if (refusal === undefined) openSocket(world, input)
  else world.effects.push({ kind: 'refuse', socket: input.socket, ...refusal })
}

function refuseHandshake({ fault }: Extract<Input, { kind: 'open' }>): Reply | undefined {
  if (fault === undefined) return undefined
  return refuse(fault.refusal, {}, { version: fault.value, key: fault.value })
}

function refuseOrigin(headers: Headers): Reply | undefined {
  const origin = judgeOrigin(headers)
  if (origin === 'own') return undefined
  return refuse(origin === 'foreign' ? 'forbiddenEmpty' : 'internal')
}

function answer(world: World, input: Extract<Input, { kind: 'request' }>): void {
  const before = world.effects
  world.effects = []
  const reply = route(world, input)
  // The answer goes out before anything that the request sets off [workflows/answers-first].
  before.push({ kind: 'reply', request: input.request, ...reply }, ...world.effects)
  world.effects = before
}

function route(world: World, input: Extract<Input, { kind: 'request' }>): Reply {
  const { method, target, headers, body } = input
  const cut = target.indexOf('?')
  const path = cut < 0 ? target : target.slice(0, cut)
  const query = cut < 0 ? '' : target.slice(cut + 1)
  const refusal = refuseOrigin(headers)
  if (refusal !== undefined) return refusal
  if (method === 'OPTIONS') return empty
  const found = findRoute(routes, path)
  const known = found?.route.methods
  const name = known?.get(method === 'HEAD' ? 'GET' : method)
  if (name !== undefined && found !== undefined) {
    const { segments } = found
    const request = { method, path, segment: segments[0] ?? '', segments, query, headers, body }
    return (handlerOf[name] as Handler)(world, request)
  }
  const internal = isInternal(path)
  if (internal ? known === undefined : method === 'GET' || method === 'HEAD')
    return refuse(isPage(path) ? 'unknownPath' : 'notFoundText')
  const own = [...(known?.keys() ?? [])].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))
  // The pages stand behind every other path, and take GET and HEAD.
  const allowed = [...new Set([...(internal ? [] : ['GET', 'HEAD']), ...own])].sort()
  return refuse('methodNotAllowed', { Allow: allowed.join(',') })
}

/** Whether an unknown path is looked up among the pages, as real servers do with those that stay in their folder. */
const isPage = (path: string): boolean =>
  !isInternal(path) && normalisePath(decodePart(path.slice(1))) !== undefined
