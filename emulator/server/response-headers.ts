// Adds the headers that every reply has [http/cache-control, http/failure-page]. Those for pages of other origins are
// in cors.ts.

import { hostedCors } from '../../spec/server/http.ts'
import { type Surface, surfaceOf } from '../../spec/hosted/surfaces.ts'
import { routerCors } from '../../spec/router/router.ts'
import { v2Cors } from '../../spec/v2/v2-access.ts'
import { jsonHeaders, type Reply, refuse } from '../http/replies.ts'
import { decodePart } from '../http/requests.ts'
import { localCors } from './cors.ts'
import type { Traits } from './state/traits.ts'
import type { WorldSetup } from './state/world.ts'

/** What the headers of every reply depend on. */
type Setup = Pick<WorldSetup, 'options' | 'traits'>

/**
 * Completes the headers of a reply. Errors of the HTTP layer stay as they are, except that browsers get a page for a
 * failure.
 */
export function finish(
  { options, traits }: Setup,
  path: string,
  accept: string | undefined,
  reply: Reply,
): Reply {
  if (options.deployment === 'hosted') {
    const surface = surfaceOf(path)
    return surface === 'v1' || surface === 'oauth'
      ? finishHosted(reply)
      : forPages(finishHosted(reply), surface)
  }
  if (reply.raised) {
    const isPage = reply.status === 500 && accept?.includes('text/html')
    const { status, headers, body, reason } = isPage ? refuse('internalPage') : reply
    return { status, headers, body, ...(reason !== undefined && { reason }) }
  }
  const cache = 'Cache-Control' in reply.headers ? undefined : cacheControl(traits, path, reply)
  if (options.cors === null && cache === undefined) return reply
  const headers: Record<string, string> = Object.assign({}, reply.headers)
  if (cache !== undefined) headers['Cache-Control'] = cache
  return withHeaders(reply, Object.assign(headers, localCors(options.cors, traits.allowsPatch)))
}

/** What pages may send to the APIs beside the first, where that is not what v2 takes. */
const corsOf: Readonly<Partial<Record<Surface, Reply['headers']>>> = { router: routerCors }

/** A reply of another API than the first with the headers that pages may send [v2-access/cors, router/cors]. */
const forPages = (reply: Reply, surface: Surface): Reply =>
  withHeaders(reply, Object.assign({}, reply.headers, corsOf[surface] ?? v2Cors))

/** The same for a reply of a hosted server. */
export const finishHosted = (reply: Reply): Reply =>
  withHeaders(reply, hostedHeaders(reply.headers))

const withHeaders = (
  { status, body, reason, file, stream }: Reply,
  headers: Reply['headers'],
): Reply => ({
  status,
  headers,
  body,
  ...(reason !== undefined && { reason }),
  ...(file !== undefined && { file }),
  ...(stream !== undefined && { stream }),
})

const hostedJsonHeaders = Object.assign({}, jsonHeaders, hostedCors)

/** Most replies have the same headers: those are built once. */
const hostedHeaders = (headers: Reply['headers']): Reply['headers'] =>
  headers === jsonHeaders ? hostedJsonHeaders : Object.assign({}, headers, hostedCors)

const scripts = /\.(?:js|css)$|\/index[^/]*\.json$/
const modules = /\.mjs$/
const pictures = /\.(?:jpe?g|png|ppm|bmp|pgm|tiff?|webp)$/i

/** The Cache-Control of a reply: it depends on the path, not on the query. */
function cacheControl(
  { scriptCache, cachesModules }: Traits,
  encoded: string,
  { status, headers }: Reply,
): string | undefined {
  if (!encoded.includes('.') && !encoded.includes('%')) return undefined
  const path = decodePart(encoded)
  if (scripts.test(path) || (!cachesModules && modules.test(path))) return scriptCache
  if (!pictures.test(path)) return undefined
  // A missing page is only detected after this header is set.
  const isPage = 'Transfer-Encoding' in headers
  if (status === 404 && !isPage) return 'public, max-age=3600'
  if (status === 302 || status === 303 || status === 307) return 'no-cache'
  const keeps = (status >= 200 && status <= 206) || status === 301 || status === 308
  return keeps || isPage ? 'public, max-age=86400' : undefined
}
