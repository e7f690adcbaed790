// Keeps the entries that an observer misses when a journal has lost its beginning: those that opened the open sockets, those
// of the runs that failed, are not over or still have a part in the journal, and the refused requests. The numbers of
// requests and runs since the start go on.

import type { Answer, Effect, Entry, Input } from '../machine.ts'
import { replacesState } from './request-log.ts'

/** The most failed runs, and the most refused requests; */
const MAX_FAILURES = 100
/** and the maximum total size of what the runs and requests hold, in bytes. */
const MAX_HELD_BYTES = 2 * 2 ** 20

export type NumberedEntry<I, E> = Entry<I, E> & { readonly n: number }

/** What is known of the entries that a journal has lost. */
export type Earlier<I, E> = {
  /** The number of requests and of runs since the start, */
  readonly requests: number
  readonly runs: number
  /** and the place of each kept run among them, from 1 on. */
  readonly places: Readonly<Record<string, number>>
  readonly entries: readonly NumberedEntry<I, E>[]
}

export type Landmarks<I, E> = {
  /**
   * @param bytes the approximate size of the entry.
   * @param first the number of the first entry that the journal has.
   */
  readonly add: (n: number, entry: Entry<I, E>, bytes: number, first: number) => void
  /** What is known of the entries from one number to before another. */
  readonly between: (from: number, to: number) => Earlier<I, E>
  /** Drops the oldest part of the runs and of the refused requests, from 0 to 1. */
  readonly trim: (part: number) => void
  /** The approximate size of the kept entries, in bytes. */
  readonly bytes: () => number
  /** All that it keeps, which still changes. */
  readonly save: () => SavedLandmarks<I, E>
}

/** All that is kept of the entries that a journal has lost, as plain data. */
export type SavedLandmarks<I, E> = {
  readonly sockets: ReadonlyMap<number, Held<I, E>>
  readonly runs: ReadonlyMap<string, Run<I, E>>
  readonly refused: ReadonlyMap<number, Held<I, E>>
  readonly failed: ReadonlySet<string>
  readonly ended: ReadonlySet<string>
  readonly requestCount: number
  readonly runCount: number
  readonly heldBytes: number
}

/** An entry with its size. */
type Held<I, E> = NumberedEntry<I, E> & { readonly bytes: number }

type Run<I, E> = {
  readonly place: number
  readonly entries: Held<I, E>[]
  /** The number of the entry with its end. */
  endedAt: number
}

/**
 * @param answerOf what an effect says about a request.
 * @param saved what others have kept.
 */
