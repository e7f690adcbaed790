// Turns a reply into the status, headers and body of a response, the same behind every edge.

import type { Body, Headers } from '../machine.ts'
import type { PictureFile } from '../pictures/picture.ts'
import { answerFile } from './conditional-requests.ts'
import type { Reply } from './replies.ts'

/** A response that is ready to be sent. The edge decides how the connection continues. */
export type WireReply = {
  readonly status: number
  /** The reason phrase, where it is not the usual one of the status. */
  readonly reason: string | undefined
  /** Names and values in turn, in the order in which they are sent. */
  readonly headers: string[]
  /** A text is short and of ASCII letters alone: it can leave in one piece with the head. */
  readonly body: string | Uint8Array
  /** Whether the connection is to end with this answer. */
  readonly isLast: boolean
}

/** What of a request changes how a reply is sent. */
export type Recipient = {
  readonly method: string
  /** Its headers by lower-case name; only those in `conditionalHeaders` count, and only for files. */
  readonly headers: Headers
  /** Whether it takes a body without a length: not in HTTP/1.0. */
  readonly takesChunks: boolean
}

/** Makes the bytes of a picture file. */
export type EncodeFile = (file: PictureFile) => Uint8Array

/** What the header Server of each answer holds, unless the server behaves as a known one. */
export const ownName = 'flowdouble'

/**
 * Makes a reply ready to be sent to a recipient. `timeMs` is the world's time since 1970, for the header Date, `name` the
 * header Server.
 */
export function respond(
  reply: Pick<Reply, 'status' | 'headers' | 'body' | 'reason' | 'file'>,
  recipient: Recipient,
  timeMs: number,
  encodeFile: EncodeFile,
  name = ownName,
): WireReply {
  if (reply.file === undefined) {
    const { status, reason, headers, body } = reply
    return complete(status, reason, headers, wireBody(body, encodeFile), recipient, timeMs, name)
  }
  // Only here, where its bytes are known, can a file be held against what the request says of it.
  const bytes = encodeBody(reply.body, encodeFile)
  const found = answerFile(reply.headers, reply.file, bytes, recipient.headers)
  const { status, reason, headers, body } = found
  return complete(status, reason, headers, body, recipient, timeMs, name)
}

/** Adds the headers that every answer has. */
function complete(
  status: number,
  reason: string | undefined,
  own: Headers,
  body: string | Uint8Array,
  { method, takesChunks }: Recipient,
  timeMs: number,
  serverName: string,
): WireReply {
  const headers: string[] = []
  const isChunked = 'Transfer-Encoding' in own
  // Real servers send no such body to HEAD, and so say nothing of it [http/head-unknown].
  const isUnsaid = isChunked && method === 'HEAD'
  for (const name in own) {
    if (name === 'Connection') continue
    if (name === 'Transfer-Encoding' && (isUnsaid || !takesChunks)) continue
    if (name === 'Content-Type' && isUnsaid) continue
    headers.push(name, own[name] as string)
  }
  // These say by themselves that there is no body: 204 allows no length, that of 304 would be another one.
  const isBare = status === 204 || status === 304
  const hasNoLength = isBare || isUnsaid || (isChunked && takesChunks)
  if (!hasNoLength) headers.push('Content-Length', `${body.length}`)
  headers.push('Date', dateText(timeMs), 'Server', serverName)
  return { status, reason, headers, body, isLast: 'Connection' in own }
}

/** Longer texts are sent as bytes, so that constant ones are encoded once. */
const MAX_SHORT_TEXT = 1000

const ascii = /^[\0-\x7f]*$/

/** What is sent as a body: bytes, or a short text of ASCII letters. */
const wireBody = (body: Body, encodeFile: EncodeFile): Uint8Array | string =>
  typeof body === 'string' && body.length <= MAX_SHORT_TEXT && ascii.test(body)
    ? body
    : encodeBody(body, encodeFile)

function encodeBody(body: Body, encodeFile: EncodeFile): Uint8Array {
  if (typeof body === 'string') return textBytes(body)
  return body instanceof Uint8Array ? body : encodeFile(body)
}

const encoder = new TextEncoder()

/** The bytes of the last long text: constant answers are encoded once. */
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

/** A moment as the header Date has it. */
export function dateText(timeMs: number): string {
  const second = Math.floor(timeMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
