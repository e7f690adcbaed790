// Lets agents and senders that are not the machine's own do what its effects ask for, and tells it how that ended.

import type { ReceiverEffect, ReceiverInput } from '../receiver/machine.ts'
import type { Agent, Deliveries } from './gateway-options.ts'

type Dispatch = (at: (atMs: number) => ReceiverInput) => void

export type Work = {
  /** Begins what the effects ask for, and ends what is over. */
  readonly carryOut: (effects: readonly ReceiverEffect[]) => void
  /** Ends all that is under way. */
  readonly stop: () => void
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** @param agent null where the scripted one answers; @param deliveries null where the outbox takes them. */
export function createWork(
  dispatch: Dispatch,
  agent: Agent | null,
  deliveries: Deliveries | null,
): Work {
  const underWay = new Map<string, AbortController>()
  const begin = <T>(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    end: (value: T | null, error: string | null) => (atMs: number) => ReceiverInput,
  ): void => {
    const controller = new AbortController()
    underWay.set(key, controller)
    const finish = (value: T | null, error: string | null): void => {
      underWay.delete(key)
      if (!controller.signal.aborted) dispatch(end(value, error))
    }
    // What throws before it promises anything has failed as well.
    const promise = Promise.resolve().then(() => work(controller.signal))
    void promise.then(
      (value) => finish(value, null),
      (error: unknown) => finish(null, reasonOf(error)),
    )
  }
  const stop = (key: string): void => {
    underWay.get(key)?.abort()
    underWay.delete(key)
  }
  const carryOut = (effects: readonly ReceiverEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'ask' && agent !== null) {
        const { id, run } = effect
        begin(
          `run ${id}`,
          (signal) => agent(run, signal),
          (value, error) => (atMs) => {
            return { kind: 'answered', atMs, run: id, answer: value ?? '', error }
          },
        )
      } else if (effect.kind === 'run' && effect.run.status !== 'running') stop(`run ${effect.id}`)
      else if (effect.kind === 'deliver' && deliveries !== null) {
        const { id, delivery } = effect
        begin(
          `delivery ${id}`,
          (signal) => deliveries(delivery, signal),
          (_, error) => (atMs) => ({ kind: 'delivered', atMs, delivery: id, error }),
        )
      } else if (effect.kind === 'outbox') stop(`delivery ${effect.id}`)
    }
  }
  return { carryOut, stop: () => [...underWay.keys()].forEach(stop) }
}
