// The sockets of an edge without a network: their handshakes, incoming messages, and the effects that go out to them.

import { limits } from '../../../spec/limits.ts'
import type { Effect, FrameContent, Headers, Input, SentFrame, SentMessage } from '../../machine.ts'
import type { Connect, SocketLine } from './client-socket.ts'
import type { Turns } from './turns.ts'

export type Sockets = {
  /** Connects a new socket at a target, with the headers of its handshake. */
  readonly connect: (target: string, headers: Headers, line: SocketLine) => ReturnType<Connect>
  /** Takes over a socket that the world knows as open. */
  readonly attach: (id: number, line: SocketLine) => ReturnType<Connect>
  /** Emits the socket effects of one step. */
  readonly emit: (effects: readonly Effect[]) => void
  readonly closeAll: () => void
  /** The id of its last socket. */
  readonly lastId: () => number
}

type SocketHooks = {
  readonly dispatch: (at: (atMs: number) => Input) => void
  readonly encode: (content: FrameContent) => Uint8Array
  readonly turns: Turns
  /** The id of the last socket before its first: those of a fork follow those of the other server. */
  readonly lastSocket: number
}

const NO_CLOSE_FRAME = 1006
const TOO_LARGE = 1009

export function createSockets({ dispatch, encode, turns, lastSocket }: SocketHooks): Sockets {
  /** Sockets in a handshake, and open ones. */
  const lines = new Map<number, SocketLine>()
  const accepted = new Set<number>()
  let lastId = lastSocket

  /** Forgets a socket, and reports to the world that it closed. */
  const close = (id: number): void => {
    accepted.delete(id)
    if (lines.delete(id)) dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
  }
  const serverSide = (id: number, line: SocketLine): ReturnType<Connect> => ({
    message: (data) => {
      if (sizeOf(data) > limits.clientMessage.value) {
        line.end(TOO_LARGE, '')
        close(id)
      } else if (typeof data === 'string' && lines.has(id))
        dispatch((atMs) => ({ kind: 'message', atMs, socket: id, text: data }))
    },
    closed: () => close(id),
  })
  const connect: Sockets['connect'] = (target, headers, line) => {
    const id = ++lastId
    lines.set(id, line)
    turns.add(() => {
      if (!lines.has(id)) return
      dispatch((atMs) => ({ kind: 'open', atMs, socket: id, target, headers }))
      if (!lines.has(id)) dispatch((atMs) => ({ kind: 'close', atMs, socket: id }))
    })
    return serverSide(id, line)
  }
  const attach: Sockets['attach'] = (id, line) => {
    lines.set(id, line)
    accepted.add(id)
    return serverSide(id, line)
  }
  const end = ({ sockets, how }: Extract<Effect, { kind: 'end' }>): void => {
    for (const id of sockets) {
      const line = lines.get(id)
      // Nothing is sent to it any more.
      lines.delete(id)
      if (how === 'reset' || !accepted.delete(id)) line?.end(NO_CLOSE_FRAME, '')
      else if (how !== 'silence') line?.end(how.close, 'The state of the server has changed.')
    }
  }
  const accept = (id: number): void => {
    accepted.add(id)
    lines.get(id)?.open(id)
  }
  const send = (effect: SentMessage | SentFrame): void => {
    // Of a message that breaks off, clients see only how its socket ends.
    if (effect.cutBytes !== undefined) return
    const data =
      effect.kind === 'send' ? effect.text : encode(effect.content).subarray(0, effect.shortBytes)
    for (const id of effect.sockets) lines.get(id)?.send(data)
  }
  const emit: Sockets['emit'] = (effects) => {
    for (const effect of effects) {
      if (effect.kind === 'accept') accept(effect.socket)
      if (effect.kind === 'refuse') {
        const line = lines.get(effect.socket)
        lines.delete(effect.socket)
        if (line?.refuse === undefined) line?.end(NO_CLOSE_FRAME, '')
        else line.refuse(effect)
      }
      if (effect.kind === 'end') end(effect)
      if (effect.kind === 'send' || effect.kind === 'frame') send(effect)
    }
  }
  const closeAll = (): void => {
    for (const line of lines.values()) line.end(1001, 'The server stops.')
    lines.clear()
  }
  return { connect, attach, emit, closeAll, lastId: () => lastId }
}

const encoder = new TextEncoder()

/** The size of a message in bytes, at most; texts that are certainly small are not encoded. */
const sizeOf = (data: string | Uint8Array): number =>
  typeof data !== 'string'
    ? data.length
    : data.length * 3 <= limits.clientMessage.value
      ? data.length
      : encoder.encode(data).length
