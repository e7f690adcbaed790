// HTTP at the edge: a request becomes an input, a reply effect becomes bytes on the wire.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Body, Effect, Headers } from '../machine.ts'
import type { Picture, PictureFormat } from '../pictures/picture.ts'

/** The request headers that the protocol looks at. No other reaches a world or its journal. */
const read = ['host', 'origin', 'content-type', 'accept'] as const

export function readHeaders(request: IncomingMessage): Headers {
  const headers: Record<string, string> = {}
  for (const name of read) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/**
 * Collects the body. Resolves to null when it is larger than `limitBytes`: the rest is not read.
 * Rejects when the client goes away before the end.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limitBytes) chunks.push(chunk)
      else {
        chunks.length = 0
        request.pause()
        resolve(null)
      }
    })
    request.on('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    )
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new Error('The client went away.'))
    })
  })
}

/** Whether a request comes without a body, so that nothing has to be waited for. */
export const hasNoBody = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** Makes the bytes of a picture file that holds these texts. */
type EncodePicture = (
  picture: Picture,
  format: PictureFormat,
  text: PictureBody['text'],
) => Uint8Array
type PictureBody = Extract<Body, { readonly picture: Picture }>

/** Writes a reply. `timeMs` is the world's time since 1970, which Date tells. */
export function writeReply(
  response: ServerResponse,
  reply: Pick<Extract<Effect, { kind: 'reply' }>, 'status' | 'headers' | 'body' | 'reason'>,
  timeMs: number,
  encodePicture: EncodePicture,
): void {
  const body = bytesOf(reply.body, encodePicture)
  // Node adds its own Date and Connection; those of the world are wanted. Keep-alive goes on without the header.
  response.sendDate = false
  response.removeHeader('Connection')
  const headers: string[] = []
  for (const name in reply.headers) headers.push(name, reply.headers[name] as string)
  // 204 says by itself that there is no body, and allows no length.
  if (reply.status !== 204) headers.push('Content-Length', `${body.length}`)
  headers.push('Date', dateText(timeMs), 'Server', 'flowdouble')
  response.writeHead(reply.status, reply.reason, headers)
  response.end(body)
}

function bytesOf(body: Body, encodePicture: EncodePicture): Uint8Array {
  if (typeof body === 'string') return textBytes(body)
  return body instanceof Uint8Array ? body : encodePicture(body.picture, body.format, body.text)
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

function dateText(timeMs: number): string {
  const second = Math.floor(timeMs / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
