// Parses the address of a server, and sends requests to it, with clear errors for those that cannot
// be made.

import { keyHeader } from '../../spec/server/access.ts'
import { profiles } from '../../spec/server/deployments.ts'
import type { Deployment } from '../../spec/language.ts'
import { failure, reasonOf } from './failure.ts'
import { isLoopback } from '../lib/loopback.ts'
import { parseLenient } from '../lib/json-text.ts'

/** `base` has no trailing slash, no query and no credentials; `shown` is safe to print. */
export type Address = {
  readonly base: string
  readonly query: ReadonlyArray<readonly [string, string]>
  readonly headers: Readonly<Record<string, string>>
  readonly shown: string
  readonly secrets: readonly string[]
}

/** Waits because the server requested it. Resolves early on abort. */
export type Pause = (seconds: number, signal: AbortSignal) => Promise<void>

/** A server of known deployment. `prefix` precedes every path but that of the socket. */
export type Server = Address & {
  readonly deployment: Deployment
  readonly prefix: string
  /** Sent in the query of the socket, otherwise as a header. */
  readonly apiKey: string | undefined
  readonly pause: Pause
}

/**
 * Parses an address: http or https (http without a scheme), with or without a trailing slash
 * or `/api`. Sends `user:password@` as basic authorization. Sends a `token` in the query as
 * bearer token too, and the query with every request. Throws a `usage` failure.
 */
export function readAddress(text: string): Address {
  const url = parseAddress(text)
  const token = url.searchParams.get('token')
  const [user, password] = [decode(url.username), decode(url.password)]
  const hasUser = user !== '' || password !== ''
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization = hasUser ? `Basic ${basic}` : token ? `Bearer ${token}` : undefined
  const base = (url.origin + url.pathname).replace(/\/+$/, '')
  return {
    base,
    query: [...url.searchParams],
    headers: authorization === undefined ? {} : { authorization },
    shown: base,
    secrets: [password, token ?? '', hasUser ? basic : ''].filter((secret) => secret.length >= 8),
  }
}

/** The server at an address, once its deployment is known. A hosted server gets the key with every request. */
export function serverAt(
  address: Address,
  options: Pick<Server, 'deployment' | 'apiKey' | 'pause'>,
): Server {
  const { deployment, apiKey } = options
  const key = apiKey === undefined ? {} : { [keyHeader.toLowerCase()]: apiKey }
  return {
    ...address,
    ...options,
    base: deployment === 'hosted' ? rootOf(address) : address.base,
    prefix: profiles[deployment].prefix,
    headers: { ...address.headers, ...key },
  }
}

/** The base without an `/api` suffix. */
export const rootOf = ({ base }: Address): string => base.replace(/\/api$/, '')

function parseAddress(text: string): URL {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw failure('usage', '--url must be an http or https URL, such as http://host:port.')
  }
  return url
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The full address of a path, which starts with a slash. */
export function addressOf(
  server: Server,
  path: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  return withQuery(new URL(server.base + server.prefix + path), server, query)
}

/** The address of the socket: ws for http, wss for https. */
export function socketAddressOf(server: Server, clientId: string): URL {
  const url = withQuery(new URL(`${server.base}/ws`), server, { clientId })
  if (server.apiKey !== undefined) url.searchParams.set('token', server.apiKey)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url
}

function withQuery(url: URL, { query }: Address, more: Readonly<Record<string, string>>): URL {
  for (const [name, value] of [...query, ...Object.entries(more)]) {
    url.searchParams.append(name, value)
  }
  return url
}

const attemptsMax = 6
const longestPauseSeconds = 60

/**
 * Like `send`, for requests to the server itself. If it answers 429 (or 503 to a GET) with a
 * `Retry-After` of up to 60 s, waits and sends the request again, up to 5 times.
 */
export async function sendPatiently(
  server: Server,
  url: URL,
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(url, init)
    const seconds = pauseSeconds(response, init.method ?? 'GET')
    if (seconds === undefined || attempt === attemptsMax) return response
    await response.body?.cancel()
    await server.pause(seconds, init.signal)
    init.signal.throwIfAborted()
  }
}

function pauseSeconds({ status, headers }: Response, method: string): number | undefined {
  const isBusy = status === 429 || (status === 503 && method === 'GET')
  const text = headers.get('retry-after') ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : undefined
  return isBusy && seconds !== undefined && seconds <= longestPauseSeconds ? seconds : undefined
}

