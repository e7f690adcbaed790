// Records what a subject sends and receives, and which laws its case breaks on purpose, so that the laws can judge it.

import type {
  RecordedExchange,
  RecordedMessage,
  RecordedSocket,
  Recording,
} from '../../dist/emulator/internal.js'
import type { Place } from '../../spec/language.ts'
import type { RuleId } from '../../spec/rules.ts'
import type { Answer } from '../judge/http-client.ts'

/** A reserved name: what is recorded names no server. */
export const RECORDED_HOST = 'target.invalid'

/** What the laws judge of a case. */
export type Traffic = {
  /** Says that the case breaks laws about these rules on purpose, by what it sends. */
  readonly breaks: (...ids: readonly RuleId[]) => void
  /** The rules whose laws it breaks on purpose. */
  readonly broken: ReadonlySet<RuleId>
  /** What has been sent and received since the last call. */
  readonly recording: () => Recording
}

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
  readonly traffic: Traffic
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
  const recording = (): Recording => {
    const begun = exchanges.toSorted((left, right) => left.startMs - right.startMs)
    const info = { version: 1, origin: 'a case', place } as const
    const numbered = <T extends object>(one: T, entry: number): T => ({ ...one, entry })
    const taken = { info, exchanges: begun.map(numbered), sockets: sockets.map(numbered) }
    exchanges = []
    sockets = []
    return taken
  }
  const broken = new Set<RuleId>()
  const breaks: Traffic['breaks'] = (...ids) => ids.forEach((id) => broken.add(id))
  return { note, socket, traffic: { breaks, broken, recording } }
}
