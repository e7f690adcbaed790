// The edges on which subjects run: Node sockets, the emulator in this process, or msw in front of it. Within the process,
// clients are the fetch and the WebSocket of this process.

import { setImmediate } from 'node:timers/promises'
import type { Emulator, EmulatorOptions } from 'flowdouble'
import type { InProcessEmulator, InProcessOptions } from 'flowdouble/browser'
import type { mswHandlers } from 'flowdouble/msw'
import type { SetupServer } from 'msw/node'
import { type ClientOptions, WebSocket as LibrarySocket } from 'ws'
import { openConnection } from './connection/open.ts'
import { addedHeaders, type Watcher, watcherOf } from './traffic.ts'

export const edges = ['node', 'fetch', 'msw'] as const
export type Edge = (typeof edges)[number]

const named = process.env['SUBJECT_EDGE'] ?? 'node'
/** The edge of subjects that do not name one: that of SUBJECT_EDGE, by default Node sockets. */
export const usualEdge: Edge = edges.find((edge) => edge === named) ?? 'node'

/** Starts an emulator on an edge. */
export const startOn = async (edge: Edge, options: EmulatorOptions): Promise<Emulator> =>
  edge === 'node'
    ? (await import('flowdouble')).startEmulator(options)
    : startInProcess(edge, options)

/** Emulators in this process by their addresses. */
const inProcess = new Set<InProcessEmulator>()

/** Whether an address is that of an emulator in this process. */
export const isInProcess = (url: string): boolean =>
  [...inProcess].some(({ addresses }) => addresses.includes(new URL(url).origin))

/** No fetch asks port 10080. */
let lastPort = 20_000

async function startInProcess(edge: 'fetch' | 'msw', options: EmulatorOptions): Promise<Emulator> {
  // No server listens there. Links have the next port.
  const port = (lastPort += 2)
  const url = `http://127.0.0.1:${port}`
  const { createEmulator, install } = await import('flowdouble/browser')
  const emulator = await createEmulator({ ...(options as InProcessOptions), url })
  const leave = edge === 'fetch' ? install(emulator) : await intercept(emulator)
  inProcess.add(emulator)
  const close = async (): Promise<void> => {
    await emulator.close()
    inProcess.delete(emulator)
    leave()
  }
  return { ...emulator, port, ca: null, close }
}

/** The handlers of the emulators behind msw. */
const intercepted = new Map<InProcessEmulator, ReturnType<typeof mswHandlers>>()
let server: SetupServer | undefined

/** Puts msw in front of an emulator. Returns a function that removes it. */
async function intercept(emulator: InProcessEmulator): Promise<() => void> {
  const { mswHandlers: handlersOf } = await import('flowdouble/msw')
  const { setupServer } = await import('msw/node')
  if (globalThis.WebSocket === undefined) {
    const { WebSocket } = await import('undici')
    Object.assign(globalThis, { WebSocket })
  }
  intercepted.set(emulator, handlersOf(emulator))
  const own = (server ??= setupServer())
  if (intercepted.size === 1) own.listen({ onUnhandledRequest: 'bypass' })
  const update = (): void => own.resetHandlers(...[...intercepted.values()].flat())
  update()
  return () => {
    // A world can be closed twice, msw 3 cannot.
    if (!intercepted.delete(emulator)) return
    if (intercepted.size > 0) return update()
    own.close()
  }
}

/** A socket as the suites use it: of the package ws, or the WebSocket of this process if the server is in it. */
export type Line = {
  readonly opened: Promise<unknown>
  /** Resolves with the code of the close event. */
  readonly closed: Promise<number>
  readonly isOpen: () => boolean
  readonly send: (data: string | Uint8Array) => void
  /** Resolves when the server has read everything that was sent before, and its answers are here. */
  readonly settled: () => Promise<void>
  readonly close: () => Promise<number>
}

type Take = (data: Buffer, isBinary: boolean) => void

/** Opens a socket at a path with its query. */
export function openLine(url: string, path: string, take: Take): Line {
  const target = watcherOf(url)?.socket(url, path) ?? path
  if (isInProcess(url)) return openOwn(url.replace(/^http/, 'ws') + target, take)
  return openLibrary(openSocket(url, target), watcherOf(url), take)
}

/** A frame in the log of the wire. */
const frameText = (data: Buffer): string =>
  data.length < 4
    ? `frame of ${data.length} bytes`
    : `frame of type ${data.readUInt32BE(0)}, ${data.length} bytes`

/** Opens a socket of the package ws. */
export const openSocket = (
  url: string,
  target: string,
  { headers = {}, ...more }: ClientOptions = {},
): LibrarySocket =>
  new LibrarySocket(url.replace(/^http/, 'ws') + target, {
    ...more,
    headers: { ...addedHeaders(url), ...headers },
    createConnection: () => openConnection(url),
  })

function openLibrary(socket: LibrarySocket, watcher: Watcher | undefined, take: Take): Line {
  socket.on('message', (data: Buffer, isBinary) => {
    watcher?.message('received', isBinary ? frameText(data) : data.toString())
    take(data, isBinary)
  })
  socket.on('close', (code) => watcher?.message('received', `socket closed with ${code}`))
  socket.on('error', () => undefined)
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  const opened = new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  let pings = 0
  return {
    opened,
    closed,
    isOpen: () => socket.readyState <= LibrarySocket.OPEN,
    send: (data) => {
      watcher?.message('sent', typeof data === 'string' ? data : `${data.length} bytes`)
      socket.send(data)
    },
    settled: () => ping(socket, `${++pings}`, closed),
    close: () => {
      socket.close()
      return closed
    },
  }
}

/** Sends a ping. Resolves when its answer is here, and rejects if the socket closes first. */
const ping = (socket: LibrarySocket, id: string, closed: Promise<unknown>): Promise<void> =>
  new Promise((resolve, reject) => {
    const take = (data: Buffer): void => {
      if (data.toString() !== id) return
      socket.off('pong', take)
      resolve()
    }
    socket.on('pong', take)
    void closed.then(() => reject(new Error('The socket closed first.')))
    socket.ping(id)
  })

/** Opens a socket of the WebSocket that this process has. */
function openOwn(url: string, take: Take): Line {
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  socket.addEventListener('message', ({ data }: { data: string | ArrayBuffer }) =>
    typeof data === 'string' ? take(Buffer.from(data), false) : take(Buffer.from(data), true),
  )
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve(code)),
  )
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    void closed.then((code) => reject(new Error(`The socket closed with ${code}.`)))
  })
  return {
    opened,
    closed,
    isOpen: () => socket.readyState <= socket.OPEN,
    send: (data) => socket.send(data),
    // Within a process all messages travel in microtasks, before the next turn of the event loop.
    settled: async () => {
      if (socket.readyState > socket.OPEN) throw new Error('The socket closed first.')
      await setImmediate()
    },
    close: () => {
      socket.close()
      return closed
    },
  }
}
