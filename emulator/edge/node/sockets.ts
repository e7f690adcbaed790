// WebSockets at the edge: handshakes, messages in, and the effects of one step out in one write per socket.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../../spec/limits.ts'
import type { Effect, Headers, Input } from '../../machine.ts'
import { dateText } from '../../http/respond.ts'
import { readHeaders, replyText } from './http.ts'

/** A socket that takes nothing for so long is not waited for, in milliseconds: its client may itself wait for an answer. */
const MAX_STALL_MS = 500

/** So many bytes wait at most to leave together. */
const MAX_CORKED_BYTES = 256 * 2 ** 10

type Connection = {
  readonly raw: Duplex
  readonly socket: WebSocket
  /** Closes the socket for a reason of the server's own. */
  readonly close: WebSocket['close']
  /** Resolves when the last message has been compressed and written; only where messages are compressed. */
  written?: Promise<void>
  /** Whether its reader has taken nothing for so long that nobody waits for it any more. */
  isStalled?: boolean
}
type Handshake = { readonly request: IncomingMessage; readonly raw: Duplex; readonly head: Buffer }

export type Sockets = {
  /** Takes over the connection of a request that asks for an upgrade. */
  readonly upgrade: (request: IncomingMessage, raw: Duplex, head: Buffer) => Promise<void>
  /** Emits the socket effects of one step. */
  readonly emit: (effects: readonly Effect[]) => void
  /** What is emitted during the work leaves in one write per socket, as far as that is not too much. */
  readonly batch: (work: () => void) => void
  /** Resolves when all that was sent has been handed to the system. */
  readonly flushed: () => Promise<void>
  readonly closeAll: () => void
}

/** What the sockets need of the server behind them. */
type Behind = {
  /** Lets an input happen now. */
  readonly dispatch: (at: (atMs: number) => Input) => void
  /** Makes the bytes of a frame. */
  readonly encode: (content: Extract<Effect, { kind: 'frame' }>['content']) => Uint8Array
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** What the header Server of its answers holds. */
  readonly name: string
  /** Whether the headers of a handshake tell the world its credentials. */
  readonly readsCredentials: boolean
  /** Whether messages are compressed for clients that offer it. */
  readonly compresses: boolean
}

