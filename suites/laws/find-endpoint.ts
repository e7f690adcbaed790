// Finds the endpoint of a recorded request in the spec, by method and path.

import { endpoints, gatewayEndpoints, profiles } from '../../spec/index.ts'
import type { Endpoint, Endpoints, Place } from '../../spec/language.ts'
import { pathOn } from '../generate/replies-on.ts'

type Route = { readonly name: string; readonly spec: Endpoint; readonly pattern: RegExp }
type Routes = {
  /** By method and path. */
  readonly exact: ReadonlyMap<string, Route>
  readonly variable: readonly Route[]
  /** The paths without variable parts. */
  readonly paths: ReadonlySet<string>
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
  return { exact, variable, paths }
}

const tables: Readonly<Record<Place, Routes>> = {
  local: routesOf('local'),
  hosted: routesOf('hosted'),
  gateway: routesOf('gateway'),
}

export type Found = {
  readonly name: string
  readonly spec: Endpoint
  /** Values of the variable parts, decoded. */
  readonly parts: readonly string[]
}

/** Whether a local server has a path as it is: some begin with the alias. */
const isServed = (path: string): boolean =>
  tables.local.paths.has(path) || tables.local.variable.some(({ pattern }) => pattern.test(path))

const unaliased = [...tables.local.variable, ...tables.local.exact.values()].filter(
  ({ spec }) => spec.unaliased === true,
)

/** Whether a local server serves a path once, and not a second time below the alias. */
const isUnaliased = (path: string): boolean =>
  path.startsWith('/internal/') || unaliased.some(({ pattern }) => pattern.test(path))

/** The path without the prefix of a world of flowdouble, of a profile of a gateway, or of the local alias. */
export function plainPath(place: Place, path: string): string {
  const own = path.replace(/^\/w\/[^/]+(?=\/)/, '')
  if (place === 'gateway') return own.replace(/^\/p\/[^/]+(?=\/webhooks\/)/, '')
  const { alias } = profiles.local
  const isAlias = place === 'local' && own.startsWith(`${alias}/`) && !isServed(own)
  const aliased = own.slice(alias.length)
  return isAlias && !isUnaliased(aliased) ? aliased : own
}

/** The endpoint of a request; undefined if the spec has none there. HEAD counts as GET, except where it is served itself. */
export const findEndpoint = (place: Place, method: string, path: string): Found | undefined =>
  found(place, method, path) ?? (method === 'HEAD' ? found(place, 'GET', path) : undefined)

function found(place: Place, asked: string, path: string): Found | undefined {
  const { exact, variable } = tables[place]
  const known = exact.get(`${asked} ${path}`)
  if (known !== undefined) return { ...known, parts: [] }
  for (const { name, spec, pattern } of variable) {
    if (spec.method !== asked) continue
    const match = pattern.exec(path)
    if (match !== null) return { name, spec, parts: match.slice(1).map(decoded) }
  }
  return undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
