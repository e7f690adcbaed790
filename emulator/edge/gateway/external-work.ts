// Runs external agents and senders for the effects of the machine, and reports their results back to it.

import type { FailureFacts, GatewayEffect, GatewayInput } from '../../gateway/state/inputs.ts'
import { timeOuts } from '../../gateway/outbox.ts'
import { MAX_TIMER_MS } from '../driver.ts'
import type { Agent, Deliveries } from '../../options/gateway.ts'

type Dispatch = (at: (atMs: number) => GatewayInput) => void

export type Work = {
  /** Starts the work that effects request, and ends the work that is no longer needed. */
  readonly emit: (effects: readonly GatewayEffect[]) => void
  /** Resolves when one piece of running work has ended; undefined if none is running. */
  readonly ended: () => Promise<void> | undefined
  /** Ends all running work. */
  readonly stop: () => void
}

const failureReason = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** What an error says of the failure beside its text: a status, and how long to wait. */
function factsIn(error: unknown): FailureFacts {
  if (typeof error !== 'object' || error === null) return {}
  const { status, retryAfterMs } = error as Readonly<Record<string, unknown>>
  const isStatus = Number.isInteger(status) && Number(status) >= 100 && Number(status) < 600
  const isPause = typeof retryAfterMs === 'number' && retryAfterMs >= 0
  return {
    ...(isStatus && { status: status as number }),
    ...(isPause && { retryAfterMs }),
  }
}

/** Time limits for work in real time, in milliseconds. */
export type WorkTimeOuts = { readonly runMs: number; readonly deliveryMs: number }

/**
 * @param agent null for the scripted agent.
 * @param deliveries null to record deliveries in the outbox.
 * @param realTimeOuts null if the clock of the machine applies the time limits.
 * @param noteAgent called with the process of a run, if it has one.
 */
export function createWork(
  dispatch: Dispatch,
  agent: Agent | null,
  deliveries: Deliveries | null,
  realTimeOuts: WorkTimeOuts | null,
  noteAgent: (key: string, pid: number) => void,
): Work {
  let waiting: (() => void)[] = []
  const notifyEnded = (): void => {
    const resolvers = waiting
    waiting = []
    for (const resolve of resolvers) resolve()
  }
  const underWay = new Map<string, AbortController>()
  const begin = <T>(
    key: string,
    work: (signal: AbortSignal) => PromiseLike<T>,
    end: (
      value: T | null,
      error: string | null,
      facts: FailureFacts,
    ) => (atMs: number) => GatewayInput,
    late: { readonly afterMs: number | undefined; readonly error: string },
  ): void => {
    const controller = new AbortController()
    underWay.set(key, controller)
    const finish = (value: T | null, error: string | null, facts: FailureFacts): void => {
      clearTimeout(timer)
      underWay.delete(key)
      if (!controller.signal.aborted) dispatch(end(value, error, facts))
      notifyEnded()
    }
    const giveUp = (): void => dispatch(end(null, late.error, {}))
    const timer =
      late.afterMs === undefined
        ? undefined
        : setTimeout(giveUp, Math.min(late.afterMs, MAX_TIMER_MS))
    controller.signal.addEventListener('abort', () => clearTimeout(timer))
    // A function that throws before it returns a promise has failed as well.
    const promise = Promise.resolve().then(() => {
      // Do not start work that the same step has already ended.
      controller.signal.throwIfAborted()
      return work(controller.signal)
    })
    void promise.then(
      (value) => finish(value, null, {}),
      (error: unknown) => finish(null, failureReason(error), factsIn(error)),
    )
  }
  const stop = (key: string): void => {
    underWay.get(key)?.abort()
    underWay.delete(key)
    notifyEnded()
  }
  const emit = (effects: readonly GatewayEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'ask' && agent !== null) {
        const { id, run } = effect
        begin(
          `run ${id}`,
          (signal) => agent(run, signal, (pid) => noteAgent(run.key, pid)),
          (value, error) => (atMs) => {
            return { kind: 'answered', atMs, run: id, answer: value ?? '', error }
          },
          { afterMs: realTimeOuts?.runMs, error: timeOuts.run },
        )
      } else if (effect.kind === 'run' && effect.run.status !== 'running') stop(`run ${effect.id}`)
      else if (effect.kind === 'deliver' && deliveries !== null) {
        const { id, delivery } = effect
        begin(
          `delivery ${id}`,
          (signal) => deliveries(delivery, signal),
          (_, error, facts) => (atMs) => ({
            kind: 'delivered',
            atMs,
            delivery: id,
            error,
            ...facts,
          }),
          { afterMs: realTimeOuts?.deliveryMs, error: timeOuts.delivery },
        )
      } else if (effect.kind === 'outbox') stop(`delivery ${effect.id}`)
    }
  }
  const ended = (): Promise<void> | undefined =>
    underWay.size === 0 ? undefined : new Promise((resolve) => waiting.push(resolve))
  return { emit, ended, stop: () => [...underWay.keys()].forEach(stop) }
}
