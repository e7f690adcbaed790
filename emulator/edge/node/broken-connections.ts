// Carries out what faults do to connections: resets, responses in parts or cut off, and sockets that end or break.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../../../spec/limits.ts'
import type { ChunkEffect, SocketEnd, Transport } from '../../machine.ts'
import { closeGracefully } from './pipelining.ts'
import type { Connection } from './socket-writer.ts'

/** A response in parts. */
type Parts = { readonly body: Buffer; readonly count: number; sent: number }

const unfinished = new WeakMap<ServerResponse, Parts>()

/** Sends the body of a response, whose head is written, as far as its transport allows. */
export function endBroken(
  response: ServerResponse,
  content: string | Uint8Array,
  transport: Transport,
): void {
  const body = typeof content === 'string' ? Buffer.from(content, 'latin1') : bufferOf(content)
  if ('parts' in transport) {
    unfinished.set(response, { body, count: transport.parts, sent: 0 })
    return sendPart(response)
  }
  // All of it would be a whole response.
  const length = Math.min(transport.afterBytes, Math.max(0, body.length - 1))
  // The client sends nothing more on this connection.
  response.shouldKeepAlive = false
  response.flushHeaders()
  const { socket } = response.req
  const end = (): void => (transport.then === 'reset' ? reset(socket) : closeGracefully(socket))
  if (length === 0) afterWrites(socket, end)
  else response.write(body.subarray(0, length), end)
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)

/** Sends the next part of a response. */
export function sendPart(response: ServerResponse): void {
  const parts = unfinished.get(response)
  if (parts === undefined || response.destroyed) return
  const { body, count } = parts
  const from = Math.floor((body.length * parts.sent) / count)
  const to = Math.floor((body.length * ++parts.sent) / count)
  if (parts.sent === count) response.end(body.subarray(from, to))
  else if (to > from) response.write(body.subarray(from, to))
  else response.flushHeaders()
}

/** Sends the next part of a stream. A client that is too far behind loses its connection [v2-streams/behind]. */
export function sendChunk(response: ServerResponse, text: string, then: ChunkEffect['then']): void {
  if (response.destroyed) return
  if (response.writableLength > limits.behind.value) return void response.destroy()
  if (then === 'end') response.end(text, 'latin1')
  else if (then === undefined) response.write(text, 'latin1')
  else {
    // The client sends nothing more on this connection.
    response.shouldKeepAlive = false
    const { socket } = response.req
    const end = (): void => (then === 'reset' ? reset(socket) : closeGracefully(socket))
    if (text === '') afterWrites(socket, end)
    else response.write(text, 'latin1', end)
  }
}

/** How long to wait for a client that does not read, in milliseconds. */
const MAX_WAIT_MS = 500

/** Resets a connection after what was written to it: its client sees an error, not an end. */
export const resetConnection = (raw: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (raw.closed) return resolve()
    raw.once('close', () => resolve())
    afterWrites(raw, () => reset(raw))
  })

function afterWrites(raw: Duplex, work: () => void): void {
  if (raw.destroyed || raw.writableEnded) return void raw.destroy()
  const timer = setTimeout(() => raw.destroy(), MAX_WAIT_MS)
  raw.write('', () => {
    clearTimeout(timer)
    work()
  })
}

/** The connection below TLS, which alone can be reset. */
const carrierOf = (raw: Duplex): Duplex =>
  (raw as Duplex & { readonly _parent?: Duplex | null })._parent ?? raw

/**
 * Whether a connection can be reset. Not if it has begun to end: the system refuses that, and Node then never closes its
 * handle, so that the process does not end.
 */
const canBeReset = (raw: Duplex): boolean =>
  !raw.destroyed && !raw.writableEnded && !('encrypted' in raw)

/** Resets a connection immediately; one that cannot be reset is closed. */
export function reset(raw: Duplex): void {
  const carrier = carrierOf(raw)
  if (carrier instanceof Socket && canBeReset(carrier) && !raw.writableEnded) {
    // Node would first end the connection gracefully (see http-listener.ts).
    carrier.destroySoon = () => carrier.destroy()
    carrier.resetAndDestroy()
  }
  raw.destroy()
}

/** Ends a connection after the messages that were sent to it. Resolves when a reset is on the wire. */
export async function endConnection(connection: Connection, how: SocketEnd): Promise<void> {
  const { raw, written, close } = connection
  if (how === 'silence') silence(connection)
  else if (how !== 'reset') close(how.close, reasons[how.close])
  else {
    if (written !== undefined) await written
    await resetConnection(raw)
  }
}

/** What a close frame says besides its code. */
const reasons: Readonly<Record<number, string>> = { 1012: 'The state of the server has changed.' }

/** Drops everything that a client sends from now on, pings and closes too. */
function silence({ raw }: Connection): void {
  // Without a listener, what arrives is read and lost; the end of the connection is still noticed.
  raw.removeAllListeners('data').resume()
}

/** Sends the first bytes of the frame of a message, never all of them. */
export function sendCut(
  connection: Connection,
  payload: Buffer,
  isBinary: boolean,
  bytes: number,
): void {
  const part = cutFrame(frameOf(payload, isBinary ? opcodes.binary : opcodes.text), bytes)
  const send = (): void => void connection.raw.write(part)
  if (connection.written === undefined) send()
  else connection.written = connection.written.then(send)
}

/** The first bytes of a frame, never all of them. */
export const cutFrame = (frame: Buffer, bytes: number): Buffer =>
  frame.subarray(0, Math.min(bytes, frame.length - 1))

/** The opcodes of WebSocket frames. */
export const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** An unmasked frame with a whole message. */
export const frameOf = (payload: Buffer, opcode: number): Buffer =>
  Buffer.concat([frameHead(payload.length, opcode), payload])

/** The head of an unmasked frame with the whole message. */
function frameHead(length: number, opcode: number): Buffer {
  const first = 0x80 | opcode
  if (length < 126) return Buffer.from([first, length])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head[0] = first
  head[1] = length < 65_536 ? 126 : 127
  if (length < 65_536) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return head
}
