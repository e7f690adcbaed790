// Records what a subject sends and receives, so that the laws can judge it.

import type {
  RecordedExchange,
  RecordedMessage,
  RecordedSocket,
  Recording,
} from '../../../dist/emulator/internal.js'
import type { Place } from '../../../spec/language.ts'
import type { Answer } from '../http-client.ts'

/** A reserved name: what is recorded names no server. */
export const RECORDED_HOST = 'target.invalid'

export type Recorder = {
  /** Notes a request that is being sent, and its answer when that is here. */
  readonly note: (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
    answer: Promise<Answer>,
  ) => Promise<void>
  /** Notes a socket. The list fills while it is open. */
  readonly socket: (target: string, messages: readonly RecordedMessage[]) => void
  /** What has happened since the last call. */
  readonly take: () => Recording
}

const bytesOf = (body: string | Uint8Array = ''): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body

/** Records the traffic of a subject. */
export function createRecorder(place: Place): Recorder {
  let exchanges: RecordedExchange[] = []
  let sockets: RecordedSocket[] = []
  const note: Recorder['note'] = async (method, path, headers, body, answer) => {
    const startMs = performance.now()
    const { status, headers: received, bytes } = await answer
    exchanges.push({
      entry: 0,
      startMs,
      endMs: performance.now(),
      method,
      url: `http://${RECORDED_HOST}${path}`,
      headers: Object.entries(headers),
      body: bytesOf(body),
      response: { status, headers: Object.entries(received), body: bytes },
    })
  }
  const socket: Recorder['socket'] = (target, messages) => {
    const url = `ws://${RECORDED_HOST}${target}`
    sockets.push({ entry: 0, openMs: performance.now(), url, headers: [], messages, close: null })
  }
  const take = (): Recording => {
    const begun = exchanges.toSorted((left, right) => left.startMs - right.startMs)
    const info = { version: 1, origin: 'a case', place } as const
    const numbered = <T extends object>(one: T, entry: number): T => ({ ...one, entry })
    const taken = { info, exchanges: begun.map(numbered), sockets: sockets.map(numbered) }
    exchanges = []
    sockets = []
    return taken
  }
  return { note, socket, take }
}
