// Finds the endpoint that a request is for, and what the path, the query and the body say.

import type { Endpoint } from '../spec/language.ts'
import type { Headers } from './machine.ts'

/** A request on its way to a handler. `segment` is the variable last part of the path, decoded, else empty. */
export type Request = {
  readonly method: string
  readonly path: string
  readonly segment: string
  readonly query: string
  readonly headers: Headers
  readonly body: Uint8Array
}

/** What a path leads to: the endpoint names by method. */
type Route = { readonly methods: Map<string, string> }
export type Routes = { readonly exact: Map<string, Route>; readonly below: Map<string, Route> }

/** Builds the lookup table of an endpoint table. Each path also stands below each of `prefixes` (`''`, `/api`). */
export function createRoutes(
  endpoints: readonly (readonly [name: string, endpoint: Endpoint])[],
  prefixes: readonly string[],
): Routes {
  const routes: Routes = { exact: new Map(), below: new Map() }
  for (const [name, { method, path }] of endpoints) {
    for (const prefix of prefixes) {
      const cut = path.indexOf('{')
      const table = cut < 0 ? routes.exact : routes.below
      const key = prefix + (cut < 0 ? path : path.slice(0, cut))
      const route = table.get(key) ?? { methods: new Map() }
      route.methods.set(method, name)
      table.set(key, route)
    }
  }
  return routes
}

/** The route of a path, with the variable part that it ends in. */
export function findRoute(
  routes: Routes,
  path: string,
): { route: Route; segment: string } | undefined {
  const exact = routes.exact.get(path)
  if (exact !== undefined) return { route: exact, segment: '' }
  const cut = path.lastIndexOf('/') + 1
  const below = routes.below.get(path.slice(0, cut))
  if (below === undefined || cut === path.length) return undefined
  return { route: below, segment: decodePart(path.slice(cut)) }
}

/** Percent-decoding that leaves what is malformed as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The first value of a query parameter, or undefined. */
export function parameter(query: string, name: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get(name) ?? undefined)
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The last decoded body: handlers ask for the text of one request more than once. */
let decoded: { body: Uint8Array; text: string } | undefined

/** The body as text, whatever its content type says. Throws TypeError for invalid UTF-8. */
export function bodyText(request: Request): string {
  if (decoded?.body !== request.body)
    decoded = { body: request.body, text: decoder.decode(request.body) }
  return decoded.text
}