export function createSockets(behind: Behind): Sockets {
  const { dispatch, encode, timeMs, name, compresses } = behind
  const connections = new Map<number, Connection>()
  /** Sockets that hold messages back, so that those of a step leave in one write. */
  const corked = new Set<Duplex>()
  let isBatching = false
  const handshakes = new Map<number, Handshake>()
  let server: Promise<WebSocketServer> | undefined
  let protocol: WebSocketServer
  let lastId = 0

  // ws pulls in TLS and zlib: it is loaded when the first client comes, not before the server listens.
  const load = async (): Promise<WebSocketServer> => {
    const ws = await import('ws')
    const created = new ws.WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: compresses && { threshold: 0 },
      maxPayload: limits.clientMessage.value,
      handleProtocols: () => false,
    })
    created.on('headers', (lines) => {
      lines.push(`Date: ${dateText(timeMs())}`, `Server: ${name}`)
    })
    return created
  }

  const upgrade = async (request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> => {
    raw.on('error', () => raw.destroy())
    server ??= load()
    protocol = await server
    const id = ++lastId
    handshakes.set(id, { request, raw, head })
    const headers: Headers = readHeaders(request, behind.readsCredentials)
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
    // Its library knows fewer of the versions that differ in nothing from here on.
    request.headers['sec-websocket-version'] = '13'
    protocol.handleUpgrade(request, raw, head, (socket) => {
      const close = socket.close.bind(socket)
      connections.set(id, { raw, socket, close })
      // The close of a client comes back here with its own code, if any; only faults have no reason with them.
      socket.close = (code, reason) =>
        code === undefined || reason !== undefined ? close(1000) : close(code)
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
    raw?.end(replyText({ status, headers, body }, timeMs(), name), () => raw.destroy())
  }

  const emit = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'accept') accept(effect.socket)
      if (effect.kind === 'refuse') refuse(effect)
      if (effect.kind !== 'send' && effect.kind !== 'frame') continue
      const { sockets } = effect
      // One buffer for all receivers; a text for one alone is encoded on its way out.
      const data =
        effect.kind === 'frame'
          ? encode(effect.content)
          : sockets.length === 1
            ? effect.text
            : Buffer.from(effect.text)
      for (const id of sockets) sendTo(id, data, effect.kind === 'frame')
    }
    if (!isBatching) uncork()
  }

  const uncork = (): void => {
    for (const raw of corked) raw.uncork()
    corked.clear()
  }

  const batch = (work: () => void): void => {
    isBatching = true
    try {
      work()
    } finally {
      isBatching = false
      uncork()
    }
  }

  const sendTo = (id: number, bytes: Uint8Array | string, binary: boolean): void => {
    const connection = connections.get(id)
    if (connection === undefined || connection.socket.readyState !== 1) return
    const { raw, socket } = connection
    // Whoever is that far behind is not waited for; what is on its way to it is dropped with it.
    if (socket.bufferedAmount > limits.behind.value) return socket.terminate()
    if (!corked.has(raw)) {
      raw.cork()
      corked.add(raw)
    }
    if (compresses) {
      connection.written = new Promise((resolve) => {
        socket.send(bytes, { binary }, () => resolve())
      })
    } else socket.send(bytes, { binary })
    if (raw.writableLength > MAX_CORKED_BYTES) {
      raw.uncork()
      corked.delete(raw)
    }
  }

  const flushed = async (): Promise<void> => {
    await Promise.all(Array.from(connections.values(), flush))
  }

  const closeAll = (): void => {
    for (const { close } of connections.values()) close(1001, 'The server stops.')
    for (const { raw } of connections.values()) {
      raw.end(() => raw.destroy())
      // Who takes nothing does not take the end either.
      const timer = setTimeout(() => raw.destroy(), MAX_STALL_MS)
      raw.once('close', () => clearTimeout(timer))
    }
  }

  return { upgrade, emit, batch, flushed, closeAll }
}

/** Resolves when all that was sent has been handed to the system, or the reader of the socket does not take it. */
async function flush(connection: Connection): Promise<void> {
  const { raw, written, isStalled } = connection
  if (isStalled || (raw.writableLength === 0 && written === undefined)) return
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      connection.isStalled = true
      resolve()
    }, MAX_STALL_MS)
  })
  await Promise.race([tooLong, drain(connection)])
  clearTimeout(timer)
}

async function drain(connection: Connection): Promise<void> {
  const { raw, written } = connection
  await written
  if (raw.destroyed || raw.writableEnded) return
  // An empty write is called back after all that was written before it.
  await new Promise<void>((resolve) => {
    raw.write('', () => resolve())
  })
  connection.isStalled = false
}

/** Real servers take the two before the last one too, which differ in the handshake alone. */
const versions: ReadonlySet<string> = new Set(['13', '8', '7'])

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** What is wrong with a handshake, as an input tells it. */
function faultOf({ headers }: IncomingMessage): Pick<Extract<Input, { kind: 'open' }>, 'fault'> {
  const upgrade = headers['upgrade'] ?? 'None'
  if (upgrade.trim().toLowerCase() !== 'websocket') {
    return { fault: { refusal: 'socketWithoutUpgrade', value: upgrade } }
  }
  const version = headers['sec-websocket-version'] ?? ''
  if (!versions.has(version)) return { fault: { refusal: 'socketVersion', value: version } }
  const key = headers['sec-websocket-key']
  if (key !== undefined && KEY.test(key)) return {}
  return { fault: { refusal: 'socketKey', value: key === undefined ? 'None' : `'${key}'` } }
}
