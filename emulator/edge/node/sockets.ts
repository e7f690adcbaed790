// WebSockets: their handshakes, incoming messages, and the effects that go out to them.

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../../spec/limits.ts'
import type { Effect, FrameContent, Headers, Input, SentFrame } from '../../machine.ts'
import { dateText } from '../../http/respond.ts'
import { endConnection, resetConnection, sendCut } from './broken-connections.ts'
import type { RequestHooks } from './http-listener.ts'
import { noPictures, readHeaders, writeReply } from './http.ts'
import type { EncodeElsewhere } from './pictures/frame-pictures.ts'
import { createOrderedSteps } from './pictures/ordered-steps.ts'
import { closeGracefully } from './pipelining.ts'
import { type Connection, createWriter, flush, MAX_STALL_MS } from './socket-writer.ts'

type Handshake = {
  readonly request: IncomingMessage
  readonly raw: Duplex
  readonly head: Buffer
  /** Stops listening, and returns the connection to HTTP. */
  readonly giveBack: () => void
}

export type Sockets = {
  /** Takes over the connection of a request for an upgrade. */
  readonly upgrade: NonNullable<RequestHooks['upgrade']>
  /** Emits the socket effects of one step. */
  readonly emit: (effects: readonly Effect[]) => void
  /** Combines what is emitted during the work into one write per socket, up to a limit. */
  readonly batch: (work: () => void) => void
  /** Resolves when everything has been handed to the system. */
  readonly flushed: () => Promise<void>
  readonly closeAll: () => void
  /** Whether no socket is open or being opened. */
  readonly isIdle: () => boolean
  /** The id of its last socket. */
  readonly lastId: () => number
}

/** What the sockets need from the server behind them. */
type SocketHooks = {
  /** Applies an input now. */
  readonly dispatch: (at: (atMs: number) => Input) => void
  /** Encodes a frame. */
  readonly encode: (content: FrameContent) => Uint8Array
  /** Encodes the picture of a frame elsewhere; absent where frames have none, or where nothing else waits for them. */
  readonly encodeElsewhere?: EncodeElsewhere | undefined
  /** The world's time since 1970, in milliseconds. */
  readonly timeMs: () => number
  /** The value of the response header Server. */
  readonly name: string
  /** Whether to compress messages for clients that offer it. */
  readonly compresses: boolean
  /** The id of the last socket before its first: those of a fork follow those of the other server. */
  readonly lastSocket: number
}

export function createSockets(hooks: SocketHooks): Sockets {
  const connections = new Map<number, Connection>()
  const writer = createWriter(hooks.compresses)
  const handshakes = createHandshakes(hooks, connections)
  /** Ends that are not on the wire yet. */
  const ending = new Set<Promise<void>>()
  /** The connections of silent sockets. */
  const silent = new Set<Duplex>()

  const end = ({ sockets, how }: Extract<Effect, { kind: 'end' }>): void => {
    for (const id of sockets) {
      const connection = connections.get(id)
      // Nothing is sent to it any more.
      connections.delete(id)
      if (connection !== undefined && how === 'silence') keepSilent(connection.raw)
      const ended = connection === undefined ? handshakes.reset(id) : endConnection(connection, how)
      ending.add(ended)
      void ended.finally(() => void ending.delete(ended))
    }
  }
  const keepSilent = (raw: Duplex): void => {
    silent.add(raw)
    raw.once('close', () => silent.delete(raw))
  }
  const emitNow = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'accept') handshakes.accept(effect.socket)
      if (effect.kind === 'refuse') handshakes.refuse(effect)
      if (effect.kind === 'end') end(effect)
      if (effect.kind !== 'send' && effect.kind !== 'frame') continue
      const { sockets, cutBytes } = effect
      const isFrame = effect.kind === 'frame'
      // One buffer for all receivers; a text for one alone is encoded on its way out.
      const data = isFrame
        ? encodeFrame(effect)
        : sockets.length === 1
          ? effect.text
          : Buffer.from(effect.text)
      for (const id of sockets) {
        const connection = connections.get(id)
        if (connection === undefined) continue
        if (cutBytes === undefined) writer.send(connection, data, isFrame)
        else sendCut(connection, Buffer.from(data), isFrame, cutBytes)
      }
    }
    writer.endStep()
  }
  const encodeFrame = ({ content, shortBytes }: SentFrame): Uint8Array =>
    shortBytes === undefined ? hooks.encode(content) : hooks.encode(content).subarray(0, shortBytes)
  /** Begins to encode the pictures of a step that somebody receives. */
  const begin = (effects: readonly Effect[]): Promise<unknown> | undefined => {
    const encodings: Promise<void>[] = []
    for (const effect of effects) {
      if (effect.kind !== 'frame' || !effect.sockets.some((id) => connections.has(id))) continue
      const encoding = hooks.encodeElsewhere?.(effect.content)
      if (encoding !== undefined) encodings.push(encoding)
    }
    return encodings.length > 0 ? Promise.all(encodings) : undefined
  }
  const steps = createOrderedSteps(begin, emitNow)
  const flushed = async (): Promise<void> => {
    await steps.settled()
    await Promise.all([...Array.from(connections.values(), flush), ...ending])
  }
  const closeAll = (): void => {
    steps.finish()
    handshakes.close()
    for (const raw of silent) raw.destroy()
    for (const { close } of connections.values()) close(1001, 'The server stops.')
    for (const { raw } of connections.values()) {
      raw.end(() => raw.destroy())
      // A stalled reader does not read the close frame either.
      const timer = setTimeout(() => raw.destroy(), MAX_STALL_MS)
      raw.once('close', () => clearTimeout(timer))
    }
  }
  const { upgrade, lastId } = handshakes
  const isIdle = (): boolean =>
    connections.size + silent.size + ending.size === 0 && handshakes.isIdle() && steps.isIdle()
  return { upgrade, emit: steps.emit, batch: writer.batch, flushed, closeAll, isIdle, lastId }
}

