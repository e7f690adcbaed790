// A session that breaks an invariant, as a failure reports it: sentences, the steps, and a recording of it for a file.

import type { Recording } from '../../../dist/emulator/internal.js'
import type { Deployment } from '../../../spec/language.ts'
import { frames } from '../../../spec/server/frames.ts'
import { isMessage, type ReceivedItem } from '../../judge/client.ts'
import type { DecodedFrame } from '../../judge/decode.ts'
import { hostedPath } from '../../judge/subject.ts'
import type { Exchange, SessionLog, SocketLog } from './log.ts'
import type { Step } from './steps.ts'

/** A counterexample. */
export type SessionRecord = {
  readonly seed: number
  readonly steps: readonly Step[]
  /** What happened, in its order, as far as the clients can know it. */
  readonly recording: Recording
}

/** The time from one step to the next, and from one thing within a step to the next, in milliseconds. */
const STEP_MS = 1000
const THING_MS = 1
/** A reserved name: the recording names no real server. */
const HOST = 'target.invalid'

/** What happened in a session. */
export function recordOf(seed: number, log: SessionLog): SessionRecord {
  const { deployment, steps, exchanges, sockets } = log
  const info = {
    version: 1,
    origin: `a session of flowdouble check, seed ${seed}`,
    place: deployment,
    seed: String(seed),
    steps,
  } as const
  const beginMs = Date.UTC(2026, 0, 1)
  const things = steps.map(() => 0)
  const next = (step: number): number => {
    const before = things[step] ?? 0
    things[step] = before + THING_MS
    return beginMs + step * STEP_MS + before
  }
  const sent = exchanges.map((one, entry) => exchangeOf(deployment, one, entry, next(one.step)))
  const recorded = sockets.map((one, at) =>
    socketOf(deployment, one, exchanges.length + at, steps.length, next),
  )
  return { seed, steps, recording: { info, exchanges: sent, sockets: recorded } }
}

const encoder = new TextEncoder()
const bytesOf = (value: unknown): Uint8Array => {
  if (value === undefined || value === '') return new Uint8Array()
  return encoder.encode(typeof value === 'string' ? value : JSON.stringify(value))
}

function exchangeOf(
  deployment: Deployment,
  { method, path, request, status, type, reply }: Exchange,
  entry: number,
  startMs: number,
): Recording['exchanges'][number] {
  const target = deployment === 'hosted' ? hostedPath(method, path) : path
  return {
    entry,
    startMs,
    endMs: startMs + THING_MS / 2,
    method,
    url: `http://${HOST}${target}`,
    headers: [],
    body: bytesOf(request),
    response: { status, headers: [['content-type', type]], body: bytesOf(reply) },
  }
}

function socketOf(
  deployment: Deployment,
  { clientId, opened, marks, received }: SocketLog,
  entry: number,
  last: number,
  next: (step: number) => number,
): Recording['sockets'][number] {
  const token = deployment === 'hosted' ? '&token=redacted' : ''
  const openMs = next(opened)
  const messages = Array.from({ length: last - opened }, (_, at) => opened + at).flatMap((step) =>
    received
      .slice(marks[step] ?? 0, marks[step + 1])
      .map((item) => ({ from: 'server' as const, atMs: next(step), data: dataOf(item) })),
  )
  const url = `ws://${HOST}/ws?clientId=${encodeURIComponent(clientId)}${token}`
  return { entry, openMs, url, headers: [], messages, close: null }
}

const dataOf = (item: ReceivedItem): string | Uint8Array =>
  isMessage(item) ? JSON.stringify(item) : frameOf(item)

/** The bytes of a frame, by the layouts of the spec. */
function frameOf({ frame, fields }: DecodedFrame): Uint8Array {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const parts = frames[frame].fields.flatMap(({ name, is }): readonly Uint8Array[] => {
    const value = fields[name]
    if (typeof value === 'number') return [number(value)]
    const bytes = value instanceof Uint8Array ? value : bytesOf(value)
    return is.startsWith('prefixed') ? [number(bytes.length), bytes] : [bytes]
  })
  return new Uint8Array(Buffer.concat([number(frames[frame].type), ...parts]))
}

/** How many sentences and steps a message contains. */
const MAX_SENTENCES = 5
const MAX_STEPS = 40

/** Thrown for a session that breaks an invariant. */
export class Counterexample extends Error {
  override readonly name = 'AssertionError'
  readonly exchanges: SessionRecord

  constructor(faults: readonly string[], exchanges: SessionRecord) {
    const { seed, steps } = exchanges
    const shown = steps.slice(0, MAX_STEPS).map((step, at) => `  ${at} ${stepText(step)}`)
    const more = steps.length > MAX_STEPS ? [`  and ${steps.length - MAX_STEPS} more`] : []
    super(
      [
        ...faults.slice(0, MAX_SENTENCES),
        `The smallest session found (seed ${seed}, ${steps.length} steps):`,
        ...shown,
        ...more,
      ].join('\n'),
    )
    this.exchanges = exchanges
  }
}

/** A step in a few words. */
function stepText({ do: name, ...more }: Step): string {
  const values = Object.entries(more).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return [name, ...values].join(' ')
}
