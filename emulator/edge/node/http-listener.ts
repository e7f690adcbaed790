// The HTTP layer: rejects what is not HTTP, receives bodies, handles upgrades, and passes requests to the server.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../../../spec/limits.ts'
import type { Headers, IncomingRequest, RequestHead } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import { splitTarget } from '../../http/requests.ts'
import { after, type Later } from '../later.ts'
import { discardBody, nothing, type BodyResult } from './bodies.ts'
import { createConnections, closeGracefully } from './pipelining.ts'
import { replyText } from './http.ts'
import type { Certificate } from './tls/tls.ts'

/** What the HTTP layer needs from the server behind it. */
export type RequestHooks = {
  /** The headers that the server reads. */
  readonly readHeaders: (request: IncomingMessage) => Headers
  /** Receives a body up to a limit. Rejects if the client disconnects before its end. */
  readonly receive: (request: IncomingMessage, limitBytes: number) => Promise<BodyResult>
  /**
   * Largest body of this request, in bytes, called only if it has one; null if the response depends on the head alone and
   * need not wait for the body.
   */
  readonly limitBytes: (head: RequestHead) => number | null
  readonly answer: (arrived: IncomingRequest, response: ServerResponse) => Later<void>
  /** Writes a reply that bypasses the world. */
  readonly write: (response: ServerResponse, reply: Reply) => void
  /** Whether the path opens a WebSocket. */
  readonly isSocketPath: (path: string) => boolean
  /** The replies to input that is not a request, and to internal errors. */
  readonly refusals: Readonly<Record<'badRequest' | 'internal', Reply>>
  /** The reply to a request that Node has waited for too long; by default that to what is not a request. */
  readonly late?: Reply
  /** Called for each of these replies, which nothing behind sees. */
  readonly onRefused?: (why: 'badRequest' | 'late', address: string | undefined) => void
  /** The reply to an expectation other than 100-continue; null to ignore it. */
  readonly refuseExpectation: ((expected: string) => Reply) | null
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** The value of the response header Server. */
  readonly name: string
  /**
   * Takes over a connection that requests a WebSocket, or returns it with the bytes that follow if it refuses to; null
   * without WebSockets.
   */
  readonly upgrade:
    | ((
        request: IncomingMessage,
        raw: Duplex,
        head: Buffer,
        giveBack: (raw: Duplex, head: Buffer) => void,
      ) => Promise<void>)
    | null
}

/** How long real servers keep an idle connection, in milliseconds. */
export const KEEP_ALIVE_MS = 3_630_000

/** Largest request head: real servers limit only its lines. */
const MAX_HEAD_BYTES = 256 * 2 ** 10

/** A web server without handlers yet; with a certificate it uses HTTPS. */
export async function createWebServer(
  certificate: Certificate | null,
  bounds: ServerOptions = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEAD_BYTES },
): Promise<Server> {
  const options = { ...bounds, requireHostHeader: false }
  const server =
    certificate === null ? createServer(options) : await createHttpsServer(options, certificate)
  const early: Parameters<RequestListener>[] = []
  earlyRequests.set(server, early)
  server.on('request', (...one) => early.push(one))
  return server
}

/** Requests that arrive before the server has handlers. */
const earlyRequests = new WeakMap<Server, readonly Parameters<RequestListener>[]>()

async function createHttpsServer(
  options: ServerOptions,
  certificate: Certificate,
): Promise<Server> {
  const { createServer: createSecureServer } = await import('node:https')
  // The two are the same in everything used here.
  return createSecureServer({ ...options, ...certificate })
}

/** Passes complete requests to `behind`, and answers everything else directly. */
export function serve(server: Server, behind: RequestHooks): void {
  const connections = createConnections()
  const endWith = (raw: Duplex, why: 'badRequest' | 'late' = 'badRequest'): void => {
    const reply = (why === 'late' ? behind.late : undefined) ?? behind.refusals.badRequest
    behind.onRefused?.(why, addressOf(raw as Socket))
    connections.end(raw, () => replyText(reply, behind.timeMs(), behind.name))
  }
  const receive: RequestListener = (request, response) =>
    connections.take(
      request,
      response,
      () => handle(behind, request, response),
      (error) => {
        // A client that disconnects while it sends is not an error of the server. Anything else is a bug: report it, but
        // keep the server running for other requests.
        if (request.destroyed && !request.complete) return
        process.stderr.write(`flowdouble could not answer a request: ${String(error)}\n`)
        if (!response.headersSent) behind.write(response, behind.refusals.internal)
        else response.destroy()
      },
    )
  server.removeAllListeners('request').on('request', receive)
  for (const one of earlyRequests.get(server) ?? []) receive(...one)
  // Node ends a connection after a response that announces it.
  const closeRaw = (raw: Socket): void => {
    raw.destroySoon = () => closeGracefully(raw)
  }
  server.on('connection', closeRaw).on('secureConnection', closeRaw)
  const giveBack = (raw: Duplex, head: Buffer): void => restart(server, raw, head)
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', ignoreError)
    connections.afterAnswers(raw, () => {
      if (behind.upgrade === null || !asksForSocket(behind, request))
        ignoreUpgrade(server, request, raw, head)
      else if (hasLongLine(request)) endWith(raw)
      else void behind.upgrade(request, raw, head, giveBack)
    })
  })
  server.on('connect', (request: IncomingMessage, raw: Socket) => {
    raw.on('error', () => raw.destroy())
    // CONNECT is not supported: answer it like any other method that a path does not accept.
    connections.afterAnswers(raw, () => {
      const response = new ServerResponse(request)
      response.assignSocket(raw)
      response.shouldKeepAlive = false
      response.on('finish', () => closeGracefully(raw))
      receive(request, response)
    })
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { refuseExpectation } = behind
    if (refuseExpectation === null) return receive(request, response)
    const reply = refuseExpectation(request.headers.expect ?? '')
    if (!hasNoBody(request) && !discardBody(request)) response.shouldKeepAlive = false
    connections.take(request, response, () => behind.write(response, reply), ignoreError)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, raw: Duplex) => {
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    // Some clients open a connection before they have a request.
    const isUnused = isLate && (raw as Socket).bytesRead === 0
    // A client would take a second answer for that to its next request.
    const isOver = isLate && connections.isAnsweredEarly(raw)
    if (error.code === 'ECONNRESET' || !raw.writable || isUnused || isOver) raw.destroy()
    else endWith(raw, isLate ? 'late' : 'badRequest')
  })
}

