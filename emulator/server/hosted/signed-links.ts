// Signed links [files/hosted-link-*]: created for a file of an account, and served on a separate host without a key.

import { keyHeader } from '../../../spec/server/access.ts'
import { LINK_LIFETIME_S } from '../../../spec/server/files.ts'
import type { Effect, Headers, IncomingRequest, Input, RequestHead } from '../../machine.ts'
import { get, put } from '../../lib/bounded.ts'
import { empty, type Reply, refuseLink } from '../../http/replies.ts'
import { decodePart } from '../../http/requests.ts'
import { holdsSecret } from '../../journal/known-secrets.ts'
import { store } from '../world/files.ts'
import { flatFile } from '../world/named-files.ts'
import { nameOf } from '../world/paths.ts'
import { heldWith } from '../world/upload-quota.ts'
import { isEqual } from '../../lib/equal.ts'
import { wholeFile } from '../local/view.ts'
import { isHosted, timestamp } from '../world/derived.ts'
import type { StoredFile } from '../state/files.ts'
import type { Upload } from '../state/partner.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld } from '../state/world.ts'
import type { SignedLinks } from '../state/options.ts'

/** The start of links, for a client that addressed this host and port: another name of this machine. */
export function linkBase({ scheme, port, baseUrl }: SignedLinks, host: string | undefined): string {
  if (baseUrl !== null) return baseUrl
  const isAddress = /^127\.0\.0\.1(?::\d+)?$/.test(host ?? '')
  return `${scheme}://${isAddress ? 'localhost' : '127.0.0.1'}:${port}`
}

/** The link to a file of an account, for a client that addressed this host; `prefix` is the path of its world. */
export function signedLink(
  world: HostedWorld,
  filename: string,
  host: string | undefined,
  prefix = '',
  lifetimeS = LINK_LIFETIME_S,
): string {
  // Links contain whole seconds only.
  const sinceMs = Math.floor(timestamp(world) / 1000) * 1000
  const base = linkBase(world.setup.hosted.links, host)
  const [scheme = '', place = ''] = base.split('://')
  const to = hostName(scheme, place)
  return base + prefix + signedTarget(world, to, filename, compactDate(sinceMs), `${lifetimeS}`)
}

/** A host in the form that is signed: without the default port, which clients omit, and in lower case. */
function hostName(scheme: string, host: string): string {
  const usual = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/
  return host.toLowerCase().replace(usual, '')
}

const compactDate = (atMs: number): string => new Date(atMs).toISOString().replace(/-|:|\.\d+/g, '')

/** The path and query of the only valid link at this host to this file with this date and lifetime. */
function signedTarget(
  { setup: { options, hosted } }: HostedWorld,
  host: string,
  filename: string,
  date: string,
  lifetime: string,
): string {
  const path = `/${hosted.account.user}/${encodeURIComponent(filename)}`
  const signed = `X-Goog-Algorithm=GOOG4-HMAC-SHA256&X-Goog-Date=${date}&X-Goog-Expires=${lifetime}&X-Goog-SignedHeaders=host`
  const key = `signed links of ${options.seed}`
  const signature = hosted.hashing.hmacHex(key, `${host}${path}?${signed}`)
  return `${path}?${signed}&X-Goog-Signature=${signature}`
}

const date = String.raw`(\+?\d{4,6})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z`
const linkPattern = new RegExp(
  String.raw`^/([\w-]+)/([^/?]+)\?.*?&X-Goog-Date=(${date})&X-Goog-Expires=(\d{1,9})&`,
)

/** The file that a target links to, and its expiry; undefined unless it is a valid link of this server at this host. */
function readLink(
  { worlds }: Server,
  { target, headers }: RequestHead,
): { world: HostedWorld; filename: string; untilMs: number } | undefined {
  const match = linkPattern.exec(target)
  const world =
    match && worlds.filter(isHosted).find((one) => one.setup.hosted.account.user === match[1])
  if (!match || !world) return undefined
  const [, , name = '', dateText = '', year, month, day, hour, minute, second, lifetime = ''] =
    match
  const filename = decodePart(name)
  const { baseUrl, scheme } = world.setup.hosted.links
  const host = hostName(baseUrl?.split('://')[0] ?? scheme, headers['host'] ?? '')
  // Compare the whole target, so that no part of it can differ.
  if (!isEqual(target, signedTarget(world, host, filename, dateText, lifetime))) return undefined
  const sinceMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return { world, filename, untilMs: sinceMs + Number(lifetime) * 1000 }
}

