// Turns a reply into the status, headers and body of a response, the same behind every edge.

import type { Body, Headers } from '../machine.ts'
import type { MediaFile } from '../pictures/picture.ts'
import { answerFile } from './conditional-requests.ts'
import type { Reply } from './replies.ts'

/** A response ready to send. The edge decides how the connection continues. */
export type WireReply<B = string | Uint8Array> = {
  readonly status: number
  /** The reason phrase, unless it is the default of the status. */
  readonly reason: string | undefined
  /** Alternating names and values, in the order in which they are sent. */
  readonly headers: string[]
  /** Whether the text is short and ASCII: it can be sent together with the head. */
  readonly body: B
  /** Whether the connection ends after this response. */
  readonly isLast: boolean
}

/** The parts of a request that affect how a reply is sent. */
export type Recipient = {
  readonly method: string
  /** Its headers by lower-case name; only those of conditions and ranges matter, and only for files. */
  readonly headers: Headers
  /** Whether it accepts a body without a length: not in HTTP/1.0. */
  readonly takesChunks: boolean
}

/** Encodes a picture file. */
export type EncodeFile = (file: MediaFile) => Uint8Array

/** The value of the header Server, unless the server emulates a known one. */
export const ownName = 'flowdouble'

/**
 * Prepares a reply for a recipient. `timeMs` is the world's time since 1970, for the header Date, `name` the header
 * Server.
 */
export function respond(
  reply: Pick<Reply, 'status' | 'headers' | 'body' | 'reason' | 'file' | 'stream'>,
  recipient: Recipient,
  timeMs: number,
  encodeFile: EncodeFile,
  name = ownName,
): WireReply {
  if (reply.file === undefined) {
    const { status, reason, headers, body } = reply
    const wire = wireBody(body, encodeFile)
    const whole = complete(status, reason, headers, wire, recipient, timeMs, name)
    return reply.stream && !recipient.takesChunks ? endless(whole) : whole
  }
  // The conditions of a request need the bytes of the file, which are only known here.
  const bytes = encodeBody(reply.body, encodeFile)
  const found = answerFile(reply.headers, reply.file, bytes, recipient.headers)
  const { status, reason, headers, body } = found
  return complete(status, reason, headers, body, recipient, timeMs, name)
}

/** A stream for a client that knows no chunks: it ends with its connection. */
const endless = (whole: WireReply): WireReply => {
  const { headers } = whole
  const at = headers.indexOf('Content-Length')
  const kept = at < 0 ? headers : headers.toSpliced(at, 2)
  return Object.assign({}, whole, { headers: kept, isLast: true })
}

/** The status that keeps the type of its file. */
const NOT_SATISFIABLE = 416

/** Adds the headers of every response. */
export function complete<B extends { readonly length: number }>(
  status: number,
  reason: string | undefined,
  own: Headers,
  body: B,
  { method, takesChunks }: Pick<Recipient, 'method' | 'takesChunks'>,
  timeMs: number,
  serverName: string,
): WireReply<B> {
  const headers: string[] = []
  const isChunked = 'Transfer-Encoding' in own
  // Real servers do not build such a body for HEAD, and so do not describe it [http/head-unknown].
  const isUnsaid = isChunked && method === 'HEAD'
  for (const name in own) {
    if (name === 'Connection') continue
    if (name === 'Transfer-Encoding' && (isUnsaid || !takesChunks)) continue
    if (name === 'Content-Type' && isUnsaid && status !== NOT_SATISFIABLE) continue
    headers.push(name, own[name] as string)
  }
  // These statuses imply an empty body: 204 must not have a length, and that of 304 would describe another body.
  const isBare = status === 204 || status === 304
  // Nor does HEAD describe an empty body [http/head].
  const isEmptyHead = method === 'HEAD' && body.length === 0
  const hasNoLength = isBare || isUnsaid || isEmptyHead || (isChunked && takesChunks)
  if (!hasNoLength) headers.push('Content-Length', `${body.length}`)
  headers.push('Date', dateText(timeMs), 'Server', serverName)
  return { status, reason, headers, body, isLast: 'Connection' in own }
}

/**
 * Longer texts are sent as bytes, so that constant ones are encoded once. Node writes a text of up to 16 KiB, head
 * included, without allocating a buffer.
 */
const MAX_SHORT_TEXT = 15_000

const ascii = /^[\0-\x7f]*$/

/** The body to send: bytes, or a short ASCII text. */
const wireBody = (body: Body, encodeFile: EncodeFile): Uint8Array | string =>
  typeof body === 'string' && body.length <= MAX_SHORT_TEXT && ascii.test(body)
    ? body
    : encodeBody(body, encodeFile)

function encodeBody(body: Body, encodeFile: EncodeFile): Uint8Array {
  if (typeof body === 'string') return textBytes(body)
  return body instanceof Uint8Array ? body : encodeFile(body)
}

const encoder = new TextEncoder()

/** The bytes of the last long text: constant replies are encoded once. */
let lastText = ''
let lastBytes: Uint8Array = new Uint8Array()

function textBytes(text: string): Uint8Array {
  if (text !== lastText) {
    lastText = text
    lastBytes = encoder.encode(text)
  }
  return lastBytes
}

let dateSecond = NaN
let date = ''

/** A time in the format of the header Date. */
export function dateText(timeMs: number): string {
  const second = Math.floor(timeMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
