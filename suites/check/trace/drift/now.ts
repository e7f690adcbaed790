// What came now as a recording: what was sent then, with the replies, messages and frames of now.

import type { RecordedExchange, RecordedSocket } from '../../../../dist/emulator/internal.js'
import { isMessage, type Session } from '../../../judge/client.ts'
import { type Trace, type TracedSocket, traceOf } from '../../../../dist/emulator/session/index.js'
import type { Played } from './play.ts'

/** The trace of what came now; undefined if nothing did. */
export function traceOfNow(then: Trace, played: Played): Trace | undefined {
  const { place, recording } = then
  const exchanges = played.replayed.flatMap(({ exchange, reply }): readonly RecordedExchange[] => {
    if (reply === undefined) return []
    const { status, headers, bytes } = reply
    const { replace } = played.identities
    const { url, body, ...rest } = exchange.recorded
    const response = { status, headers: Object.entries(headers), body: new Uint8Array(bytes) }
    return [{ ...rest, url: replace(url), body: replacedBytes(body, replace), response }]
  })
  const sockets = [...played.sessions].map(([socket, session]) =>
    socketOf(socket, session, played.marks),
  )
  const info = { version: 1, origin: 'what came now', place } as const
  return traceOf({ info: recording.info ?? info, exchanges, sockets }, 'now', place)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function replacedBytes(body: Uint8Array, replace: (text: string) => string): Uint8Array {
  try {
    return new TextEncoder().encode(replace(decoder.decode(body)))
  } catch {
    return body
  }
}

function socketOf(
  socket: TracedSocket,
  { received, rawFrames }: Session,
  marks: Played['marks'],
): RecordedSocket {
  const own = marks.filter((mark) => mark.socket === socket)
  let frames = 0
  const messages = received.map((item, at) => ({
    from: 'server' as const,
    atMs: own.find((mark) => mark.received > at)?.atMs ?? Infinity,
    data: isMessage(item) ? JSON.stringify(item) : new Uint8Array(rawFrames[frames++] ?? []),
  }))
  const sent = socket.recorded.messages.filter(({ from }) => from === 'client')
  const all = [...messages, ...sent].toSorted((a, b) => a.atMs - b.atMs)
  return { ...socket.recorded, messages: all }
}
