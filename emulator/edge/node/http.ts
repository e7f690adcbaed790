// HTTP on Node: reads the headers of requests, and writes the responses of a host.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Where } from '../../../spec/language.ts'
import type { Headers, ReplyEffect } from '../../machine.ts'
import type { Reply } from '../../http/replies.ts'
import { droppedHeaders } from '../../http/request-headers.ts'
import { type EncodeFile, respond, type WireReply } from '../../http/respond.ts'
import type { Edge } from '../host.ts'
import type { Responses } from '../responses.ts'
import { endBroken, resetConnection, sendChunk, sendPart } from './broken-connections.ts'
import { sendWhole } from './whole-response.ts'

/** The head of the last request on a connection, and what was read of it. */
type Head = { readonly raw: readonly string[]; readonly headers: Headers }

/**
 * Reads the headers of requests. Those of one connection that are equal share an object: a client repeats them with each
 * request, and a server keeps thousands of requests.
 */
export function headerReader(): (request: IncomingMessage) => Headers {
  const last = new WeakMap<Socket, Head>()
  return (request) => {
    const { socket, rawHeaders: raw } = request
    const known = last.get(socket)
    if (known !== undefined && areEqual(known.raw, raw)) return known.headers
    const headers = readHeaders(request)
    last.set(socket, { raw, headers })
    return headers
  }
}

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at])

/** The headers of a request. */
export function readHeaders({ headers: given }: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (const name in given) {
    const value = given[name]
    if (value !== undefined && !droppedHeaders.has(name)) headers[name] = String(value)
  }
  return headers
}

const noHeaders: Headers = {}

/** Writes a reply. `timeMs` is the world's time since 1970. */
export function writeReply(
  response: ServerResponse,
  reply: Pick<
    ReplyEffect,
    'status' | 'headers' | 'body' | 'reason' | 'file' | 'transport' | 'stream'
  >,
  timeMs: number,
  encodeFile: EncodeFile,
  name?: string,
): void {
  const { req: request } = response
  const recipient = {
    method: request.method ?? 'GET',
    headers: reply.file === undefined ? noHeaders : readHeaders(request),
    takesChunks: request.httpVersionMinor !== 0,
  }
  const wire = respond(reply, recipient, timeMs, encodeFile, name)
  const isSimple = !reply.stream && reply.transport === undefined
  if (isSimple && sendWhole(response, wire)) return
  writeHead(response, wire)
  const { body } = wire
  if (reply.stream) beginStream(response, body)
  else if (reply.transport !== undefined) endBroken(response, body, reply.transport)
  else if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

/** Writes the head of a response. */
export function writeHead(
  response: ServerResponse,
  { status, reason, headers, isLast }: WireReply<unknown>,
): void {
  const { req: request } = response
  // Node would add Date and Connection; the world's Date is sent instead, and keep-alive needs no header.
  response.sendDate = false
  response.removeHeader('Connection')
  // A client that still sends too large a body must be stopped.
  if (isLast || request.isPaused()) response.shouldKeepAlive = false
  if (!response.shouldKeepAlive) headers.push('Connection', 'close')
  else if (request.httpVersionMinor === 0) headers.push('Connection', 'keep-alive')
  response.writeHead(status, reason, headers)
}

/** Writes the head of a stream and its beginning, which are due now even without a body. */
function beginStream(response: ServerResponse, body: string | Uint8Array): void {
  response.flushHeaders()
  if (body.length > 0) response.write(body)
}

/** The raw text of an ASCII reply, for a connection that ends with it. */
export function replyText(
  reply: Pick<Reply, 'status' | 'headers' | 'body'>,
  timeMs: number,
  name?: string,
): string {
  const { status, headers, body } = respond(reply, plainRecipient, timeMs, noPictures, name)
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`]
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  lines.push('Connection: close', '', typeof body === 'string' ? body : '')
  return lines.join('\r\n')
}

const plainRecipient = { method: 'GET', headers: noHeaders, takesChunks: false }

/** For replies without pictures. */
export const noPictures: EncodeFile = () => {
  throw new TypeError('This server has no pictures.')
}

/** `name` is the value of the response header Server. */
export const nodeResponses = (encodeFile: EncodeFile, name: string): Responses<ServerResponse> => ({
  write: (response, reply, timeMs) => {
    // A response that has begun cannot become another one.
    if (response.headersSent) response.destroy()
    else if (!response.destroyed) writeReply(response, reply, timeMs, encodeFile, name)
  },
  writePart: sendPart,
  writeChunk: sendChunk,
  reset: (response) => void resetConnection(response.req.socket),
  drop: (response) => void response.destroy(),
  onceClosed: (response, closed) => {
    if (response.destroyed) closed()
    else response.once('close', closed)
  },
  callerOf: ({ req: { socket, headers, headersDistinct } }) => ({
    address: socket.remoteAddress ?? '',
    // Node keeps the first of several.
    headers:
      (headersDistinct.host ?? []).length > 1
        ? Object.assign({}, headers, { host: headersDistinct.host })
        : headers,
  }),
  writeControl: (response, { status, type, body, headers }, more) => {
    const own = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
    response.writeHead(status, Object.assign(own, headers, more))
    response.end(body)
  },
})

/** Node's parts of an edge that are the same for every machine. */
export const nodeParts = (
  where: Where,
): Pick<Edge<never, never>, 'monotonicMs' | 'openapi' | 'page'> => ({
  monotonicMs,
  // Read and parsed only on demand.
  openapi: async () => (await import('./openapi.ts')).openapiText(where),
  page: async () => (await import('../inspector/page.ts')).inspectorPage(),
})

/** The time of a monotonic clock, in milliseconds. `performance` would take longer to load. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}
