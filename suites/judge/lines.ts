// Sockets as the suites use them: of the package ws, or the WebSocket of this process if the server is in it.

import { setImmediate } from 'node:timers/promises'
import { WebSocket as LibrarySocket } from 'ws'
import { isInProcess } from './edges.ts'

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
export const openLine = (url: string, path: string, take: Take): Line =>
  (isInProcess(url) ? openOwn : openLibrary)(url.replace(/^http/, 'ws') + path, take)

function openLibrary(url: string, take: Take): Line {
  const socket = new LibrarySocket(url)
  socket.on('message', take)
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
    send: (data) => socket.send(data),
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
