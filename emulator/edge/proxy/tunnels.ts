// Passes sockets on to the target of a proxy: bytes as they are, so that compression, pings, fragments and back-pressure are
// those of client and server. Reports the messages that it reads on the way, and how each socket ends.

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlayedFault, RecordedClose } from '../../../spec/recording.ts'
import type { HeaderList, RecordedResponse } from '../../session/recording.ts'
import { reset } from '../node/broken-connections.ts'
import { decodedBody, keepBody } from './bodies.ts'
import { type ProxyParts, unreachableText } from './exchanges.ts'
import { createMessageReader } from './message-reader.ts'
import type { Place } from './places.ts'
import { monotonicTimeMs } from './sink.ts'
import { headerPairs, headersFor } from './upstream.ts'

let lastSocket = 0
/** The number of a new socket. */
export const newSocket = (): number => ++lastSocket

/** Passes a handshake on, and then the bytes of the socket. */
export function passSocket(
  parts: ProxyParts,
  message: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  const startMs = monotonicTimeMs()
  const place = admit(parts, message, client)
  if (place === undefined) return
  const headers = headersFor(message, place)
  const call = parts.upstream.begin(message, place, headers)
  const handshake = { startMs, place, headers }
  call.on('upgrade', (response, target, targetHead) => {
    writeHead(client, response)
    connect(parts, handshake, response, client, target, head, targetHead)
  })
  call.on('response', (response) => passRefusal(parts, handshake, response, client))
  call.on('error', (error) => {
    if (client.destroyed) return
    report(parts, handshake, null)
    refuse(client, 502, unreachableText(place, error))
  })
  client.once('close', () => call.destroy())
  call.end()
}

/** Where a handshake goes; undefined, once it is refused, if nowhere. */
export function admit(
  { places }: ProxyParts,
  { url }: IncomingMessage,
  client: Duplex,
): Place | undefined {
  client.on('error', () => client.destroy())
  const place = url?.startsWith('/') ? places.find(url) : undefined
  if (place === undefined) refuse(client, 404, 'No such host behind this proxy.')
  return place
}

export type Handshake = {
  readonly startMs: number
  readonly place: Place
  readonly headers: HeaderList
}

export const urlOf = ({ recorded }: Place): string => new URL(recorded).href

/** Reports a handshake that did not succeed: an exchange. */
export function report(
  { sink }: ProxyParts,
  { startMs, place, headers }: Handshake,
  response: RecordedResponse | null,
  fault?: PlayedFault,
): void {
  sink.exchange({
    entry: 0,
    startMs,
    endMs: monotonicTimeMs(),
    method: 'GET',
    url: urlOf(place),
    headers,
    body: new Uint8Array(),
    response,
    ...(fault && { fault }),
  })
}

const recordedOf = (response: IncomingMessage, body: Buffer): RecordedResponse => {
  const headers = headerPairs(response.rawHeaders)
  return {
    status: response.statusCode ?? 0,
    headers,
    body: decodedBody(body, headers) ?? new Uint8Array(),
  }
}

/** The response of a target that refuses a handshake. */
export function passRefusal(
  parts: ProxyParts,
  handshake: Handshake,
  response: IncomingMessage,
  client: Duplex,
): void {
  const kept = keepBody()
  response.on('data', kept.add)
  response.once('close', () => {
    const body = kept.bytes() ?? Buffer.alloc(0)
    report(parts, handshake, recordedOf(response, body))
    const own = headerPairs(response.rawHeaders).filter(
      ([name]) => !/^(?:content-length|transfer-encoding|connection)$/i.test(name),
    )
    const length = ['Content-Length', String(body.length)] as const
    writeHead(client, response, [...own, length, ['Connection', 'close']])
    client.end(body)
  })
}

export function writeHead(
  client: Duplex,
  {
    statusCode = 0,
    statusMessage = '',
    rawHeaders = [],
  }: Partial<Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>>,
  headers = headerPairs(rawHeaders),
): void {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  client.write(
    `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${[...lines, '', ''].join('\r\n')}`,
    'latin1',
  )
}

export function refuse(client: Duplex, status: number, why: string): void {
  const text = `${status}: ${why}\n`
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain; charset=utf-8\r\n`
  client.end(
    `${head}Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
}

function connect(
  { sink, untilStopped, waitFor }: ProxyParts,
  { startMs, place, headers }: Handshake,
  response: IncomingMessage,
  client: Duplex,
  target: Duplex,
  clientHead: Buffer,
  targetHead: Buffer,
): void {
  const socket = newSocket()
  let isOpen = true
  const close = (by: RecordedClose['by'], code: number, reason = ''): void => {
    if (!isOpen) return
    isOpen = false
    forget()
    sink.close(socket, { by, code, ...(reason !== '' && { reason }), atMs: monotonicTimeMs() })
  }
  // A socket that is open when the recording ends has no end in it.
  const forget = untilStopped(() => (isOpen = false))
  const url = urlOf(place).replace(/^http/, 'ws')
  sink.open(socket, { entry: 0, openMs: startMs, url, headers, messages: [], close: null })
  const extensions = response.headers['sec-websocket-extensions'] ?? ''
  const pass = (by: RecordedClose['by'], from: Duplex, to: Duplex, first: Buffer): void => {
    const read = createMessageReader(by === 'client', extensions, {
      // Also after the close frame of the other side, which this side may not have read yet.
      message: (data) => sink.message(socket, { from: by, atMs: monotonicTimeMs(), data }),
      close: (code, reason) => close(by, code, reason),
    })
    if (first.length > 0) {
      waitFor(read(first))
      to.write(first)
    }
    from.on('data', (chunk: Buffer) => waitFor(read(chunk)))
    from.pipe(to)
    from.on('end', () => close(by, 1006))
    from.on('error', () => {
      close(by, 1006)
      // As this side did.
      reset(to)
    })
    from.once('close', () => {
      close(by, 1006)
      // Nobody reads what it still sends.
      to.end(() => to.destroy())
    })
  }
  target.on('error', () => target.destroy())
  pass('client', client, target, clientHead)
  pass('server', target, client, targetHead)
}
