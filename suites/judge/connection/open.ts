// Opens connections: every byte that the suites send to a server leaves through here. A host of the suites looks at each
// request and each message before its last byte leaves, however its bytes are written.

import { isUtf8 } from 'node:buffer'
import { connect, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { MAX_SEEN_BYTES, type Outgoing, type Watcher, watcherOf } from '../traffic.ts'
import { createAnswerReader } from './answers.ts'
import { createMessageReader } from './messages.ts'
import { createRequestReader, type WrittenRequest } from './requests.ts'

/** Connects to a host; nothing watches what is sent. */
export function connectTo(url: string): Socket {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const named = isIP(host) === 0 ? { servername: host } : {}
  return protocol === 'https:' || protocol === 'wss:'
    ? connectSecurely({ host, port: Number(port || 443), ...named })
    : connect({ host, port: Number(port || 80) })
}

/** Opens a connection without sending anything. */
export function openConnection(url: string): Socket {
  const socket = connectTo(url)
  const watcher = watcherOf(url)
  if (watcher === undefined) return socket
  socket.setNoDelay()
  return watched(socket, url, watcher)
}

/** The same connection behind a watcher. */
function watched(inner: Socket, url: string, watcher: Watcher): Socket {
  const base = new URL(url).pathname.replace(/\/$/, '')
  const written = createRequestReader()
  const messages = createMessageReader()
  /** Requests whose answers have not begun, and those whose answers are under way, oldest first. */
  const asked: { request: Outgoing }[] = []
  const answering: { request: Outgoing }[] = []
  const known = new Map<WrittenRequest, { request: Outgoing }>()
  let isSwitched = false

  const answers = createAnswerReader(() => {
    const next = asked.shift()
    if (next !== undefined) answering.push(next)
    return next?.request.method
  }, MAX_SEEN_BYTES)
  const outgoingOf = (one: WrittenRequest): Outgoing => ({
    url,
    method: one.method,
    path: one.target.startsWith(`${base}/`) ? one.target.slice(base.length) : one.target,
    headers: Object.fromEntries(one.fields),
    body: contentOf(one.body()),
  })
  const look = async (one: WrittenRequest): Promise<void> => {
    const request = outgoingOf(one)
    const entry = known.get(one) ?? { request }
    entry.request = request
    await watcher.guard(request, one.isWhole())
    if (!known.has(one)) asked.push(entry)
    known.set(one, entry)
    if (one.isWhole()) known.delete(one)
  }
  const permit = async (bytes: Buffer): Promise<void> => {
    if (isSwitched) {
      for (const one of messages(bytes)) watcher.guardMessage(one)
      return
    }
    const { requests, doubtful } = written.read(bytes)
    for (const one of requests) await look(one)
    if (doubtful === undefined) return
    const request = { url, method: '', path: '', headers: {}, body: contentOf(doubtful) }
    await watcher.guard(request, true)
    asked.push({ request })
  }
  const take = ({ status, bytes }: { readonly status: number; readonly bytes: Buffer }): void => {
    const entry = answering.shift()
    if (status === 101) isSwitched = true
    else if (entry !== undefined) watcher.reply(entry.request, status, bytes.toString())
  }

  const forward = async (bytes: Buffer, done: (error?: Error | null) => void): Promise<void> => {
    try {
      await permit(bytes)
    } catch (error) {
      done(error as Error)
      return
    }
    inner.write(bytes, done)
  }
  const outer = new Duplex({
    allowHalfOpen: false,
    write: (bytes: Buffer, _, done) => void forward(bytes, done),
    final: (done) => {
      inner.end()
      done()
    },
    read: () => void inner.resume(),
    destroy: (error, done) => {
      inner.destroy()
      done(error)
    },
  })
  inner.on('data', (bytes: Buffer) => {
    if (!isSwitched) answers.read(bytes).forEach(take)
    if (!outer.push(bytes)) inner.pause()
  })
  const end = (): void => {
    const last = answers.end()
    if (last !== undefined) take(last.answer)
    if (!outer.destroyed && !outer.readableEnded) outer.push(null)
  }
  inner.once('end', end)
  inner.once('close', () => {
    if (inner.readableEnded) return
    end()
  })
  inner.on('error', (error) => outer.destroy(error))
  for (const event of ['connect', 'secureConnect']) inner.on(event, () => outer.emit(event))
  // Who writes by hand need not listen.
  outer.on('error', () => undefined)
  // What HTTP clients ask of a socket.
  return Object.assign(outer, {
    setKeepAlive: (...given: Parameters<Socket['setKeepAlive']>) => inner.setKeepAlive(...given),
    setNoDelay: (...given: Parameters<Socket['setNoDelay']>) => inner.setNoDelay(...given),
    setTimeout: (ms: number) => inner.setTimeout(ms),
    ref: () => inner.ref(),
    unref: () => inner.unref(),
  }) as unknown as Socket
}

/** Bytes as a text if they are one. */
const contentOf = (bytes: Buffer): string | Uint8Array => (isUtf8(bytes) ? bytes.toString() : bytes)
