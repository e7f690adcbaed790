// HTTP at Node's edge: which headers of a request a world gets to see, and how an answer is written.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { keyHeader } from '../../../spec/server/access.ts'
import type { Headers } from '../../machine.ts'
import { conditionalHeaders } from '../../http/conditional.ts'
import type { Reply } from '../../http/replies.ts'
import { type EncodeFile, respond } from '../../http/respond.ts'

/** The request headers that the protocol looks at. No other reaches a world or its journal. */
const read = ['host', 'origin', 'content-type', 'accept', 'upgrade', ...conditionalHeaders] as const

const apiKeyHeader = keyHeader.toLowerCase()

/** @param credentials whether the world looks at them. */
export function readHeaders(request: IncomingMessage, credentials: boolean): Headers {
  const headers: Record<string, string> = {}
  const { headers: given } = request
  const { authorization } = given
  if (credentials && authorization !== undefined) headers['authorization'] = authorization
  const key = credentials ? given[apiKeyHeader] : undefined
  if (typeof key === 'string') headers[apiKeyHeader] = key
  for (const name of read) {
    const value = given[name]
    if (typeof value === 'string') headers[name] = value
  }
  // A handshake is refused for it.
  const { connection } = given
  if (given.upgrade !== undefined && connection !== undefined) headers['connection'] = connection
  return headers
}

const noHeaders: Headers = {}

/** Writes a reply. `timeMs` is the world's time since 1970. */
export function writeReply(
  response: ServerResponse,
  reply: Pick<Reply, 'status' | 'headers' | 'body' | 'reason' | 'file'>,
  timeMs: number,
  encodeFile: EncodeFile,
  name?: string,
): void {
  const { req: request } = response
  const isOld = request.httpVersionMinor === 0
  const recipient = {
    method: request.method ?? 'GET',
    headers: reply.file === undefined ? noHeaders : readHeaders(request, false),
    takesChunks: !isOld,
  }
  const { status, reason, headers, body, isLast } = respond(
    reply,
    recipient,
    timeMs,
    encodeFile,
    name,
  )
  // Node adds its own Date and Connection; those of the world are sent. Keep-alive goes on without the header.
  response.sendDate = false
  response.removeHeader('Connection')
  // A client that still sends what is too large has to be stopped.
  if (isLast || request.isPaused()) response.shouldKeepAlive = false
  if (!response.shouldKeepAlive) headers.push('Connection', 'close')
  else if (isOld) headers.push('Connection', 'keep-alive')
  response.writeHead(status, reason, headers)
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

/** A reply of ASCII text as it stands on the wire, for a connection that ends with it. */
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

/** For replies that are no pictures. */
export const noPictures: EncodeFile = () => {
  throw new TypeError('This server has no pictures.')
}
