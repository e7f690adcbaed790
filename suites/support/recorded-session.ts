// A client that records what it sees of a server in this process: all that it sends, and all that comes, with the times of
// the server's clock.

import { once } from 'node:events'
import type { Entry } from 'flowdouble'
import { WebSocket } from 'ws'
import type { RecordedExchange, RecordedSocket, Recording } from '../../dist/emulator/internal.js'

/** When the recorded sessions begin. */
export const startMs = 1767225600000

/** What happens at the same millisecond keeps its order by this. */
const TICK_MS = 0.001

export type Seen = { readonly status: number; readonly location: string; readonly body: Buffer }

export type RecordingClient = {
  /** Takes the entries of the server: pass it as `onEntry`. */
  readonly onEntry: (entry: Entry) => void
  readonly connectTo: (server: { readonly url: string }) => void
  /** Opens a socket; resolves when it has received what the server sends immediately. */
  readonly open: (clientId: string) => Promise<void>
  /** Breaks the connection of a socket; resolves when the server knows it. */
  readonly cut: (socket: number) => Promise<void>
  readonly send: (socket: number, text: string) => Promise<void>
  readonly request: (
    method: string,
    target: string,
    body?: { readonly type: string; readonly bytes: Uint8Array },
  ) => Promise<Seen>
  /** Resolves when everything that the server has sent has arrived. */
  readonly received: () => Promise<void>
  readonly recording: () => Recording
  readonly close: () => void
}

type Open = {
  readonly socket: WebSocket
  readonly url: string
  readonly openMs: number
  readonly messages: RecordedSocket['messages'][number][]
  /** When the server sent each message: it arrives later. */
  readonly sentMs: number[]
  received: number
  /** When the client cut it; null while it is open. */
  cutMs: number | null
}

/**
 * @param place what the server is.
 * @param sent the headers of each request and handshake.
 */
export function recordingClient(
  place: 'local' | 'hosted' = 'local',
  sent: Readonly<Record<string, string>> = {},
): RecordingClient {
  const exchanges: RecordedExchange[] = []
  const sockets: Open[] = []
  const pending = new Map<number, number[]>()
  let [url, nowMs, ticks] = ['', 0, 0]
  let arrived = (): void => undefined
  let noticed = (): void => undefined
  const stamp = (): number => startMs + nowMs + ++ticks * TICK_MS

  const onEntry = ({ input, effects }: Entry): void => {
    nowMs = Math.max(nowMs, input.atMs)
    if (input.kind === 'close') noticed()
    for (const effect of effects) {
      if (effect.kind !== 'send' && effect.kind !== 'frame') continue
      const atMs = stamp()
      for (const id of effect.sockets) {
        const known = sockets[id - 1]?.sentMs ?? pending.get(id) ?? []
        known.push(atMs)
        pending.set(id, known)
      }
    }
  }
  const isComplete = (): boolean =>
    sockets.every((one) => one.cutMs !== null || one.received === one.sentMs.length)
  const received = async (): Promise<void> => {
    while (!isComplete()) await new Promise<void>((resolve) => (arrived = resolve))
  }
  const open = async (clientId: string): Promise<void> => {
    const address = `${url.replace('http', 'ws')}/ws?clientId=${clientId}`
    const openMs = stamp()
    const socket = new WebSocket(address, { headers: sent })
    const messages: Open['messages'] = []
    const id = sockets.length + 1
    const sentMs = pending.get(id) ?? []
    pending.set(id, sentMs)
    const one: Open = { socket, url: address, openMs, messages, sentMs, received: 0, cutMs: null }
    sockets.push(one)
    socket.on('message', (data: Buffer, isBinary) => {
      const atMs = sentMs[one.received++] ?? NaN
      messages.push({
        from: 'server',
        atMs,
        data: isBinary ? new Uint8Array(data) : data.toString(),
      })
      arrived()
    })
    await once(socket, 'open')
    await received()
  }
  const cut = async (at: number): Promise<void> => {
    const one = sockets[at]
    if (one === undefined || one.cutMs !== null) return
    const isKnown = new Promise<void>((resolve) => (noticed = resolve))
    one.socket.terminate()
    await isKnown
    one.cutMs = stamp()
  }
  const send = async (at: number, text: string): Promise<void> => {
    const one = sockets[at]
    if (one === undefined) return
    one.messages.push({ from: 'client', atMs: stamp(), data: text })
    one.socket.send(text)
    // A ping that is answered comes after the message.
    one.socket.ping()
    await once(one.socket, 'pong')
    await received()
  }
  const request: RecordingClient['request'] = async (method, target, body) => {
    const sentMs = stamp()
    const address = new URL(target, url).href
    const headers = { ...sent, ...(body && { 'Content-Type': body.type }) }
    const reply = await fetch(address, {
      method,
      redirect: 'manual',
      headers,
      ...(body && { body: Buffer.from(body.bytes) }),
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const location = reply.headers.get('location') ?? ''
    const type = reply.headers.get('content-type') ?? ''
    await received()
    exchanges.push({
      entry: exchanges.length,
      startMs: sentMs,
      endMs: stamp(),
      method,
      url: address,
      headers: Object.entries(headers),
      body: body?.bytes ?? new Uint8Array(),
      response: {
        status: reply.status,
        headers: [['Content-Type', type] as const, ['Location', location] as const].filter(
          ([, value]) => value !== '',
        ),
        body: new Uint8Array(bytes),
      },
    })
    return { status: reply.status, location, body: bytes }
  }
  const recording = (): Recording => ({
    info: { version: 1, origin: 'a world of flowdouble', place },
    exchanges,
    sockets: sockets.map(({ url: address, openMs, messages, cutMs }, entry) => ({
      entry,
      openMs,
      url: address,
      headers: [],
      messages,
      close: cutMs === null ? null : { by: 'client', code: 1006, atMs: cutMs },
    })),
  })
  return {
    onEntry,
    connectTo: (server) => void (url = server.url),
    open,
    cut,
    send,
    request,
    received,
    recording,
    close: () => sockets.forEach(({ socket }) => socket.terminate()),
  }
}
