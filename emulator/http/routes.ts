// Finds the endpoint that a request is for.

import { profiles } from '../../spec/server/deployments.ts'
import { endpoints } from '../../spec/server/endpoints.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { decodePart } from './requests.ts'

/** What a path leads to: the endpoint names by method. */
type Route = { readonly methods: Map<string, string> }

/** The paths with variable parts, by segments: literal ones come before `{name}`, which comes before `{name...}`. */
type Branch = {
  readonly literals: Map<string, Branch>
  variable: Branch | undefined
  rest: Branch | undefined
  route: Route | undefined
}
export type Routes = { readonly exact: Map<string, Route>; readonly patterns: Branch }

const createBranch = (): Branch => ({
  literals: new Map(),
  variable: undefined,
  rest: undefined,
  route: undefined,
})

/** Paths below /internal/ have no twin, and no page is looked up there. */
export const isInternal = (path: string): boolean => path.startsWith('/internal/')

const { twin } = profiles.local
const { prefix } = profiles.hosted
const unprefixed: readonly string[] = profiles.hosted.unprefixed

/** Every path at which a deployment has an endpoint. */
export function pathsOn(
  deployment: Deployment,
  { path, hostedPath = path }: Endpoint,
): readonly string[] {
  if (deployment === 'local') return isInternal(path) ? [path] : [path, twin + path]
  return [unprefixed.includes(hostedPath) ? hostedPath : prefix + hostedPath]
}

const socketPaths = {
  local: pathsOn('local', endpoints.socket),
  hosted: pathsOn('hosted', endpoints.socket),
}

/** Whether sockets open at a path. */
export const isSocketPath = (deployment: Deployment, path: string): boolean =>
  socketPaths[deployment].includes(path)

/** The lookup table of the endpoints that a deployment has, but for those of these names. */
export const createRoutes = (deployment: Deployment, without: readonly string[] = []): Routes =>
  routesOf(
    Object.entries<Endpoint>(endpoints).flatMap(([name, endpoint]) =>
      endpoint.on.includes(deployment) && !without.includes(name)
        ? pathsOn(deployment, endpoint).map((path) => ({ name, path, method: endpoint.method }))
        : [],
    ),
  )

/** The lookup table of endpoints at these paths. */
export function routesOf(
  places: readonly { readonly name: string; readonly path: string; readonly method: string }[],
): Routes {
  const routes: Routes = { exact: new Map(), patterns: createBranch() }
  for (const { name, path, method } of places) routeAt(routes, path).methods.set(method, name)
  return routes
}

function routeAt(routes: Routes, path: string): Route {
  if (path.includes('{')) {
    const branch = path.split('/').reduce(branchOf, routes.patterns)
    branch.route ??= { methods: new Map() }
    return branch.route
  }
  const route = routes.exact.get(path) ?? { methods: new Map() }
  routes.exact.set(path, route)
  return route
}

function branchOf(branch: Branch, part: string): Branch {
  if (part.endsWith('...}')) return (branch.rest ??= createBranch())
  if (part.startsWith('{')) return (branch.variable ??= createBranch())
  const next = branch.literals.get(part) ?? createBranch()
  branch.literals.set(part, next)
  return next
}

/** What a request leads to. */
export type Found = {
  /** The endpoints at its path, by method. */
  readonly methods: ReadonlyMap<string, string>
  /** The one that it is for; undefined where the path does not take its method. */
  readonly name: string | undefined
  /** Whether that one reads a body: only then it matters what is wrong with it. */
  readonly readsBody: boolean
  /** The variable parts of the path, decoded. */
  readonly segments: readonly string[]
}

/** What a request leads to; undefined for a path that has no endpoint. HEAD is answered like GET. */
export function findEndpoint(routes: Routes, method: string, path: string): Found | undefined {
  const found = findRoute(routes, path)
  if (found === undefined) return undefined
  const { methods } = found.route
  const name = methods.get(method === 'HEAD' ? 'GET' : method)
  return { methods, name, readsBody: methods.get('GET') !== name, segments: found.segments }
}

/** The methods that a path takes, for the header Allow, in no order. */
export const allowedBy = (methods: ReadonlyMap<string, string>): readonly string[] =>
  [...methods.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))

/** The route of a path, with its variable parts. An encoded slash stays inside its part. */
function findRoute(
  routes: Routes,
  path: string,
): { route: Route; segments: readonly string[] } | undefined {
  const exact = routes.exact.get(path)
  if (exact !== undefined) return { route: exact, segments: [] }
  const segments: string[] = []
  const route = follow(routes.patterns, path.split('/'), 0, segments)
  return route === undefined ? undefined : { route, segments: segments.map(decodePart) }
}

function follow(
  branch: Branch,
  parts: readonly string[],
  at: number,
  segments: string[],
): Route | undefined {
  const part = parts[at]
  if (part === undefined) return branch.route
  const literal = branch.literals.get(part)
  const found = literal && follow(literal, parts, at + 1, segments)
  if (found !== undefined) return found
  const { length } = segments
  if (branch.variable !== undefined && part !== '') {
    segments.push(part)
    const route = follow(branch.variable, parts, at + 1, segments)
    if (route !== undefined) return route
    segments.length = length
  }
  if (branch.rest !== undefined) segments.push(parts.slice(at).join('/'))
  return branch.rest?.route
}
