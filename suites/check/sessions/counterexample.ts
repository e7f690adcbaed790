// A session that breaks an invariant, as a failure reports it: sentences, the steps, and a list of exchanges for a file.

import { type Exchange, messagesOn, type SessionLog } from './log.ts'
import type { Step } from './steps.ts'

/** One line of a counterexample. */
type Line =
  | (Omit<Exchange, 'step'> & { readonly kind: 'exchange' })
  | {
      readonly kind: 'message'
      readonly client: string
      readonly message: unknown
    }

/** A counterexample as it is saved. */
export type SessionRecord = {
  readonly version: 1
  readonly seed: number
  readonly steps: readonly Step[]
  /** In the order in which they happened, as far as the clients can know it. */
  readonly exchanges: readonly (Line & { readonly step: number })[]
}

/** What happened in a session. */
export function recordOf(seed: number, { steps, exchanges, sockets }: SessionLog): SessionRecord {
  const lines = Array.from({ length: steps.length + 1 }, (_, step) => [
    ...exchanges
      .filter((one) => one.step === step)
      .map((one) => Object.assign({ kind: 'exchange' as const }, one)),
    ...sockets.flatMap((socket) =>
      messagesOn({
        ...socket,
        received: socket.received.slice(socket.marks[step], socket.marks[step + 1]),
      }).map((message) => ({ kind: 'message' as const, step, client: socket.client, message })),
    ),
  ])
  return { version: 1, seed, steps, exchanges: lines.flat() }
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
