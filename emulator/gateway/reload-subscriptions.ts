// Applies a changed subscriptions file to the routes.

import { hasQuirk, isOpenAllowed, type GatewayWorld } from './state/state.ts'
import { log } from './log.ts'
import { dropRoutes } from './state/metrics.ts'
import { setProblem } from './state/problems.ts'
import { noteSecrets } from './state/redact-secrets.ts'
import type { JsonObject } from '../lib/json.ts'
import { readFile } from './state/read-subscriptions.ts'
import { readRoute, type Route, usable } from './state/routes.ts'

/** Applies the text of a subscriptions file; null if the file no longer exists. */
export function loadFile(world: GatewayWorld, text: string | null, modifiedMs: number): void {
  if (text === null) {
    const { size } = world.state.dynamicRoutes
    world.state.dynamicRoutes = new Map()
    setProblem(world.state, 'subscriptions', null)
    const routes = size === 1 ? '1 route is' : `${size} routes are`
    if (size > 0)
      log(world, 'warning', `The subscriptions file is gone: ${routes} no longer served.`)
    noteSecrets(world)
    return
  }
  const isOlder = modifiedMs <= world.state.fileModifiedMs
  if (isOlder && hasQuirk(world, 'webhooks.reload-only-newer')) return
  const given = readFile(text)
  if (given === undefined) {
    const { size } = world.state.dynamicRoutes
    const rest = size === 0 ? 'no routes are served from it' : 'keeping the previous routes'
    setProblem(world.state, 'subscriptions', 'The subscriptions file is corrupt.')
    log(world, 'error', `The subscriptions file is not a JSON object of objects: ${rest}.`)
    return
  }
  world.state.fileModifiedMs = modifiedMs
  setProblem(world.state, 'subscriptions', null)
  const routes = new Map<string, Route>()
  const { secret } = world.setup.options
  const isOpen = isOpenAllowed(world.setup.options)
  for (const [name, value] of given) {
    if (world.setup.staticRoutes.has(name)) continue
    const route = routeOf(name, value, secret)
    const fault = usable(route, isOpen, world.setup.schemes)
    if (fault === undefined) routes.set(name, route)
    else log(world, 'warning', `The subscription "${name}" ${fault}: ignoring it.`)
  }
  world.state.dynamicRoutes = routes
  const { staticRoutes } = world.setup
  dropRoutes(world.state.metrics, (name) => staticRoutes.has(name) || routes.has(name))
  noteSecrets(world)
  log(world, 'info', `Subscriptions loaded: ${namesOf(routes)}.`)
}

/** The routes of the entries of files. Those of unchanged entries are the same objects from one reload to the next. */
const known = new WeakMap<
  JsonObject,
  { readonly route: Route; readonly globalSecret: string | null }
>()

function routeOf(name: string, entry: JsonObject, globalSecret: string | null): Route {
  const found = known.get(entry)
  if (found?.route.name === name && found.globalSecret === globalSecret) return found.route
  const route = readRoute(name, entry, globalSecret)
  known.set(entry, { route, globalSecret })
  return route
}

/** How many routes a line names. */
const MANY = 20

const namesOf = (routes: ReadonlyMap<string, Route>): string =>
  routes.size > MANY ? `${routes.size} routes` : [...routes.keys()].join(', ') || 'none'
