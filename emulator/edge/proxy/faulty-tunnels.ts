// Passes sockets on to the target of a proxy while faults are played on them. Each message of the server is read and written anew,
// without compression, as faults say; what the client sends passes as it is. The recording has what the server sent.

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { PlayedEnd, PlayedFault, RecordedClose } from '../../../spec/recording.ts'
import type { SocketEnd } from '../../machine.ts'
import { targetOf } from '../../session/recording.ts'
import { cutFrame, frameOf, opcodes, reset, resetConnection } from '../node/broken-connections.ts'
import { readHeaders } from '../node/http.ts'
import { type ProxyParts, unreachableText } from './exchanges.ts'
import type { FaultPlayer, SocketEffect } from './fault-player.ts'
import { createMessageReader } from './message-reader.ts'
import { monotonicTimeMs } from './sink.ts'
import {
  admit,
  type Handshake,
  newSocket,
  passRefusal,
  refuse,
  report,
  urlOf,
  writeHead,
} from './tunnels.ts'
import { headersFor } from './upstream.ts'

/** Passes a handshake on when faults let it pass, and then the messages of the socket. */
export function passFaultySocket(
  parts: ProxyParts,
  player: FaultPlayer,
  message: IncomingMessage,
  client: Duplex,
  head: Buffer,
): void {
  const startMs = monotonicTimeMs()
  const place = admit(parts, message, client)
  if (place === undefined) return
  const headers = headersFor(message, place).filter(([name]) => !/^sec-websocket-ext/i.test(name))
  const handshake = { startMs, place, headers }
  const socket = newSocket()
  let step: 'arrived' | 'passed' | 'refused' = 'arrived'
  /** What faults do before the server has answered. */
  const early: SocketEffect[] = []
  let wire: ((effect: SocketEffect) => void) | undefined

  const dial = (): void => {
    step = 'passed'
    const call = parts.upstream.begin(message, place, headers)
    call.on('upgrade', (response, target, targetHead) => {
      writeHead(client, response)
      const ends = { client, target, clientHead: head, targetHead }
      wire = connect(parts, player, { ...handshake, socket }, ends)
      for (const effect of early) wire(effect)
    })
    call.on('response', (response) => passRefusal(parts, handshake, response, client))
    call.on('error', (error) => {
      if (client.destroyed) return
      report(parts, handshake, null)
      refuse(client, 502, unreachableText(place, error))
    })
    client.once('close', () => call.destroy())
    call.end()
  }
  /** The fault answers the handshake in place of the server. */
  const answer = (effect: SocketEffect, mark: PlayedFault | undefined): void => {
    step = 'refused'
    const fault = mark && { ...mark, answers: true as const }
    if (effect.kind !== 'refuse') {
      report(parts, handshake, null, fault)
      return void resetConnection(client)
    }
    const body = Buffer.from(effect.body as string)
    const own = Object.entries(effect.headers)
    report(parts, handshake, { status: effect.status, headers: own, body }, fault)
    const ending = [
      ['Content-Length', String(body.length)],
      ['Connection', 'close'],
    ] as const
    const statusMessage = STATUS_CODES[effect.status] ?? ''
    writeHead(client, { statusCode: effect.status, statusMessage }, [...own, ...ending])
    client.end(body)
  }
  client.once('close', () => player.close(socket))
  const asked = { method: 'GET', target: targetOf(place.recorded), headers: readHeaders(message) }
  player.open(socket, asked, (effect, mark) => {
    if (effect.kind === 'pass') dial()
    else if (wire !== undefined) wire(effect)
    else if (step === 'passed') early.push(effect)
    else answer(effect, mark)
  })
}

type Ends = {
  readonly client: Duplex
  readonly target: Duplex
  readonly clientHead: Buffer
  readonly targetHead: Buffer
}

