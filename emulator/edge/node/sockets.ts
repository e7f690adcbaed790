// WebSockets: handshakes, incoming messages, and one write per socket for the effects of each step.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../../spec/limits.ts'
import type { Effect, Headers, Input } from '../../machine.ts'
import { dateText } from '../../http/respond.ts'
import { readHeaders, replyText } from './http.ts'

/** How long to wait for a socket that does not read, in milliseconds: its client may be waiting for a response. */
const MAX_STALL_MS = 500

/** How many bytes to collect at most before writing. */
const MAX_CORKED_BYTES = 256 * 2 ** 10

type Connection = {
  readonly raw: Duplex
  readonly socket: WebSocket
  /** Closes the socket for a reason of the server. */
  readonly close: WebSocket['close']
  /** Resolves when the last message is compressed and written; only with compression. */
  written?: Promise<void>
  /** Whether its reader has stalled for so long that nothing waits for it any more. */
  isStalled?: boolean
}
type Handshake = { readonly request: IncomingMessage; readonly raw: Duplex; readonly head: Buffer }

export type Sockets = {
  /** Takes over the connection of a request for an upgrade. */
  readonly upgrade: (request: IncomingMessage, raw: Duplex, head: Buffer) => Promise<void>
  /** Emits the socket effects of one step. */
  readonly emit: (effects: readonly Effect[]) => void
  /** Combines what is emitted during the work into one write per socket, up to a limit. */
  readonly batch: (work: () => void) => void
  /** Resolves when everything has been handed to the system. */
  readonly flushed: () => Promise<void>
  readonly closeAll: () => void
}

/** What the sockets need from the server behind them. */
type SocketHooks = {
  /** Applies an input now. */
  readonly dispatch: (at: (atMs: number) => Input) => void
  /** Encodes a frame. */
  readonly encode: (content: Extract<Effect, { kind: 'frame' }>['content']) => Uint8Array
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** The value of the response header Server. */
  readonly name: string
  /** Whether to pass the credentials of a handshake to the world. */
  readonly readsCredentials: boolean
  /** Whether to compress messages for clients that offer it. */
  readonly compresses: boolean
}

export function createSockets(behind: SocketHooks): Sockets {
  const { dispatch, encode, timeMs, name, compresses } = behind
  const connections = new Map<number, Connection>()
  /** Corked sockets, which combine the messages of a step into one write. */
  const corked = new Set<Duplex>()
  let isBatching = false
  const handshakes = new Map<number, Handshake>()
  let server: Promise<WebSocketServer> | undefined
  let protocol: WebSocketServer
  let lastId = 0

  // ws loads TLS and zlib: import it for the first client, so that the server starts fast.
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
    // A handshake can still fail at its connection; then report the socket as closed.
    if (!connections.has(id)) dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
  }

  const accept = (id: number): void => {
    const handshake = handshakes.get(id)
    handshakes.delete(id)
    if (handshake === undefined) return
    const { request, raw, head } = handshake
    // Its library rejects some versions that do not differ from here on.
    request.headers['sec-websocket-version'] = '13'
    protocol.handleUpgrade(request, raw, head, (socket) => {
      const close = socket.close.bind(socket)
      connections.set(id, { raw, socket, close })
      // A close by the client ends here with its code, if any; only faults lack a reason.
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
    // Disconnect a reader that is this far behind, and drop what is queued for it.
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
      // A stalled reader does not read the close frame either.
      const timer = setTimeout(() => raw.destroy(), MAX_STALL_MS)
      raw.once('close', () => clearTimeout(timer))
    }
  }

  return { upgrade, emit, batch, flushed, closeAll }
}

/** Resolves when everything has been handed to the system, or the reader has stalled. */
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
  // An empty write completes after all previous ones.
  await new Promise<void>((resolve) => {
    raw.write('', () => resolve())
  })
  connection.isStalled = false
}

/** Real servers accept the two previous versions too, which differ only in the handshake. */
const versions: ReadonlySet<string> = new Set(['13', '8', '7'])

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** What is wrong with a handshake, in the form of an input. */
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
