// The latest agent runs and deliveries of a gateway, collected from effects.

import { limits } from '../../spec/limits.ts'
import { createBounded, get, put, takeOldest, type Bounded } from '../lib/bounded.ts'
import type { GatewayEffect } from './state/inputs.ts'
import type { AgentRun, OutboxEntry } from './state/run.ts'

/** Entries by key, and their total size in characters. */
type RecentItems<T> = {
  readonly entries: Bounded<T>
  characters: number
  readonly sizeOf: (one: T) => number
}

export type Recent = {
  readonly runs: RecentItems<AgentRun>
  readonly outbox: RecentItems<OutboxEntry>
}

const createShelf = <T>(sizeOf: (one: T) => number): RecentItems<T> => ({
  entries: createBounded(limits.agentRuns.value),
  characters: 0,
  sizeOf,
})

export const createRecent = (): Recent => ({
  runs: createShelf(
    ({ prompt, payload, answer }) => prompt.length + payload.length + (answer?.length ?? 0),
  ),
  outbox: createShelf(({ text }) => text.length),
})

/** A copy that does not change with the other. */
export const copyRecent = ({ runs, outbox }: Recent): Recent => ({
  runs: copyShelf(runs),
  outbox: copyShelf(outbox),
})

const copyShelf = <T>({ entries, characters, sizeOf }: RecentItems<T>): RecentItems<T> => ({
  entries: structuredClone(entries),
  characters,
  sizeOf,
})

/** Records the runs and deliveries among the effects of a step. */
export function note(recent: Recent, effects: readonly GatewayEffect[]): void {
  for (const effect of effects) {
    if (effect.kind === 'run') addItem(recent.runs, `${effect.id}`, effect.run)
    else if (effect.kind === 'outbox') {
      addItem(recent.outbox, `${effect.id}`, effect.entry)
      noteDelivery(recent, effect)
    }
  }
}

/** Records what becomes of the answer of a run that is still listed. */
function noteDelivery(
  { runs }: Recent,
  { runId, outcome }: Extract<GatewayEffect, { kind: 'outbox' }>,
): void {
  if (runId === null || (outcome !== 'delivered' && outcome !== 'dead')) return
  const run = get(runs.entries, `${runId}`)
  if (run !== undefined) addItem(runs, `${runId}`, Object.assign({}, run, { delivery: outcome }))
}

/** Adds an entry; drops the oldest ones beyond the limits of number and size. */
function addItem<T>(shelf: RecentItems<T>, key: string, one: T): void {
  for (const gone of put(shelf.entries, key, one)) shelf.characters -= shelf.sizeOf(gone)
  shelf.characters += shelf.sizeOf(one)
  while (shelf.characters > limits.recent.value && shelf.entries.entries.size > 1) {
    const oldest = takeOldest(shelf.entries)
    if (oldest === undefined) return
    shelf.characters -= shelf.sizeOf(oldest)
  }
}

const valuesOf = <T>({ entries }: RecentItems<T>): readonly T[] =>
  Array.from(entries.entries.values(), ({ value }) => value)

/** The entries of the outbox, oldest first. */
export const outboxOf = ({ outbox }: Recent): readonly OutboxEntry[] => valuesOf(outbox)

/** The agent runs as JSON text, oldest first, with their payloads unchanged. */
export const runsText = ({ runs }: Recent): string =>
  `[${valuesOf(runs)
    .map(({ payload, ...run }) => `${JSON.stringify(run).slice(0, -1)},"payload":${payload}}`)
    .join(',')}]`