/** Connects both sides; returns what faults do to the socket. */
function connect(
  { sink, untilStopped, waitFor }: ProxyParts,
  player: FaultPlayer,
  { socket, startMs, place, headers }: Handshake & { readonly socket: number },
  { client, target, clientHead, targetHead }: Ends,
): (effect: SocketEffect) => void {
  let isOpen = true
  /** Whether a fault has ended the socket: nothing that the server still sends reaches the client. */
  let isEnded = false
  const close = (end: Omit<RecordedClose, 'atMs'>): void => {
    if (!isOpen) return
    isOpen = false
    forget()
    sink.close(socket, { ...end, atMs: monotonicTimeMs() })
  }
  // A socket that is open when the recording ends has no end in it.
  const forget = untilStopped(() => (isOpen = false))
  const url = urlOf(place).replace(/^http/, 'ws')
  sink.open(socket, { entry: 0, openMs: startMs, url, headers, messages: [], close: null })

  /** Writes to the client; a client that reads slowly slows the server down. */
  const write = (bytes: Buffer): void => {
    if (isEnded || client.destroyed || client.write(bytes)) return
    target.pause()
    client.once('drain', () => target.resume())
  }
  const readClient = createMessageReader(true, '', {
    message: (data) => {
      if (!isEnded) sink.message(socket, { from: 'client', atMs: monotonicTimeMs(), data })
    },
    close: (code, reason) => close({ by: 'client', code, ...(reason !== '' && { reason }) }),
  })
  const readServer = createMessageReader(false, '', {
    message: (data) => {
      // What the server has sent before it saw its client leave.
      if (isEnded) return
      const atMs = monotonicTimeMs()
      player.message(socket, data, (fault) =>
        sink.message(socket, { from: 'server', atMs, data, ...(fault && { fault }) }),
      )
    },
    close: (code, reason) => {
      close({ by: 'server', code, ...(reason !== '' && { reason }) })
      write(closeFrame(code === 1005 ? undefined : code, reason))
    },
    ping: (data) => write(frameOf(data, opcodes.ping)),
    pong: (data) => write(frameOf(data, opcodes.pong)),
  })
  const take = (from: Duplex, read: typeof readClient, first: Buffer): (() => Promise<void>) => {
    let last = Promise.resolve()
    const add = (chunk: Buffer): void => {
      last = read(chunk)
      waitFor(last)
    }
    if (first.length > 0) add(first)
    from.on('data', add)
    return () => last
  }
  take(client, readClient, clientHead)
  if (clientHead.length > 0) target.write(clientHead)
  client.pipe(target)
  client.on('end', () => close({ by: 'client', code: 1006 }))
  client.on('error', () => {
    close({ by: 'client', code: 1006 })
    reset(target)
  })
  client.once('close', () => {
    close({ by: 'client', code: 1006 })
    target.end(() => target.destroy())
  })
  const allRead = take(target, readServer, targetHead)
  target.on('error', () => {
    close({ by: 'server', code: 1006 })
    if (!isEnded) reset(client)
    target.destroy()
  })
  target.once('close', () => {
    void allRead().then(ended)
  })

  const ended = (): void => {
    close({ by: 'server', code: 1006 })
    if (!isEnded) client.end(() => client.destroy())
  }
  const end = (how: SocketEnd): void => {
    if (isEnded) return
    const fault: PlayedEnd = typeof how === 'string' ? how : 'close'
    // The server sees its client leave.
    close({ by: 'client', code: 1006, fault })
    if (typeof how === 'object') write(closeFrame(how.close, ''))
    isEnded = true
    client.unpipe(target)
    client.resume()
    target.destroy()
    if (how === 'reset') void resetConnection(client)
    else if (typeof how === 'object') endAfterAnswer(client)
  }
  return (effect) => {
    if (effect.kind === 'end') return end(effect.how)
    if (effect.kind !== 'deliver') return
    const { data, cutBytes } = effect
    const isText = typeof data === 'string'
    const frame = frameOf(Buffer.from(data as string), isText ? opcodes.text : opcodes.binary)
    write(cutBytes === undefined ? frame : cutFrame(frame, cutBytes))
  }
}

function closeFrame(code: number | undefined, reason: string): Buffer {
  const payload = Buffer.alloc(code === undefined ? 0 : 2)
  if (code !== undefined) payload.writeUInt16BE(code)
  return frameOf(Buffer.concat([payload, Buffer.from(reason)]), opcodes.close)
}

/** How long to wait for the close frame of a client, in milliseconds. */
const MAX_WAIT_MS = 500

/** Ends a connection when its client has answered the close frame. */
function endAfterAnswer(client: Duplex): void {
  const timer = setTimeout(() => client.destroy(), MAX_WAIT_MS)
  client.once('close', () => clearTimeout(timer))
  client.once('data', () => client.end())
}
