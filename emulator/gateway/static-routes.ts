// The static routes of a gateway, which take precedence over its subscriptions.

import { isObject, type Json, type JsonObject, readJson } from '../lib/json.ts'
import { readRoute, type Route, usable } from './state/routes.ts'
import {
  type GatewayStateOptions,
  type GatewayWorld,
  hasQuirk,
  isOpenAllowed,
  schemesOf,
} from './state/state.ts'

/** The static routes of these options, by name. */
export function readStatic(options: GatewayStateOptions): Map<string, Route> {
  const routes = new Map<string, Route>()
  for (const [name, route] of objectOrEmpty(readJson(options.routes))) {
    if (isObject(route)) routes.set(name, readRoute(name, route, options.secret))
  }
  return routes
}

const objectOrEmpty = (value: Json): JsonObject => (isObject(value) ? value : new Map())

/** Why the static routes cannot be served, as a sentence without secrets; undefined if they can. */
export function staticFault(options: GatewayStateOptions): string | undefined {
  for (const [name, route] of objectOrEmpty(readJson(options.routes))) {
    if (!isObject(route)) return `The static route "${name}" is not an object.`
    const read = readRoute(name, route, options.secret)
    const fault = usable(read, isOpenAllowed(options), schemesOf(options))
    if (fault !== undefined) return `The static route "${name}" ${fault}.`
  }
  return undefined
}

/** The route of a name; static ones take precedence. */
export function routeOf(world: GatewayWorld, name: string): Route | undefined {
  const route = world.setup.staticRoutes.get(name) ?? world.state.dynamicRoutes.get(name)
  return route?.isEmpty && hasQuirk(world, 'webhooks.empty-route') ? undefined : route
}
