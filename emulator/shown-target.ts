// The target of a request as a journal shows it: without credentials, and alike to the server that replays it.

import { endpoints } from '../spec/endpoints.ts'
import type { Endpoints } from '../spec/language.ts'
import { replaceToken, splitTarget } from './requests.ts'
import { createRoutes, findEndpoint } from './routes.ts'

/** Shorter secrets could be part of any word. */
const MIN_KNOWN_LENGTH = 8

/**
 * The target with placeholders for the query's tokens, and for known secrets that stand where nothing reads them: in a
 * request that is not let in, a path that leads nowhere, or a parameter that its path does not know. Elsewhere a text is
 * the name of something, which replies tell again.
 * @param secrets what the server knows its clients by, the longest first.
 * @param came how far it came: not past 401, to the host of the signed links, or to its path.
 * @param hide makes the placeholder of a secret.
 */
export function shownTarget(
  target: string,
  secrets: readonly string[],
  came: 'refused' | 'links' | 'served',
  hide: (secret: string) => string,
): string {
  const named = replaceToken(target, hide)
  const known = secrets.filter(({ length }) => length >= MIN_KNOWN_LENGTH)
  const without = (text: string): string =>
    known.reduce(
      (rest, secret) =>
        rest.replaceAll(encodeURIComponent(secret), hide(secret)).replaceAll(secret, hide(secret)),
      text,
    )
  if (came === 'refused') return without(named)
  const [path, query] = splitTarget(named)
  const read = came === 'links' ? linkNames : namesReadAt(path)
  const shownPath = read === undefined ? without(path) : path
  if (path === named) return shownPath
  const pairs = query.split('&').map((pair) => (read?.has(nameOf(pair)) ? pair : without(pair)))
  return `${shownPath}?${pairs.join('&')}`
}

const nameOf = (pair: string): string => new URLSearchParams(pair).keys().next().value ?? ''

const linkNames: ReadonlySet<string> = new Set(
  ['Algorithm', 'Date', 'Expires', 'SignedHeaders', 'Signature'].map((name) => `X-Goog-${name}`),
)

const tables = [createRoutes('local'), createRoutes('hosted')]

/** The query parameters that the endpoints at a path read; undefined where there is none. */
function namesReadAt(path: string): ReadonlySet<string> | undefined {
  const all: Endpoints = endpoints
  const found = tables.flatMap((routes) => {
    const methods = findEndpoint(routes, 'GET', path)?.methods.values() ?? []
    return [...methods].flatMap((name) => all[name] ?? [])
  })
  return found.length === 0
    ? undefined
    : new Set(found.flatMap(({ query = {} }) => Object.keys(query)))
}
