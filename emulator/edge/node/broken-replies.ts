// Carries out what faults do to connections: responses in parts, cut off or truncated, and resets.

import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Transport } from '../../machine.ts'
import { closeGracefully } from './pipelining.ts'

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

/** Resets the connection of a request after what was written to it. */
export function resetRequest(response: ServerResponse): void {
  void resetConnection(response.req.socket)
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

function reset(raw: Duplex): void {
  const carrier = carrierOf(raw)
  if (carrier instanceof Socket && !carrier.destroyed) {
    // Node would first end the connection gracefully (see http-listener.ts).
    carrier.destroySoon = () => carrier.destroy()
    carrier.resetAndDestroy()
  }
  raw.destroy()
}
