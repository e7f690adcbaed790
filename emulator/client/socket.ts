// The socket of a client as a mailbox: everything that arrives waits there until it is read, including a broken
// connection.

import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { RawData } from 'ws'
import { failure } from './failure.ts'
import { parseLenient } from '../lib/json-text.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { socketAddressOf, unreachable } from './server.ts'
import type { Server } from './server.ts'

/** A JSON message of the socket. */
export type Message = { readonly type: string; readonly data: Fields }

/**
 * The client's clock, in milliseconds. `wait` resolves when the time is over, and immediately on
 * abort.
 */
export type Clock = {
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export const realClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

type Item = { readonly kind: 'message'; readonly message: Message } | { readonly kind: 'dropped' }

export type Feed = {
  readonly server: Server
  readonly clientId: string
  readonly clock: Clock
  readonly signal: AbortSignal
  items: Item[]
  wake: () => void
  socket: WebSocket | null
}

const itemsMax = 10_000
const firstStatusMs = 10_000
const closeMs = 1_000

/** A mailbox without a connection yet. */
export function newFeed(options: Pick<Feed, 'server' | 'clientId' | 'clock' | 'signal'>): Feed {
  return { ...options, items: [], wake: () => undefined, socket: null }
}

/**
 * Opens the socket and resolves with its first `status` (or after 10 s, for servers that
 * send none). Rejects with an `unreachable` or a `protocol` failure. A connection that breaks later
 * puts `dropped` into the mailbox.
 */
export async function connect(feed: Feed): Promise<void> {
  feed.signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    let isReady = false
    const socket = new WebSocket(socketAddressOf(feed.server, feed.clientId), {
      headers: feed.server.headers,
      perMessageDeflate: false,
      handshakeTimeout: firstStatusMs,
    })
    const ready = () => {
      isReady = true
      resolve()
    }
    const stop = new AbortController()
    const abort = () => socket.terminate()
    feed.signal.addEventListener('abort', abort, { once: true })
    feed.socket = socket
    socket.on('open', () => void feed.clock.wait(firstStatusMs, stop.signal).then(ready))
    socket.on('message', (bytes, isBinary) => {
      const message = isBinary ? undefined : parseMessage(bytes)
      if (message?.type === 'status') ready()
      if (message !== undefined) addItem(feed, { kind: 'message', message })
    })
    socket.on('error', (error) => reject(refusal(feed.server, error)))
    socket.on('close', () => {
      reject(refusal(feed.server, new Error('it closed the connection')))
      stop.abort()
      feed.signal.removeEventListener('abort', abort)
      if (isReady && feed.socket === socket) addItem(feed, { kind: 'dropped' })
    })
  })
}

/** Whether the socket is open. One that dropped has left `dropped` in the mailbox. */
export const isOpen = (feed: Feed): boolean =>
  feed.items.some(({ kind }) => kind === 'dropped') || feed.socket?.readyState === WebSocket.OPEN

/** The message in the text of a frame; undefined for everything else. */
function parseMessage(bytes: RawData): Message | undefined {
  try {
    const { type, data } = fieldsOf(parseLenient((bytes as Buffer).toString())) ?? {}
    return typeof type === 'string' ? { type, data: fieldsOf(data) ?? {} } : undefined
  } catch {
    return undefined
  }
}

function refusal(server: Server, error: Error): Error {
  if ('code' in error) return unreachable(server.shown, error)
  return failure(
    'protocol',
    `${server.shown} does not open a WebSocket at /ws (${error.message}). ${connectionHint(server, error.message)}`,
    {},
    error,
  )
}

function connectionHint({ deployment }: Server, reason: string): string {
  if (!/40[13]$/.test(reason))
    return 'Is that the address of a workflow server? Write it as http://host:port.'
  return deployment === 'hosted'
    ? 'Is the API key right?'
    : 'If it requires credentials, give them in the URL: --url "http://host:port/?token=TOKEN"'
}

function addItem(feed: Feed, item: Item): void {
  if (feed.items.length >= itemsMax) feed.items.shift()
  feed.items.push(item)
  feed.wake()
}

/** The next item; undefined if none comes within `ms`. */
export async function takeItem(feed: Feed, ms: number): Promise<Item | undefined> {
  if (feed.items.length === 0) {
    const arrived = new Promise<void>((resolve) => {
      feed.wake = resolve
    })
    const enough = new AbortController()
    const signal = AbortSignal.any([feed.signal, enough.signal])
    await Promise.race([arrived, feed.clock.wait(ms, signal)])
    enough.abort()
  }
  feed.signal.throwIfAborted()
  return feed.items.shift()
}

/** Closes the socket, without waiting for the server's close. */
export function disconnect(feed: Feed): void {
  const { socket } = feed
  feed.socket = null
  if (socket === null || socket.readyState === WebSocket.CLOSED) return
  const cut = setTimeout(() => socket.terminate(), closeMs)
  socket.on('close', () => clearTimeout(cut))
  socket.close()
}
