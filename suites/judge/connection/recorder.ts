// Records what a subject sends and receives, so that the laws can judge it.

import type {
  RecordedExchange,
  RecordedMessage,
  RecordedSocket,
  Recording,
} from '../../../dist/emulator/internal.js'
import type { Deployment } from '../../../spec/language.ts'
import type { HttpClient } from '../http-client.ts'

/** A reserved name: what is recorded names no server. */
const HOST = 'target.invalid'

export type Recorder = {
  /** A client whose exchanges are recorded. */
  readonly recorded: (client: HttpClient) => HttpClient
  /** Notes a socket. The list fills while it is open. */
  readonly socket: (target: string, messages: readonly RecordedMessage[]) => void
  /** What has happened since the last call. */
  readonly take: () => Recording
}

const bytesOf = (body: string | Uint8Array = ''): Uint8Array =>
  typeof body === 'string' ? Buffer.from(body) : body

/** Records the traffic of a subject. */
export function createRecorder(deployment: Deployment): Recorder {
  let exchanges: RecordedExchange[] = []
  let sockets: RecordedSocket[] = []
  const recorded = (client: HttpClient): HttpClient => ({
    ...client,
    send: async (method, path, headers, body) => {
      const startMs = performance.now()
      const answer = await client.send(method, path, headers, body)
      exchanges.push({
        entry: 0,
        startMs,
        endMs: performance.now(),
        method,
        url: `http://${HOST}${path}`,
        headers: Object.entries(headers),
        body: bytesOf(body),
        response: {
          status: answer.status,
          headers: Object.entries(answer.headers),
          body: answer.bytes,
        },
      })
      return answer
    },
  })
  const socket: Recorder['socket'] = (target, messages) => {
    const url = `ws://${HOST}${target}`
    sockets.push({ entry: 0, openMs: performance.now(), url, headers: [], messages, close: null })
  }
  const take = (): Recording => {
    const begun = exchanges.toSorted((left, right) => left.startMs - right.startMs)
    const info = { version: 1, origin: 'a case', place: deployment } as const
    const numbered = <T extends object>(one: T, entry: number): T => ({ ...one, entry })
    const taken = { info, exchanges: begun.map(numbered), sockets: sockets.map(numbered) }
    exchanges = []
    sockets = []
    return taken
  }
  return { recorded, socket, take }
}
