// HTTP at the edge: a request becomes an input, a reply effect becomes bytes on the wire.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { keyHeader } from '../../../spec/server/access.ts'
import type { Body, Effect, Headers } from '../../machine.ts'
import type { PictureFile } from '../../pictures/picture.ts'
import { answerFile, conditionalHeaders } from '../../http/ranges.ts'

/** The request headers that the protocol looks at. No other reaches a world or its journal. */
const read = ['host', 'origin', 'content-type', 'accept', ...conditionalHeaders] as const

const apiKeyHeader = keyHeader.toLowerCase()

/** @param credentials whether the world looks at them. */
export function readHeaders(request: IncomingMessage, credentials: boolean): Headers {
  const headers: Record<string, string> = {}
  const { authorization } = request.headers
  if (credentials && authorization !== undefined) headers['authorization'] = authorization
  const key = credentials ? request.headers[apiKeyHeader] : undefined
  if (typeof key === 'string') headers[apiKeyHeader] = key
  for (const name of read) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

/** Makes the bytes of a picture file. */
type EncodeFile = (file: PictureFile) => Uint8Array

/** Writes a reply. `timeMs` is the world's time since 1970, which Date tells. */
export function writeReply(
  response: ServerResponse,
  reply: Pick<
    Extract<Effect, { kind: 'reply' }>,
    'status' | 'headers' | 'body' | 'reason' | 'file'
  >,
  timeMs: number,
  encodeFile: EncodeFile,
): void {
  // Only here, where its bytes are known, can a file be held against what the request says of it.
  const {
    status,
    headers: given,
    body,
  } = reply.file === undefined
    ? { status: reply.status, headers: reply.headers, body: bodyOf(reply.body, encodeFile) }
    : answerFile(
        reply.headers,
        reply.file,
        bytesOf(reply.body, encodeFile),
        readHeaders(response.req, false),
      )
  // Node adds its own Date and Connection; those of the world are wanted. Keep-alive goes on without the header.
  response.sendDate = false
  response.removeHeader('Connection')
  const headers: string[] = []
  const isOld = response.req.httpVersionMinor === 0
  for (const name in given) {
    const isChunked = name === 'Transfer-Encoding'
    if (name !== 'Connection' && !(isChunked && isOld)) {
      headers.push(name, given[name] as string)
    }
  }
  // These say by themselves that there is no body: 204 allows no length, that of 304 would be another one.
  const isBare = status === 204 || status === 304
  const isChunked = 'Transfer-Encoding' in given && !isOld
  if (!isBare && !isChunked) headers.push('Content-Length', `${body.length}`)
  headers.push('Date', dateText(timeMs), 'Server', 'flowdouble')
  // A client that still sends what is too large has to be stopped.
  const isLast = 'Connection' in given || response.req.isPaused()
  if (isLast || !response.shouldKeepAlive) headers.push('Connection', 'close')
  else if (isOld) headers.push('Connection', 'keep-alive')
  response.writeHead(status, reply.reason, headers)
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

/** A reply of text as it stands on the wire, for a connection that ends with it. */
export function replyText(
  {
    status,
    headers,
    body,
  }: Pick<Extract<Effect, { kind: 'reply' }>, 'status' | 'headers' | 'body'>,
  timeMs: number,
): string {
  const text = typeof body === 'string' ? body : ''
  const ending = {
    'Content-Length': Buffer.byteLength(text),
    Date: dateText(timeMs),
    Server: 'flowdouble',
    Connection: 'close',
  }
  const lines = Object.entries({ ...headers, ...ending }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n')
}

/** Longer texts are sent as bytes, so that constant ones are encoded once. */
const MAX_SHORT_TEXT = 1000

/** What is sent as a body: bytes, or a short text of plain letters, which leaves with the head in one piece. */
function bodyOf(body: Body, encodeFile: EncodeFile): Uint8Array | string {
  const isShort = typeof body === 'string' && body.length <= MAX_SHORT_TEXT
  return isShort && Buffer.byteLength(body) === body.length ? body : bytesOf(body, encodeFile)
}

function bytesOf(body: Body, encodeFile: EncodeFile): Uint8Array {
  if (typeof body === 'string') return textBytes(body)
  return body instanceof Uint8Array ? body : encodeFile(body)
}

/** The bytes of the last long text: constant answers are encoded once. */
let lastText = ''
let lastBytes: Uint8Array = Buffer.alloc(0)

function textBytes(text: string): Uint8Array {
  if (text !== lastText) {
    lastText = text
    lastBytes = Buffer.from(text)
  }
  return lastBytes
}

let dateSecond = NaN
let date = ''

export function dateText(timeMs: number): string {
  const second = Math.floor(timeMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
