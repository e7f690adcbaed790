// Records sessions of worlds for the cases about recorded traffic: each step gets a separate time, so that what is recorded
// is the same on every machine.

import { once } from 'node:events'
import { WebSocket } from 'ws'
import type {
  RecordedExchange,
  RecordedSocket,
  Recording,
} from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** A client whose traffic is recorded. */
export type RecordedClient = {
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly json: any }>
  /** Opens a socket, and resolves when its first message is here. */
  readonly connect: (path: string, first?: unknown) => Promise<WebSocket>
  /** Resolves when everything that was sent before is here. */
  readonly settle: () => Promise<void>
  /** What was recorded, with the sockets closed. */
  readonly end: () => Promise<Recording>
}

/** The time at which each recording begins. */
const BEGIN_MS = Date.UTC(2026, 0, 1)
/** The time from one thing to the next, in milliseconds. */
const STEP_MS = 10

/** Starts recording a server. */
export function recordAt(url: string, place: Place): RecordedClient {
  const exchanges: RecordedExchange[] = []
  const sockets: { recorded: Mutable<RecordedSocket>; open: WebSocket }[] = []
  let nowMs = BEGIN_MS
  const tick = (): number => (nowMs += STEP_MS)
  let entries = 0
  const settle = async (): Promise<void> => {
    for (const { open } of sockets) {
      open.ping()
      await once(open, 'pong')
    }
  }
  return {
    settle,
    send: async (method, path, body, headers = {}) => {
      const entry = entries++
      const startMs = tick()
      const bytes = bytesOf(body)
      const address = /^https?:/.test(path) ? path : url + path
      const reply = await fetch(address, {
        method,
        headers,
        redirect: 'manual',
        ...(bytes.length > 0 && { body: Buffer.from(bytes) }),
      })
      const received = new Uint8Array(await reply.arrayBuffer())
      const endMs = tick()
      const response = { status: reply.status, headers: [...reply.headers], body: received }
      const sent = Object.entries(headers)
      exchanges.push({
        entry,
        startMs,
        endMs,
        method,
        url: address,
        headers: sent,
        body: bytes,
        response,
      })
      await settle()
      return { status: reply.status, headers: reply.headers, json: parsed(received) }
    },
    connect: async (path, first) => {
      const address = url.replace('http', 'ws') + path
      const messages: RecordedSocket['messages'][number][] = []
      const recorded = {
        entry: entries++,
        openMs: tick(),
        url: address,
        headers: [],
        messages,
        close: null,
      }
      const open = new WebSocket(address)
      open.on('message', (data: Buffer, isBinary: boolean) =>
        messages.push({
          from: 'server',
          atMs: tick(),
          data: isBinary ? new Uint8Array(data) : data.toString(),
        }),
      )
      await once(open, 'message')
      sockets.push({ recorded, open })
      if (first !== undefined) {
        const data = JSON.stringify(first)
        messages.push({ from: 'client', atMs: tick(), data })
        open.send(data)
        await once(open, 'message')
      }
      return open
    },
    end: async () => {
      await settle()
      for (const { open } of sockets) open.terminate()
      const info = { version: 1, origin: 'a world of flowdouble', place } as const
      return { info, exchanges, sockets: sockets.map(({ recorded }) => recorded) }
    },
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array()
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function parsed(body: Uint8Array): any {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** A multipart body with one file in the field `image`. */
export const formOf = (name: string, bytes: Uint8Array) => ({
  headers: { 'Content-Type': 'multipart/form-data; boundary=edge' },
  body: Buffer.concat([
    Buffer.from(
      `--edge\r\nContent-Disposition: form-data; name="image"; filename="${name}"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n--edge--\r\n'),
  ]),
})
