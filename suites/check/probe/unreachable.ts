// What kept a server from being judged, in one sentence with what to do next: it cannot be reached, or it is not a workflow server.

import { clipped, oneLine } from '../output/text.ts'

/** A URL as reports show it: without user and password. */
export function shownUrl(url: string): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href.replace(/\/$/, '')
}

/** A text of the server in one short line. */
const short = (text: string): string => clipped(oneLine(text), 200)

/** Why a URL is not used: it would show its password in reports. */
export function refusedAddress(url: string): string | undefined {
  const { username, password } = new URL(url)
  return username === '' && password === ''
    ? undefined
    : `${shownUrl(url)} was given with a user or password: write the URL without them, and send them with --header 'Authorization: ...'.`
}

/** A request that came to nothing. */
export type Attempt = {
  readonly url: string
  readonly path: string
  readonly error: unknown
  /** Whether the head of the reply has arrived. */
  readonly hasBegun: boolean
  /** How long it has waited at most, in seconds. */
  readonly seconds: number
}

/** Says why a request came to nothing. */
export function unreachable({ url, path, error, hasBegun, seconds }: Attempt): string {
  const at = shownUrl(url)
  const { name, message, code } = error as Error & { readonly code?: string }
  if (name === 'TimeoutError')
    return hasBegun
      ? `${at} began to answer ${path} and was not done after ${seconds} s: check that this is the address of a workflow server, and that it is not overloaded.`
      : `${at} did not answer ${path} within ${seconds} s: check host and port, and whether the server hangs.`
  const advice = Object.entries(byCode).find(([start]) => code?.startsWith(start))?.[1]
  if (advice !== undefined) return advice(at, path)
  return `${at} could not be asked for ${path} (${short(message)}): check host and port.`
}

/** What the codes of Node mean; a code may be the start of one. */
const byCode: Readonly<Record<string, (at: string, path: string) => string>> = {
  ECONNREFUSED: (at) => `Nothing listens at ${at}: start the server, or check host and port.`,
  ENOTFOUND: (at) => `The host of ${at} is unknown: check how it is spelled.`,
  ECONNRESET: dropped,
  EPIPE: dropped,
  HPE_: (at, path) =>
    `${at} does not answer ${path} in HTTP: check that this is the port of a workflow server.`,
  EPROTO: (at) => `${at} does not speak TLS: write http:// if it serves plain HTTP.`,
  ERR_SSL_: (at) => `${at} does not speak TLS: write http:// if it serves plain HTTP.`,
  ERR_TLS_: untrusted,
  DEPTH_ZERO_: untrusted,
  SELF_SIGNED_: untrusted,
  UNABLE_TO_: untrusted,
  CERT_: untrusted,
}

function dropped(at: string, path: string): string {
  return `${at} closed the connection before it had answered ${path}: look into the log of the server, or write https:// if it serves HTTPS.`
}

function untrusted(at: string): string {
  return `${at} has a certificate that Node does not trust: name the one of its issuer in NODE_EXTRA_CA_CERTS.`
}

/** A reply to a question for statistics. */
export type StatsReply = {
  readonly path: string
  readonly status: number
  readonly type: string | null
  readonly location: string | null
}

/** Says of a server without statistics what it answers instead. */
export function notAServer(url: string, replies: readonly StatsReply[]): string {
  const at = shownUrl(url)
  const refused = replies.find(({ status }) => status === 401 || status === 403)
  if (refused !== undefined)
    return `${at} refuses ${refused.path} with ${refused.status}: give a valid key with --key, or its bearer token with --token.`
  const moved = replies.find(({ location }) => location !== null)
  if (moved !== undefined)
    return `${at} redirects ${moved.path} to ${short(moved.location ?? '')}: check the server at the address where it answers itself.`
  const failed = replies.find(({ status }) => status >= 500)
  if (failed !== undefined)
    return `${at} answers ${failed.path} with ${failed.status}: check again when the server, or the one behind this proxy, is ready.`
  const found = replies.find(({ status }) => status !== 404)
  if (found === undefined)
    return `${at} has neither ${replies.map(({ path }) => path).join(' nor ')}: it is not a workflow server, so check host, port and base path.`
  const says = `${found.status} ${short(found.type ?? 'without a type')}`
  return `${at} answers ${found.path} with ${says}, without the "system" and "devices" of a workflow server: check host, port and base path.`
}
