// Clients for connections that faults break: they record what arrives and how it ends, and judge nothing.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { Message } from './judge.ts'
import { openLine } from './edges.ts'
import type { Subject } from './subject.ts'
import { pythonJson } from '../../dist/emulator/session/index.js'

/** A connection by hand. */
export type RawConnection = {
  /** All bytes so far, one character each. */
  readonly received: () => string
  readonly write: (bytes: string | Uint8Array) => void
  /** Resolves when what has arrived matches; rejects if the connection ends first. */
  readonly until: (matches: (received: string) => boolean) => Promise<void>
  /** Ends the own side. */
  readonly end: () => void
  /** How the connection ended. */
  readonly ended: Promise<'ended' | 'reset'>
}

export function openRaw(url: string, sent: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  let received = ''
  let isReset = false
  socket.on('error', () => {
    isReset = true
  })
  // Node reports a reset behind unread bytes as an end: only a write shows the difference.
  socket.on('end', () => {
    if (!socket.writableEnded) socket.write(' ', () => socket.end())
  })
  const ended = new Promise<'ended' | 'reset'>((resolve) => {
    socket.on('close', () => resolve(isReset ? 'reset' : 'ended'))
  })
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  socket.write(sent)
  const until: RawConnection['until'] = async (matches) => {
    while (!matches(received)) {
      if (socket.destroyed) throw new Error(`The connection ended first. It received:\n${received}`)
      await Promise.race([once(socket, 'data'), ended])
    }
  }
  return {
    received: () => received,
    write: (bytes) => void socket.write(bytes),
    until,
    end: () => void socket.end(),
    ended,
  }
}

/** The text of a GET request by hand; on hosted with a key. */
export const getText = ({ deployment }: Subject, path: string): string =>
  deployment === 'local'
    ? `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`
    : `GET /api${path} HTTP/1.1\r\nHost: here\r\nX-API-Key: test-key\r\n\r\n`

/** The path of sockets with this client id; on hosted with a key. */
export const socketPath = ({ deployment, key }: Subject, clientId: string): string =>
  `/ws?clientId=${clientId}${deployment === 'hosted' ? `&token=${key}` : ''}`

/** The text of a WebSocket handshake. */
export const handshakeText = (subject: Subject, clientId: string): string =>
  [
    `GET ${socketPath(subject, clientId)} HTTP/1.1`,
    'Host: here',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

/** A socket whose messages are recorded as they come. */
export type PlainSocket = {
  readonly messages: readonly Message[]
  readonly frames: readonly Buffer[]
  /** The messages of a type. */
  readonly of: (type: string) => readonly Message[]
  /** Resolves when everything that the server has sent is here, by a ping. */
  readonly settled: () => Promise<void>
  /** The code with which it closed. */
  readonly closed: Promise<number>
  readonly close: () => Promise<number>
}

/** Opens a socket. Resolves when its handshake has succeeded; rejects if it fails. */
export async function openPlain(subject: Subject, clientId = 'me'): Promise<PlainSocket> {
  const messages: Message[] = []
  const frames: Buffer[] = []
  const take = (data: Buffer, isBinary: boolean): void => {
    if (isBinary) frames.push(data)
    else messages.push(pythonJson(data.toString()) as Message)
  }
  const line = openLine(subject.url, socketPath(subject, clientId), take)
  await line.opened
  const { settled, closed, close } = line
  const of = (type: string): readonly Message[] => messages.filter((one) => one.type === type)
  return { messages, frames, of, settled, closed, close }
}
