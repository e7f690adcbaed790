// The HTTP layer: what is HTTP at all, bodies, upgrades; whatever passes becomes an input of the world.

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
import type { Headers } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import { type IncomingRequest, type RequestHead, splitTarget } from '../../http/requests.ts'
import { after, type Later } from '../later.ts'
import { drop, hasNoBody, nothing, type Received } from './bodies.ts'
import { createConnections, endGently } from './connections.ts'
import { replyText } from './http.ts'
import type { Certificate } from './tls.ts'

/** What the HTTP layer needs of the server behind it. */
export type Behind = {
  /** The headers that the server looks at. */
  readonly readHeaders: (request: IncomingMessage) => Headers
  /** Receives a body of no more than so many bytes. Rejects when the client goes away before its end. */
  readonly receive: (request: IncomingMessage, limitBytes: number) => Promise<Received>
  /**
   * Largest body of this request, in bytes, asked only where it has one; null where the answer follows from the head: then
   * it does not wait for the body.
   */
  readonly limitBytes: (head: RequestHead) => number | null
  readonly answer: (arrived: IncomingRequest, response: ServerResponse) => Later<void>
  /** Writes a reply that the world does not know of. */
  readonly write: (response: ServerResponse, reply: Reply) => void
  /** Whether a WebSocket opens there. */
  readonly isSocketPath: (path: string) => boolean
  /** What is answered to what is no request, and where the server is at fault. */
  readonly refusals: Readonly<Record<'badRequest' | 'internal', Reply>>
  /** The answer to a request that expects something else than 100-continue; null where nobody minds. */
  readonly refuseExpectation: ((expected: string) => Reply) | null
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** What the header Server of its answers holds. */
  readonly name: string
  /** Takes over a connection that asks for a WebSocket; null where there are none. */
  readonly upgrade: ((request: IncomingMessage, raw: Duplex, head: Buffer) => Promise<void>) | null
}

const KEEP_ALIVE_MS = 3_630_000

/** Longest head of a request: real servers only bound its lines. */
const MAX_HEAD_BYTES = 256 * 2 ** 10

/** A web server that nobody stands behind yet; with a certificate it speaks HTTPS. */
export async function createWebServer(certificate: Certificate | null): Promise<Server> {
  const limits = { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: MAX_HEAD_BYTES }
  const options = { ...limits, requireHostHeader: false }
  const server = certificate === null ? createServer(options) : await secure(options, certificate)
  const early: Parameters<RequestListener>[] = []
  earlyRequests.set(server, early)
  server.on('request', (...one) => early.push(one))
  return server
}

/** Requests that came before anybody stood behind their server. */
const earlyRequests = new WeakMap<Server, readonly Parameters<RequestListener>[]>()

async function secure(options: ServerOptions, certificate: Certificate): Promise<Server> {
  const { createServer: createSecureServer } = await import('node:https')
  // The two are alike in all that is used here.
  return createSecureServer({ ...options, ...certificate })
}

/** Lets a server hand on what arrives whole, and answer the rest by itself. */
export function serve(server: Server, behind: Behind): void {
  const connections = createConnections()
  const endWith = (raw: Duplex, reply: Reply): void =>
    connections.end(raw, () => replyText(reply, behind.timeMs(), behind.name))
  const receive: RequestListener = (request, response) =>
    connections.take(
      request,
      response,
      () => handle(behind, request, response),
      (error) => {
        // A client that goes away while it sends is no failure of the server. Anything else is a broken assumption, which
        // is said aloud; but one request must not take the world away from the others.
        if (request.destroyed && !request.complete) return
        process.stderr.write(`flowdouble could not answer a request: ${String(error)}\n`)
        if (!response.headersSent) behind.write(response, behind.refusals.internal)
        else response.destroy()
      },
    )
  server.removeAllListeners('request').on('request', receive)
  for (const one of earlyRequests.get(server) ?? []) receive(...one)
  // Node ends a connection by it after an answer that says so.
  const endItGently = (raw: Socket): void => {
    raw.destroySoon = () => endGently(raw)
  }
  server.on('connection', endItGently).on('secureConnection', endItGently)
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', ignoreError)
    connections.afterAnswers(raw, () => {
      if (behind.upgrade === null || !asksForSocket(behind, request))
        ignoreUpgrade(server, request, raw, head)
      else if (hasLongLine(request)) endWith(raw, behind.refusals.badRequest)
      else void behind.upgrade(request, raw, head)
    })
  })
  server.on('connect', (request: IncomingMessage, raw: Socket) => {
    raw.on('error', () => raw.destroy())
    // No tunnel is offered: the method is answered like any other that a path does not take.
    connections.afterAnswers(raw, () => {
      const response = new ServerResponse(request)
      response.assignSocket(raw)
      response.shouldKeepAlive = false
      response.on('finish', () => endGently(raw))
      receive(request, response)
    })
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { refuseExpectation } = behind
    if (refuseExpectation === null) return receive(request, response)
    const reply = refuseExpectation(request.headers.expect ?? '')
    if (!hasNoBody(request) && !drop(request)) response.shouldKeepAlive = false
    connections.take(request, response, () => behind.write(response, reply), ignoreError)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, raw: Duplex) => {
    if (error.code === 'ECONNRESET' || !raw.writable) raw.destroy()
    else endWith(raw, behind.refusals.badRequest)
  })
}

/** The end of a connection is noticed by those who wait for its answers. */
const ignoreError = (): void => undefined

function handle(behind: Behind, request: IncomingMessage, response: ServerResponse): Later<void> {
  if (hasLongLine(request)) return behind.write(response, behind.refusals.badRequest)
  const head = {
    method: request.method ?? 'GET',
    target: targetOf(request),
    headers: behind.readHeaders(request),
  }
  return after(received(behind, request, response, head), ({ body, fault }) => {
    const { method, target, headers } = head
    return behind.answer({ method, target, headers, body, fault }, response)
  })
}

/** The body of a request, as far as its answer depends on it. */
function received(
  behind: Behind,
  request: IncomingMessage,
  response: ServerResponse,
  head: RequestHead,
): Later<Received> {
  if (hasNoBody(request)) return nothing
  const limitBytes = behind.limitBytes(head)
  if (limitBytes !== null) return behind.receive(request, limitBytes)
  if (!drop(request)) response.shouldKeepAlive = false
  return nothing
}

/** Path and query; a proxy's client names the whole address. */
function targetOf({ url = '/' }: IncomingMessage): string {
  const cut = url.indexOf('#')
  // A client keeps the fragment to itself; one that sends it means the rest [http/fragment].
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

const asksForSocket = (behind: Behind, { method, url = '' }: IncomingMessage): boolean =>
  method === 'GET' && behind.isSocketPath(splitTarget(url)[0])

/** Reads the request again as one that asks for no upgrade: its connection starts anew without that header. */
function ignoreUpgrade(server: Server, request: IncomingMessage, raw: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at] as string, rawHeaders[at + 1] as string]
    const kept = /^connection$/i.test(name) ? value.replaceAll(/\bupgrade\b/gi, '') : value
    if (!/^upgrade$/i.test(name)) lines.push(`${name}: ${kept}`)
  }
  // Not before Node has left the connection: it may be in the middle of handing out what it has read.
  process.nextTick(() => {
    if (raw.destroyed) return
    raw.off('error', ignoreError)
    raw.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
    server.emit('encrypted' in raw ? 'secureConnection' : 'connection', raw)
  })
}