/** The code that waits for responses notices the end of a connection. */
const ignoreError = (): void => undefined

function handle(
  behind: RequestHooks,
  request: IncomingMessage,
  response: ServerResponse,
): Later<void> {
  if (hasLongLine(request) || hasUnknownEnd(request)) {
    behind.onRefused?.('badRequest', addressOf(request.socket))
    return behind.write(response, behind.refusals.badRequest)
  }
  const head = {
    method: request.method ?? 'GET',
    target: originForm(request),
    headers: behind.readHeaders(request),
  }
  return after(received(behind, request, response, head), ({ body, packed, fault, bound }) => {
    const { method, target, headers } = head
    const address = addressOf(request.socket)
    return behind.answer({ method, target, headers, body, packed, fault, bound, address }, response)
  })
}

/** The address of a client. The form of IPv6 for an address of IPv4 is not what anybody looks for. */
const addressOf = ({ remoteAddress }: Socket): string | undefined =>
  remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '')

/** The body of a request, as far as the response depends on it. */
function received(
  behind: RequestHooks,
  request: IncomingMessage,
  response: ServerResponse,
  head: RequestHead,
): Later<BodyResult> {
  if (hasNoBody(request)) return nothing
  const limitBytes = behind.limitBytes(head)
  if (limitBytes !== null) return behind.receive(request, limitBytes)
  if (!discardBody(request)) response.shouldKeepAlive = false
  return nothing
}

/** Whether a request has no body to wait for. No HTTP follows CONNECT. */
const hasNoBody = ({ method, headers }: IncomingMessage): boolean =>
  method === 'CONNECT' ||
  (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)

/** Path and query; clients of a proxy send the whole URL. */
function originForm({ url = '/' }: IncomingMessage): string {
  const cut = url.indexOf('#')
  // Clients normally do not send the fragment; drop it [http/fragment].
  const whole = cut < 0 ? url : url.slice(0, cut)
  if (whole.startsWith('/')) return whole
  const rest = whole.replace(/^https?:\/\/[^/?#]*/i, '')
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest
}

function hasLongLine({ method = '', url = '', rawHeaders }: IncomingMessage): boolean {
  if (method.length + url.length + '  HTTP/1.1'.length > limits.line.value) return true
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const length = (rawHeaders[at] as string).length + (rawHeaders[at + 1] as string).length
    if (length + ': '.length > limits.line.value) return true
  }
  return false
}

/** Only a body in chunks, as the last coding, says where it ends [http/transfer-encoding]. */
const hasUnknownEnd = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding']
  return coding !== undefined && !/(?:^|,)[ \t]*chunked[ \t]*$/i.test(coding)
}

const asksForSocket = (behind: RequestHooks, { method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && behind.isSocketPath(splitTarget(url)[0])

/** Handles the request again without its upgrade: the connection restarts without that header. */
function ignoreUpgrade(server: Server, request: IncomingMessage, raw: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string]
    const kept = /^connection$/i.test(name) ? value.replaceAll(/\bupgrade\b/gi, '') : value
    if (!/^upgrade$/i.test(name)) lines.push(`${name}: ${kept}`)
  }
  restart(
    server,
    raw,
    Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]),
  )
}

/** Reads HTTP again from a connection that Node has left, from these bytes on. */
function restart(server: Server, raw: Duplex, head: Buffer): void {
  // Node may still be emitting data.
  process.nextTick(() => {
    if (raw.destroyed) return
    raw.off('error', ignoreError)
    // Node leaves this one behind, and adds another.
    raw.removeAllListeners('timeout')
    if (head.length > 0) raw.unshift(head)
    server.emit('encrypted' in raw ? 'secureConnection' : 'connection', raw)
  })
}
