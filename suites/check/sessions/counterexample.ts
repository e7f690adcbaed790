// A session that breaks a law, as a failure reports it: sentences, the steps, and a recording of it for a file.

import type { Recording } from '../../../dist/emulator/internal.js'
import type { SessionLog } from './log.ts'
import type { Step } from './steps.ts'

/** A counterexample. */
export type SessionRecord = {
  readonly seed: number
  readonly steps: readonly Step[]
  /** What happened, in its order, as far as the clients can know it. */
  readonly recording: Recording
}

/** When a counterexample begins, in milliseconds since 1970. */
const BEGIN_MS = Date.UTC(2026, 0, 1)

/** What happened in a session: without the headers of requests and the tokens of sockets, which hold credentials. */
export function recordOf(seed: number, log: SessionLog): SessionRecord {
  const { deployment, steps, trace } = log
  const info = {
    version: 1,
    origin: `a session of flowdouble check, seed ${seed}`,
    place: deployment,
    seed: String(seed),
    steps,
  } as const
  const { exchanges, sockets } = trace.recording
  const first = Math.min(...exchanges.map(({ startMs }) => startMs), ...sockets.map(openOf))
  const at = (timeMs: number): number => BEGIN_MS + timeMs - first
  return {
    seed,
    steps,
    recording: {
      info,
      exchanges: exchanges.map((one) =>
        Object.assign({}, one, { startMs: at(one.startMs), endMs: at(one.endMs), headers: [] }),
      ),
      sockets: sockets.map((one) =>
        Object.assign({}, one, {
          openMs: at(one.openMs),
          url: one.url.replace(/(?<=[?&]token=)[^&]*/, 'redacted'),
          messages: one.messages.map((message) =>
            Object.assign({}, message, { atMs: at(message.atMs) }),
          ),
        }),
      ),
    },
  }
}

const openOf = ({ openMs }: Recording['sockets'][number]): number => openMs

/** How many sentences and steps a message contains. */
const MAX_SENTENCES = 5
const MAX_STEPS = 40

/** Thrown for a session that breaks a law. */
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
