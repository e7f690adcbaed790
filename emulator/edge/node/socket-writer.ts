// Writes to sockets: one write per socket for the messages of a step. Readers that stall or fall behind hold up nothing.

import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { limits } from '../../../spec/limits.ts'

/** How long to wait for a socket that does not read, in milliseconds: its client may be waiting for a response. */
export const MAX_STALL_MS = 500

/** How many bytes to collect at most before writing. */
const MAX_CORKED_BYTES = 256 * 2 ** 10

/** An open socket. */
export type Connection = {
  readonly raw: Duplex
  readonly socket: WebSocket
  /** Closes the socket for a reason of the server. */
  readonly close: WebSocket['close']
  /** Resolves when the last message is compressed and written; only with compression. */
  written?: Promise<void>
  /** Whether its reader has stalled for so long that nothing waits for it any more. */
  isStalled?: boolean
}

export type Writer = {
  readonly send: (connection: Connection, bytes: Uint8Array | string, binary: boolean) => void
  /** Writes what a step has sent, unless it is part of a batch. */
  readonly endStep: () => void
  /** Combines everything sent during the work into one write per socket, up to a limit. */
  readonly batch: (work: () => void) => void
}

export function createWriter(compresses: boolean): Writer {
  /** Corked sockets, which combine the messages of a step into one write. */
  const corked = new Set<Duplex>()
  let isBatching = false

  const uncork = (): void => {
    // Even an empty set takes time to clear.
    if (corked.size === 0) return
    for (const raw of corked) raw.uncork()
    corked.clear()
  }
  const send: Writer['send'] = (connection, bytes, binary) => {
    const { raw, socket } = connection
    if (socket.readyState !== 1) return
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
  const endStep = (): void => {
    if (!isBatching) uncork()
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
  return { send, endStep, batch }
}

/** Resolves when everything has been handed to the system, or the reader has stalled. */
export async function flush(connection: Connection): Promise<void> {
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
