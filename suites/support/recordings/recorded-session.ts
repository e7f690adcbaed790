// A client that records what it sees of a server in this process: all that it sends, and all that comes, with the times of
// the server's clock.

import { once } from 'node:events'
import { type Emulator, type EmulatorOptions, type Entry, startEmulator } from 'flowdouble'
import { WebSocket } from 'ws'
import type {
  RecordedExchange,
  RecordedSocket,
  Recording,
} from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'
import { formOf } from '../../generate/form.ts'

/** When the recorded sessions begin. */
export const startMs = 1767225600000

/** What happens at the same millisecond keeps its order by this. */
const TICK_MS = 0.001

/** A reply; `json` is undefined if it is not valid JSON. */
export type Seen = {
  readonly status: number
  readonly location: string
  readonly type: string
  readonly body: Buffer
  readonly json: any
}

type Body = { readonly type: string; readonly bytes: Uint8Array }

/** A body in JSON. */
export const json = (value: object): Body => ({
  type: 'application/json',
  bytes: new TextEncoder().encode(JSON.stringify(value)),
})

/** The message with which a client asks for previews with metadata. */
export const flags = '{"type": "feature_flags", "data": {"supports_preview_metadata": true}}'

/** A form with one file in the field `image`. */
export function form(filename: string, content: Uint8Array): Body {
  const [bytes, { 'Content-Type': type = '' }] = formOf({ name: 'image', filename, content })
  return { type, bytes: new Uint8Array(bytes) }
}

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
    body?: Body,
    headers?: Readonly<Record<string, string>>,
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
 * @param sent the headers of each handshake, and of each request that has no others.
 */
function recordingClient(place: Place, sent: Readonly<Record<string, string>>): RecordingClient {
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
  const request: RecordingClient['request'] = async (method, target, body, own = sent) => {
    const sentMs = stamp()
    const address = new URL(target, url).href
    const headers = { ...own, ...(body && { 'Content-Type': body.type }) }
    const reply = await fetch(address, {
      method,
      redirect: 'manual',
      headers,
      ...(body && { body: Buffer.from(body.bytes) }),
    })
    const bytes = Buffer.from(await reply.arrayBuffer())
    const [location = '', type = ''] = ['location', 'content-type'].map(
      (name) => reply.headers.get(name) ?? '',
    )
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
        headers: [...reply.headers],
        body: new Uint8Array(bytes),
      },
    })
    return { status: reply.status, location, type, body: bytes, json: parsed(bytes) }
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

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

type Server = { readonly url: string; readonly close: () => Promise<void> }

/** Starts a server, calls with it and with a client that records it, and closes both. */
export async function withClient<S extends Server, T>(
  start: (client: RecordingClient) => Promise<S>,
  use: (client: RecordingClient, server: S) => Promise<T>,
  place: Place = 'local',
  sent: Readonly<Record<string, string>> = {},
): Promise<T> {
  const client = recordingClient(place, sent)
  const server = await start(client)
  client.connectTo(server)
  try {
    return await use(client, server)
  } finally {
    client.close()
    await server.close()
  }
}

/** What a client saw of a new world on a manual clock. */
export const recordedWorld = (
  options: EmulatorOptions,
  use: (client: RecordingClient, world: Emulator) => Promise<unknown>,
  sent?: Readonly<Record<string, string>>,
): Promise<Recording> =>
  withClient(
    ({ onEntry }) => startEmulator({ clock: 'manual', epoch: startMs, ...options, onEntry }),
    async (client, world) => {
      await use(client, world)
      return client.recording()
    },
    options.deployment,
    sent,
  )

/** Advances the clock of a server, and waits for what it sends. */
export async function advance(
  client: RecordingClient,
  server: { readonly advance: (ms: number) => Promise<void> },
  ms: number,
): Promise<void> {
  await server.advance(ms)
  await client.received()
}

/** Advances the clock of a server until nothing is due, and waits for what it sends. */
export async function rest(
  client: RecordingClient,
  server: { readonly until: (what: 'idle') => Promise<void> },
): Promise<void> {
  await server.until('idle')
  await client.received()
}