/** Answers a request to the host of the links, and reports credentials that came with it. */
export function answerLink(
  server: Server,
  input: Extract<Input, { kind: 'request' }>,
): readonly Effect[] {
  const { request, headers, target } = input
  const sent = credentials.filter((name) => headers[name.toLowerCase()] !== undefined)
  const leaks = holdsKey(server, target) ? [...sent, 'address' as const] : sent
  const isStrict = server.options.signedLinks?.strict === true
  const reply = serve(server, input, isStrict ? sent : [])
  const pages = isStrict ? forPages.strict : forPages.lenient
  return [
    { kind: 'reply', request, ...reply, headers: Object.assign({}, reply.headers, pages) },
    ...leaks.map((where) => ({ kind: 'leak', request, where }) as const),
  ]
}

/** Whether an address contains a key that the server knows, however it is spelled. */
function holdsKey({ secrets }: Server, target: string): boolean {
  if (holdsSecret(target, secrets)) return true
  return target.includes('%') && holdsSecret(decodeEach(target), secrets)
}

const decodeEach = (target: string): string =>
  target
    .split(/([/?&=])/)
    .map(decodePart)
    .join('')

/** The file of an uploaded model, which links name with its folder. */
function modelFile({ state }: HostedWorld, key: string): { file: StoredFile } | undefined {
  const file = key.startsWith('models/') ? get(state.files, key) : undefined
  return file && { file }
}

/** The headers with credentials that a link does not need. */
const credentials = [keyHeader, 'Authorization'] as const

function serve(server: Server, request: IncomingRequest, refused: readonly string[]): Reply {
  const { method } = request
  if (method === 'OPTIONS') return empty
  const link = readLink(server, request)
  const upload = method === 'PUT' && link && get(link.world.state.partner.uploads, link.filename)
  if (method !== 'GET' && method !== 'HEAD' && !upload) return refuseLink('linkMethod')
  if (link === undefined) return refuseLink('linkChanged')
  const { world, filename, untilMs } = link
  if (timestamp(world) > untilMs) {
    return refuseLink('linkExpired', { expiry: new Date(untilMs).toISOString() })
  }
  const [header] = refused
  if (header !== undefined) return refuseLink('linkWithKey', { header })
  if (upload) return storeUpload(world, filename, upload, request)
  const found = flatFile(world, filename) ?? modelFile(world, filename)
  return found === undefined
    ? refuseLink('linkOfNothing')
    : wholeFile(world, nameOf(filename), found.file)
}

/** Stores the bytes that a customer has announced [partner/storage]. */
function storeUpload(
  world: HostedWorld,
  filename: string,
  { contentType, hash }: Upload,
  { headers, body, fault }: IncomingRequest,
): Reply {
  if ((headers['content-type'] ?? '') !== contentType) return refuseLink('linkChanged')
  const { uploadLimitBytes } = world.setup.options
  if (fault !== undefined || heldWith(world, { bytes: body }) > uploadLimitBytes)
    return refuseLink('linkTooLarge', { limit: `${uploadLimitBytes}` })
  store(world, 'input', '', filename, { bytes: body })
  if (hash !== null) put(world.state.partner.stored, hash, filename)
  return empty
}

const conditions =
  'Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range'

const pageHeaders = (allowed: string): Headers => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': allowed,
  'Access-Control-Expose-Headers': 'Content-Length, Content-Range, Content-Disposition, ETag',
})

/** Lets pages of every origin read the reply; allows credentials only where they are not rejected anyway. */
const forPages = {
  strict: pageHeaders(conditions),
  lenient: pageHeaders(`${conditions}, ${credentials.join(', ')}`),
}