type Handshakes = {
  readonly upgrade: Sockets['upgrade']
  readonly isIdle: Sockets['isIdle']
  readonly lastId: Sockets['lastId']
  /** Accepts a handshake: from then on its socket is among the connections, until it closes. */
  readonly accept: (id: number) => void
  readonly refuse: (effect: Extract<Effect, { kind: 'refuse' }>) => void
  /** Resets the connection of a handshake that is not answered yet. */
  readonly reset: (id: number) => Promise<void>
  /** Ends the connections of handshakes that are not answered yet, and of those that still come. */
  readonly close: () => void
}

function createHandshakes(hooks: SocketHooks, connections: Map<number, Connection>): Handshakes {
  const { dispatch, timeMs, name } = hooks
  const handshakes = new Map<number, Handshake>()
  let server: Promise<WebSocketServer> | undefined
  let protocol: WebSocketServer
  let lastId = hooks.lastSocket
  let openingCount = 0
  let isClosed = false

  const upgrade: Sockets['upgrade'] = async (request, raw, head, giveBack) => {
    const failed = (): void => void raw.destroy()
    raw.on('error', failed)
    server ??= loadProtocol(hooks)
    openingCount++
    protocol = await server.finally(() => openingCount--)
    if (isClosed) return void raw.destroy()
    const id = ++lastId
    const gone = (): void => {
      // The client has not waited for the answer.
      if (handshakes.delete(id)) dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
    }
    raw.once('close', gone)
    const leave = (): void => {
      raw.off('error', failed).off('close', gone)
      giveBack(raw, head)
    }
    handshakes.set(id, { request, raw, head, giveBack: leave })
    const headers: Headers = readHeaders(request)
    const target = request.url ?? '/ws'
    dispatch((atMs) => ({ kind: 'open', atMs, socket: id, target, headers, ...faultOf(request) }))
    // A handshake can still fail at its connection; then report the socket as closed.
    if (!connections.has(id) && !handshakes.has(id))
      dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
  }
  const accept = (id: number): void => {
    const handshake = handshakes.get(id)
    handshakes.delete(id)
    if (handshake === undefined) return
    const { request, raw, head } = handshake
    // Its library rejects some versions that do not differ from here on.
    request.headers['sec-websocket-version'] = '13'
    protocol.handleUpgrade(request, raw, head, (socket) => {
      connections.set(id, { raw, socket, close: ownClose(socket) })
      socket.on('message', (data: Buffer, isBinary: boolean) => {
        if (!isBinary)
          dispatch((atMs) => ({ kind: 'message', atMs, socket: id, text: data.toString() }))
      })
      socket.on('close', () => {
        connections.delete(id)
        dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
      })
      // After a wrong frame the close is on its way, and to end the connection now could lose it.
      socket.on('error', () => {
        if (socket.readyState !== socket.CLOSING) socket.terminate()
      })
    })
  }
  const refuse: Handshakes['refuse'] = ({ socket, status, headers, body }) => {
    const handshake = handshakes.get(socket)
    handshakes.delete(socket)
    if (handshake !== undefined) refuseBy(handshake, { status, headers, body }, timeMs(), name)
  }
  const reset = async (id: number): Promise<void> => {
    const raw = handshakes.get(id)?.raw
    handshakes.delete(id)
    if (raw !== undefined) await resetConnection(raw)
  }
  const close = (): void => {
    isClosed = true
    for (const { raw } of handshakes.values()) raw.destroy()
  }
  const isIdle = (): boolean => handshakes.size === 0 && openingCount === 0
  return { upgrade, accept, refuse, reset, close, isIdle, lastId: () => lastId }
}

/** Answers a handshake like any request: its connection stays open for the next one [messages/refused-handshake]. */
function refuseBy(
  { request, raw, giveBack }: Handshake,
  reply: Pick<Extract<Effect, { kind: 'refuse' }>, 'status' | 'headers' | 'body'>,
  timeMs: number,
  name: string,
): void {
  const response = new ServerResponse(request)
  const words = request.headers.connection ?? ''
  const isOld = request.httpVersionMinor === 0
  response.shouldKeepAlive = isOld ? /\bkeep-alive\b/i.test(words) : !/\bclose\b/i.test(words)
  response.assignSocket(raw as Socket)
  response.on('finish', () => {
    response.detachSocket(raw as Socket)
    if (response.shouldKeepAlive) giveBack()
    else closeGracefully(raw)
  })
  writeReply(response, reply, timeMs, noPictures, name)
}

/** ws loads TLS and zlib: it is imported for the first client, so that the server starts fast. */
async function loadProtocol({ compresses, timeMs, name }: SocketHooks): Promise<WebSocketServer> {
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

/** How the server closes a socket. A close by the client ends with its code, if any; only faults lack a reason. */
function ownClose(socket: WebSocket): WebSocket['close'] {
  const close = socket.close.bind(socket)
  socket.close = (code, reason) =>
    code === undefined || reason !== undefined ? close(1000) : close(code)
  return close
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