export function createLandmarks<I, E>(
  answerOf: (effect: E) => Answer | undefined,
  saved?: SavedLandmarks<I, E>,
): Landmarks<I, E> {
  const sockets = new Map(saved?.sockets)
  const runs = new Map(saved?.runs)
  const refused = new Map(saved?.refused)
  /** The ids of the runs that failed, and of those that ended well, each in order. */
  const [failed, ended] = [new Set(saved?.failed), new Set(saved?.ended)]
  let { requestCount, runCount, heldBytes } = saved ?? nothing

  const clear = (): void => {
    for (const kept of [sockets, runs, refused, failed, ended]) kept.clear()
    requestCount = runCount = heldBytes = 0
  }
  const hold = (entry: Held<I, E>): Held<I, E> => {
    heldBytes += entry.bytes
    return entry
  }
  const release = (entries: readonly (Held<I, E> | undefined)[]): void => {
    for (const one of entries) if (one !== undefined) heldBytes -= one.bytes
  }
  const dropRun = (id: string | undefined): void => {
    if (id === undefined) return
    release(runs.get(id)?.entries ?? [])
    for (const kept of [runs, failed, ended]) kept.delete(id)
  }
  const dropRefused = (n: number | undefined): void => {
    if (n === undefined) return
    release([refused.get(n)])
    refused.delete(n)
  }
  const begin = (id: string, entry?: Held<I, E>): Run<I, E> => {
    const run = {
      place: ++runCount,
      entries: entry === undefined ? [] : [hold(entry)],
      endedAt: NaN,
    }
    dropRun(id)
    runs.set(id, run)
    return run
  }
  const note = (id: string, entry: Held<I, E>): Run<I, E> => {
    const run = runs.get(id) ?? begin(id)
    if (run.entries.at(-1)?.n !== entry.n) run.entries.push(hold(entry))
    return run
  }
  const end = (id: string, entry: Held<I, E>, isFailed: boolean): void => {
    const run = note(id, entry)
    run.endedAt = entry.n
    ;(isFailed ? failed : ended).add(id)
    if (isFailed) return
    // Of a run that went well its submit and its begin are enough.
    release(run.entries.splice(2))
  }
  const noteEffect = (effect: Effect, entry: Held<I, E>, isPost: boolean): void => {
    if (effect.kind === 'reply') {
      if (effect.status >= 400) refused.set(entry.n, hold(entry))
      const run = isPost ? answerOf(effect as E)?.run : undefined
      if (run !== undefined) begin(run, entry)
    } else if (effect.kind === 'refuse') sockets.delete(effect.socket)
    else if (effect.kind === 'end' && effect.how !== 'silence')
      for (const socket of effect.sockets) sockets.delete(socket)
    else if (effect.kind === 'node') note(effect.prompt_id, entry)
    // The runs of a gateway are other ones.
    else if (effect.kind === 'run' && 'prompt_id' in effect) {
      if (effect.state === 'started') note(effect.prompt_id, entry)
      else end(effect.prompt_id, entry, effect.state !== 'success')
    } else if (effect.kind === 'restart' || effect.kind === 'exit')
      for (const [id, { endedAt }] of runs) if (Number.isNaN(endedAt)) end(id, entry, true)
  }
  const dropOldest = (): void => {
    if (runs.size > 0) dropRun(firstOf(runs.keys()))
    else dropRefused(firstOf(refused.keys()))
  }
  const isTooLarge = (): boolean => heldBytes > MAX_HELD_BYTES && runs.size + refused.size > 0
  const shrink = (first: number): void => {
    for (const id of ended) {
      if ((runs.get(id)?.endedAt ?? 0) >= first) break
      dropRun(id)
    }
    if (failed.size > MAX_FAILURES) dropRun(firstOf(failed))
    if (refused.size > MAX_FAILURES) dropRefused(firstOf(refused.keys()))
    while (isTooLarge()) dropOldest()
  }
  const add: Landmarks<I, E>['add'] = (n, { input, effects }, bytes, first) => {
    if (replacesState(input)) clear()
    const entry: Held<I, E> = { n, input, effects, bytes }
    const given = input as Input
    if (given.kind === 'request') requestCount++
    else if (given.kind === 'open') sockets.set(given.socket, entry)
    else if (given.kind === 'close') sockets.delete(given.socket)
    const isPost = given.kind === 'request' && given.method === 'POST'
    for (const effect of effects) noteEffect(effect as Effect, entry, isPost)
    shrink(first)
  }
  const between: Landmarks<I, E>['between'] = (from, to) => {
    const all = [
      sockets.values(),
      refused.values(),
      [...runs.values()].flatMap((run) => run.entries),
    ]
    const byNumber = new Map(all.flatMap((some) => [...some].map((one) => [one.n, one] as const)))
    return {
      requests: requestCount,
      runs: runCount,
      places: Object.fromEntries(Array.from(runs, ([id, { place }]) => [id, place])),
      entries: [...byNumber.values()]
        .filter(({ n }) => n >= from && n < to)
        .toSorted((a, b) => a.n - b.n),
    }
  }
  const trim = (part: number): void => {
    const bound = (1 - part) * heldBytes
    const isAbove = (): boolean => heldBytes > bound && runs.size + refused.size > 0
    while (isAbove()) dropOldest()
  }
  const save = (): SavedLandmarks<I, E> => ({
    sockets,
    runs,
    refused,
    failed,
    ended,
    requestCount,
    runCount,
    heldBytes,
  })
  return { add, between, trim, bytes: () => heldBytes, save }
}

const nothing = { requestCount: 0, runCount: 0, heldBytes: 0 }

const firstOf = <T>(all: Iterable<T>): T | undefined => {
  for (const one of all) return one
  return undefined
}
