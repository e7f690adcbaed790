// WebSockets at the edge: handshakes, messages in, and the effects of one step out in one write per socket.

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Effect, Headers, Input } from '../machine.ts'
import { readHeaders } from './http.ts'

/** Largest message of a client, in bytes; a larger one closes its socket with 1009. */
const MAX_MESSAGE_BYTES = 4 * 2 ** 20
/** A socket whose reader is this far behind is cut off, in bytes: the others must not pay for it. */
const MAX_BEHIND_BYTES = 64 * 2 ** 20

/** So many bytes wait at most to leave together. */
const MAX_CORKED_BYTES = 256 * 2 ** 10

type Connection = { readonly raw: Duplex; readonly socket: WebSocket }
type Handshake = { readonly request: IncomingMessage; readonly raw: Duplex; readonly head: Buffer }

export type Sockets = {
  /** Takes over the connection of a request that asks for an upgrade. */
  readonly upgrade: (request: IncomingMessage, raw: Duplex, head: Buffer) => Promise<void>
  /** Carries the socket effects of one step out. */
  readonly carryOut: (effects: readonly Effect[]) => void
  /** What is carried out during the work leaves in one write per socket, as far as that is not too much. */
  readonly together: (work: () => void) => void
  /** Resolves when all that was sent has been handed to the system. */
  readonly flushed: () => Promise<void>
  readonly closeAll: () => void
}

/**
 * @param dispatch lets an input happen now.
 * @param encode makes the bytes of a frame.
 */
export function createSockets(
  dispatch: (at: (atMs: number) => Input) => void,
  encode: (content: Extract<Effect, { kind: 'frame' }>['content']) => Uint8Array,
): Sockets {
  const connections = new Map<number, Connection>()
  /** Sockets that hold messages back, so that those of a step leave in one write. */
  const corked = new Set<Duplex>()
  let isTogether = false
  const handshakes = new Map<number, Handshake>()
  let server: Promise<WebSocketServer> | undefined
  let protocol: WebSocketServer
  let lastId = 0

  // ws pulls in TLS and zlib: it is loaded when the first client comes, not before the server listens.
  const load = async (): Promise<WebSocketServer> => {
    const ws = await import('ws')
    return new ws.WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
    })
  }

  const upgrade = async (request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> => {
    raw.on('error', () => raw.destroy())
    server ??= load()
    protocol = await server
    const id = ++lastId
    handshakes.set(id, { request, raw, head })
    const headers: Headers = readHeaders(request)
    const target = request.url ?? '/ws'
    dispatch((atMs) => ({ kind: 'open', atMs, socket: id, target, headers, ...faultOf(request) }))
    // A handshake may still fail at its connection; the world is then told that the socket is gone.
    if (!connections.has(id)) dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
  }

  const accept = (id: number): void => {
    const handshake = handshakes.get(id)
    handshakes.delete(id)
    if (handshake === undefined) return
    const { request, raw, head } = handshake
    protocol.handleUpgrade(request, raw, head, (socket) => {
      connections.set(id, { raw, socket })
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (!isBinary)
          dispatch((atMs) => ({ kind: 'message', atMs, socket: id, text: data.toString() }))
      })
      socket.on('close', () => {
        connections.delete(id)
        dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
      })
      socket.on('error', () => socket.terminate())
    })
  }

  const refuse = ({ socket, status, headers, body }: Extract<Effect, { kind: 'refuse' }>): void => {
    const raw = handshakes.get(socket)?.raw
    handshakes.delete(socket)
    const text = typeof body === 'string' ? body : ''
    const all = { ...headers, 'Content-Length': Buffer.byteLength(text), Connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    raw?.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  }

  const carryOut = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'accept') accept(effect.socket)
      if (effect.kind === 'refuse') refuse(effect)
      if (effect.kind !== 'send' && effect.kind !== 'frame') continue
      // One buffer for all receivers.
      const bytes = effect.kind === 'send' ? Buffer.from(effect.text) : encode(effect.content)
      for (const id of effect.sockets) sendTo(id, bytes, effect.kind === 'frame')
    }
    if (!isTogether) uncork()
  }

  const uncork = (): void => {
    for (const raw of corked) raw.uncork()
    corked.clear()
  }

  const together = (work: () => void): void => {
    isTogether = true
    try {
      work()
    } finally {
      isTogether = false
      uncork()
    }
  }

  const sendTo = (id: number, bytes: Uint8Array, binary: boolean): void => {
    const connection = connections.get(id)
    if (connection === undefined || connection.socket.readyState !== 1) return
    const { raw, socket } = connection
    if (!corked.has(raw)) {
      raw.cork()
      corked.add(raw)
    }
    socket.send(bytes, { binary })
    if (raw.writableLength > MAX_CORKED_BYTES) {
      raw.uncork()
      corked.delete(raw)
    }
    if (socket.bufferedAmount > MAX_BEHIND_BYTES) socket.terminate()
  }

  const flushed = async (): Promise<void> => {
    // An empty write is called back after all that was written before it.
    const written = Array.from(connections.values(), ({ raw }) => {
      if (raw.destroyed || raw.writableEnded) return Promise.resolve()
      return new Promise<void>((resolve) => raw.write('', () => resolve()))
    })
    await Promise.all(written)
  }

  const closeAll = (): void => {
    for (const { socket } of connections.values()) socket.close(1001, 'The server stops.')
    for (const { raw } of connections.values()) raw.end(() => raw.destroy())
  }

  return { upgrade, carryOut, together, flushed, closeAll }
}

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** What is wrong with a handshake, as an input tells it. */
function faultOf({ headers }: IncomingMessage): Pick<Extract<Input, { kind: 'open' }>, 'fault'> {
  const version = headers['sec-websocket-version'] ?? ''
  if (version !== '13') return { fault: { refusal: 'socketVersion', value: version } }
  const key = headers['sec-websocket-key']
  if (key !== undefined && KEY.test(key)) return {}
  return { fault: { refusal: 'socketKey', value: key === undefined ? 'None' : `'${key}'` } }
}
