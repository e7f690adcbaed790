// Finds the endpoint that a request is for, and what the path, the query and the body say.

import type { Endpoint } from '../spec/language.ts'
import { type Json, readJson } from './json.ts'
import type { Headers } from './machine.ts'

/** A request on its way to a handler. */
export type Request = {
  readonly method: string
  readonly path: string
  /** The first variable part of the path, decoded, else empty. */
  readonly segment: string
  /** All variable parts of the path in their order, decoded. */
  readonly segments: readonly string[]
  readonly query: string
  readonly headers: Headers
  readonly body: Uint8Array
}

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

/** Builds the lookup table of an endpoint table. Each path also stands below each of `prefixes` (`''`, `/api`). */
export function createRoutes(
  endpoints: readonly (readonly [name: string, endpoint: Endpoint])[],
  prefixes: readonly string[],
): Routes {
  const routes: Routes = { exact: new Map(), patterns: createBranch() }
  for (const [name, { method, path }] of endpoints) {
    for (const prefix of isInternal(path) ? [''] : prefixes) {
      routeAt(routes, prefix + path).methods.set(method, name)
    }
  }
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

/** The route of a path, with its variable parts. An encoded slash stays inside its part. */
export function findRoute(
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

/** The path and the query of a request line; the query is empty where there is none. */
export function splitTarget(target: string): [path: string, query: string] {
  const cut = target.indexOf('?')
  return cut < 0 ? [target, ''] : [target.slice(0, cut), target.slice(cut + 1)]
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

/** Handlers ask for the text of one request more than once. */
const decoded = new WeakMap<Uint8Array, string>()

/** A whole number of a query parameter, in decimal digits; undefined when it is none or out of its range. */
export function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : NaN
  return value >= min && value <= max ? value : undefined
}

/**
 * The body as text in the charset of its content type, whose media type does not matter.
 * Throws TypeError for bytes that are no text in it, and RangeError for an unknown charset.
 */
export function bodyText({ body, headers }: Pick<Request, 'body' | 'headers'>): string {
  const known = decoded.get(body)
  if (known !== undefined) return known
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  const text = decodeText(body, charset?.toLowerCase() || 'utf-8')
  decoded.set(body, text)
  return text
}

/** The body as JSON, or undefined when it is none. */
export function bodyJson(request: Pick<Request, 'body' | 'headers'>): Json | undefined {
  try {
    return readJson(bodyText(request))
  } catch {
    return undefined
  }
}

function decodeText(bytes: Uint8Array, charset: string): string {
  if (/^utf[-_]?8$/.test(charset)) return decoder.decode(bytes)
  // These two mean something else in a browser's list of charsets, which TextDecoder goes by.
  if (/^(us-)?ascii$/.test(charset) && bytes.some((byte) => byte > 127))
    throw new TypeError('no ASCII')
  if (/^(latin-?1|iso-?8859-1)$/.test(charset)) {
    let text = ''
    for (let at = 0; at < bytes.length; at += 8192) {
      text += String.fromCharCode(...bytes.subarray(at, at + 8192))
    }
    return text
  }
  return new TextDecoder(charset, { fatal: true }).decode(bytes)
}

/** A target in which `replace` has changed the query's tokens, however their name is spelled. */
export function replaceToken(target: string, replace: (token: string) => string): string {
  const [path, query] = splitTarget(target)
  if (path === target) return target
  const shown = query.split('&').map((pair) => {
    const token = parameter(pair, 'token')
    return token === undefined ? pair : `token=${replace(token)}`
  })
  return `${path}?${shown.join('&')}`
}
