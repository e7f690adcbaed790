// Finds the endpoint for a request.

import { profiles } from '../../spec/server/deployments.ts'
import { described, type Generation } from '../../spec/generations.ts'
import { endpoints, endpointsOn } from '../../spec/server/endpoints.ts'
import { onHosted, type Surface, surfaceOf } from '../../spec/hosted/surfaces.ts'
import type { Deployment, Endpoint } from '../../spec/language.ts'
import { decodePart } from './requests.ts'

/** The endpoint names at a path, by method. */
type Methods = Map<string, string>

/** A path with parameters: its segments, with `{name}` for any one, and `{name...}` at the end for all that follow. */
type Pattern = { readonly parts: readonly string[]; readonly methods: Methods }

/** The paths of endpoints: constant ones by themselves, then patterns, those with fewer parameters first. */
export type Routes = {
  readonly exact: ReadonlyMap<string, Methods>
  readonly patterns: readonly Pattern[]
}

/** Paths at and below /internal have no alias, and no pages. */
export const isInternal = (path: string): boolean =>
  path === '/internal' || path.startsWith('/internal/')

const { alias } = profiles.local

/** All paths of a deployment's endpoints. */
export function pathsOn(
  deployment: Deployment,
  { path, hostedPath = path, unaliased }: Endpoint,
): readonly string[] {
  if (deployment === 'local')
    return isInternal(path) || unaliased === true ? [path] : [path, alias + path]
  return [onHosted(hostedPath)]
}

const socketPaths = {
  local: pathsOn('local', endpoints.socket),
  hosted: pathsOn('hosted', endpoints.socket),
}

/** Whether a path opens sockets. */
export const isSocketPath = (deployment: Deployment, path: string): boolean =>
  socketPaths[deployment].includes(path)

const tables = new Map<string, Routes>()

/** The lookup table of all endpoints that a deployment has in a generation, created when it is first needed. */
export function routesOn(deployment: Deployment, generation: Generation = described): Routes {
  const key = `${deployment} ${generation}`
  const routes = tables.get(key) ?? createRoutes(deployment, generation)
  tables.set(key, routes)
  return routes
}

type RoutePlace = { readonly name: string; readonly path: string; readonly method: string }

/** The lookup table of those of a deployment's endpoints in a generation that are part of it: all without a condition. */
export const createRoutes = (
  deployment: Deployment,
  generation: Generation,
  isPart: (place: RoutePlace) => boolean = () => true,
): Routes =>
  buildRoutes(
    endpointsOn(deployment, generation)
      .flatMap(([name, endpoint]) =>
        pathsOn(deployment, endpoint).map((path) => ({ name, path, method: endpoint.method })),
      )
      .filter(isPart),
  )

/** The lookup table of one of the APIs of a hosted server. */
export const routesOfSurface = (surface: Surface): Routes =>
  createRoutes('hosted', described, ({ path }) => surfaceOf(path) === surface)

/** The lookup table of endpoints at these paths. */
export function buildRoutes(places: readonly RoutePlace[]): Routes {
  const byPath = new Map<string, Methods>()
  for (const { name, path, method } of places) {
    byPath.set(path, (byPath.get(path) ?? new Map<string, string>()).set(method, name))
  }
  const isPlain = ([path]: readonly [string, Methods]): boolean => !path.includes('{')
  const all = [...byPath]
  const patterns = all
    .filter((one) => !isPlain(one))
    .map(([path, methods]) => ({ parts: path.split('/'), methods }))
    .sort((a, b) => variablesIn(a) - variablesIn(b))
  return { exact: new Map(all.filter(isPlain)), patterns }
}

const variablesIn = ({ parts }: Pattern): number =>
  parts.filter((part) => part.startsWith('{')).length

/** The result of a lookup. */
export type RouteMatch = {
  /** The endpoints at its path, by method. */
  readonly methods: ReadonlyMap<string, string>
  /** The matching endpoint; undefined if the path does not support the method. */
  readonly name: string | undefined
  /** Whether that endpoint reads the body: otherwise errors in it do not matter. */
  readonly readsBody: boolean
  /** The path parameters, decoded. An encoded slash stays inside its parameter. */
  readonly segments: readonly string[]
}

/** Looks up a request; undefined for a path without endpoints. HEAD is treated like GET. */
export function findEndpoint(
  { exact, patterns }: Routes,
  method: string,
  path: string,
): RouteMatch | undefined {
  const plain = exact.get(path)
  if (plain !== undefined) return matchOf(plain, method, [])
  const parts = path.split('/')
  for (const pattern of patterns) {
    const segments = segmentsOf(pattern.parts, parts)
    if (segments !== undefined) return matchOf(pattern.methods, method, segments.map(decodePart))
  }
  return undefined
}

function matchOf(methods: Methods, method: string, segments: readonly string[]): RouteMatch {
  const name = methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined)
  const readsBody = name !== methods.get('GET') && name !== methods.get('HEAD')
  return { methods, name, readsBody, segments }
}

/** The parameters of a path; undefined if it does not match the pattern. */
function segmentsOf(pattern: readonly string[], parts: readonly string[]): string[] | undefined {
  const takesRest = pattern.at(-1)?.endsWith('...}') === true
  if (takesRest ? parts.length < pattern.length : parts.length !== pattern.length) return undefined
  const segments: string[] = []
  for (const [at, expected] of pattern.entries()) {
    const part = parts[at] as string
    if (expected.endsWith('...}')) segments.push(parts.slice(at).join('/'))
    else if (!expected.startsWith('{')) {
      if (part !== expected) return undefined
    } else if (part === '') return undefined
    else segments.push(part)
  }
  return segments
}

/** Whether any endpoint of these reads the body of a request. */
export function readsBodyAt(routes: Routes, method: string, path: string): boolean {
  const found = findEndpoint(routes, method, path)
  return found?.name !== undefined && found.readsBody
}

/** The methods of a path, for the header Allow, unordered. */
export const allowedBy = (methods: ReadonlyMap<string, string>): readonly string[] =>
  [...methods.keys()].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one))
