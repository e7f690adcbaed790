// Finds the endpoint of a recorded request in the spec, by method and path.

import { endpoints as gatewayEndpoints } from '../../spec/gateway/webhooks.ts'
import type { Endpoint, Endpoints, Place } from '../../spec/language.ts'
import { profiles } from '../../spec/server/deployments.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import { onHosted } from '../../spec/hosted/surfaces.ts'
import { decodePart } from '../http/requests.ts'

/** Where a deployment, or the gateway, serves an endpoint. */
export function pathOn(place: Place, endpoint: Endpoint): string {
  const { path, hostedPath = path } = endpoint
  if (place === 'gateway') return path
  if (place === 'local') return profiles.local.prefix + path
  return onHosted(hostedPath)
}

type Route = { readonly name: string; readonly spec: Endpoint; readonly pattern: RegExp }
type Routes = {
  /** By method and path. */
  readonly exact: ReadonlyMap<string, Route>
  readonly variable: readonly Route[]
  /** The paths without variable parts. */
  readonly paths: ReadonlySet<string>
  readonly unaliased: readonly Route[]
}

const escaped = (text: string): string => text.replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)

/** A template as a pattern: each variable part is a group. */
const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${escaped(path).replaceAll(/\{\w+(\\\.\\\.\\\.)?\}/g, (_, rest: string | undefined) =>
      rest === undefined ? '([^/]+)' : '(.+)',
    )}$`,
  )

function routesOf(place: Place): Routes {
  const all: Endpoints = place === 'gateway' ? gatewayEndpoints : endpoints
  const routes = Object.entries(all)
    .filter(([, { on }]) => on.includes(place))
    .map(([name, spec]) => ({ name, spec, path: pathOn(place, spec) }))
  const exact = new Map<string, Route>()
  const variable: Route[] = []
  for (const { name, spec, path } of routes) {
    const route = { name, spec, pattern: patternOf(path) }
    if (path.includes('{')) variable.push(route)
    else exact.set(`${spec.method} ${path}`, route)
  }
  const paths = new Set(routes.map(({ path }) => path))
  const unaliased = [...variable, ...exact.values()].filter(({ spec }) => spec.unaliased === true)
  return { exact, variable, paths, unaliased }
}

/** Made when a recording is of that place. */
const tables = new Map<Place, Routes>()

function routesAt(place: Place): Routes {
  const known = tables.get(place) ?? routesOf(place)
  tables.set(place, known)
  return known
}

export type Found = {
  readonly name: string
  readonly spec: Endpoint
  /** Values of the variable parts, decoded. */
  readonly parts: readonly string[]
}

/** Whether a local server has a path as it is: some begin with the alias. */
function isServed(path: string): boolean {
  const { paths, variable } = routesAt('local')
  return paths.has(path) || variable.some(({ pattern }) => pattern.test(path))
}

/** Whether a local server serves a path once, and not a second time below the alias. */
const isUnaliased = (path: string): boolean =>
  path.startsWith('/internal/') ||
  routesAt('local').unaliased.some(({ pattern }) => pattern.test(path))

/** The path without the prefix of a world of flowdouble, of a profile of a gateway, or of the local alias. */
export function plainPath(place: Place, path: string): string {
  const own = path.replace(/^\/w\/[^/]+(?=\/)/, '')
  if (place === 'gateway') return own.replace(/^\/p\/[^/]+(?=\/webhooks\/)/, '')
  const { alias } = profiles.local
  const isAlias = place === 'local' && own.startsWith(`${alias}/`) && !isServed(own)
  const aliased = own.slice(alias.length)
  return isAlias && !isUnaliased(aliased) ? aliased : own
}

/** A path without the prefix that local servers accept and hosted ones require. */
export const withoutPrefix = (path: string): string => path.replace(/^\/api(?=\/)/, '')

/** The endpoint of a request; undefined if the spec has none there. HEAD counts as GET, except where it is served itself. */
export const findEndpoint = (place: Place, method: string, path: string): Found | undefined =>
  found(place, method, path) ?? (method === 'HEAD' ? found(place, 'GET', path) : undefined)

function found(place: Place, asked: string, path: string): Found | undefined {
  const { exact, variable } = routesAt(place)
  const known = exact.get(`${asked} ${path}`)
  if (known !== undefined) return { ...known, parts: [] }
  for (const { name, spec, pattern } of variable) {
    if (spec.method !== asked) continue
    const match = pattern.exec(path)
    if (match !== null) return { name, spec, parts: match.slice(1).map(decodePart) }
  }
  return undefined
}