/**
 * One request; does not follow redirects. Throws an `unreachable` failure, or the signal's reason.
 */
export async function send(
  url: URL,
  init: RequestInit & { signal: AbortSignal },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' })
  } catch (error) {
    init.signal.throwIfAborted()
    throw unreachable(url.origin, error)
  }
}

/** A failure for a missing server, with how to start one. */
export function unreachable(origin: string, error: unknown): Error {
  const reason = reasonOf(error)
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN')
    return failure('unreachable', `No such host in ${origin} (${reason}): check --url.`)
  const advice = adviceFor(origin, reason)
  return failure('unreachable', `Cannot reach ${origin} (${reason}): ${advice}`, {}, error)
}

function adviceFor(origin: string, reason: string): string {
  if (/CERT|UNABLE_TO_VERIFY/.test(reason))
    return 'if its certificate is your own, name it with NODE_EXTRA_CA_CERTS=FILE'
  if (reason === 'ECONNREFUSED') return startAt(new URL(origin))
  if (/SSL|EPROTO/.test(reason)) return 'does it speak HTTP?'
  const hungUp = reason === 'ECONNRESET' || reason === 'UND_ERR_SOCKET'
  return hungUp && origin.startsWith('http:') ? 'does it speak HTTPS?' : 'is it still there?'
}

/** How to start a server at an address where nothing listens. */
function startAt({ hostname, port }: URL): string {
  if (!isLoopback(hostname)) return 'nothing listens there: check host and port'
  const local = profiles.local.port
  const flags = { [local]: '', [local + 1]: ' --deployment both' }[port]
  return `start one with: flowdouble serve${flags ?? (port === '' ? '' : ` --port ${port}`)}`
}

/** The body as text; a connection that breaks in the middle is an `unreachable` failure. */
export async function readBody(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(new URL(response.url).origin, error)
  }
}

/**
 * The JSON of a GET. Throws a `protocol` failure for any status other than 200 and for invalid
 * JSON.
 */
export const getJson = async (
  server: Server,
  path: string,
  signal: AbortSignal,
): Promise<unknown> => jsonOf(server, `GET ${path}`, await getText(server, path, signal))

/** The text of a GET. Throws a `protocol` failure for any status other than 200. */
export async function getText(server: Server, path: string, signal: AbortSignal): Promise<string> {
  const { status, text } = await get(server, path, signal)
  if (status !== 200) throw unexpected(server, `GET ${path}`, status, text)
  return text
}

/** Like `getJson`, but undefined for 404. */
export async function findJson(
  server: Server,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, text } = await get(server, path, signal)
  if (status === 404) return undefined
  if (status !== 200) throw unexpected(server, `GET ${path}`, status, text)
  return jsonOf(server, `GET ${path}`, text)
}

async function get(
  server: Server,
  path: string,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const { headers } = server
  const response = await sendPatiently(server, addressOf(server, path), { signal, headers })
  return { status: response.status, text: await readBody(response, signal) }
}

/** The JSON of a response. Throws a `protocol` failure that names the request. */
export function jsonOf(server: Server, request: string, text: string): unknown {
  try {
    return parseLenient(text)
  } catch {
    const said = shortened(text)
    throw failure(
      'protocol',
      `${request} at ${server.shown} answered with invalid JSON${said && ` (${said})`}: is it a workflow server?`,
    )
  }
}

/** The start of a response, short enough for a sentence. */
export const shortened = (text: string): string => text.trim().slice(0, 300)

/** A failure for an unexpected response, with what to do if known. */
export function unexpected(server: Server, request: string, status: number, text: string): Error {
  const said = shortened(text)
  return failure(
    'protocol',
    `${request} at ${server.shown} answered ${status}${said && `: ${said}`}${advice(server, status)}`,
  )
}

function advice({ deployment }: Server, status: number): string {
  if (status === 401 && deployment === 'hosted') return '. Is the API key right?'
  if (status === 401 || status === 403) {
    return '. Give the credentials in the address: --url "http://host:port/?token=TOKEN"'
  }
  if (status >= 300 && status < 400) return '. Give the address that it redirects to as --url'
  if (status === 404) return '. Is it a workflow server, and is the path in --url right?'
  return ''
}
