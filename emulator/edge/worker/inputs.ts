// Writes the inputs of a world into its store, before their effects leave it.

import type { Effect, Entry, Input, Machine } from '../../machine.ts'
import type { ScriptState } from '../../server/state/scenario.ts'
import type { Row, Store } from './store.ts'

/** How long what can wait may wait, in milliseconds: less than it takes until an object without work sleeps. */
const MAX_WAIT_MS = 1000

export type InputLog = {
  /** Takes an input that has been applied, before its effects leave. */
  readonly add: (entry: Entry) => void
  /** Writes what waits. */
  readonly flush: () => void
  /** When the last input came, in milliseconds since 1970. */
  readonly wallMs: () => number
  /** Ends its timer. */
  readonly stop: () => void
}

/**
 * Timers that fire when they are due need no row: they fire again. Nor do requests that only read: those wait for the next
 * input, or a moment.
 * @param script what the script of the world counts.
 * @param added is called after a row was written.
 */
export function createInputLog(
  { nextWakeMs }: Pick<Machine<Input, Effect>, 'nextWakeMs'>,
  script: () => ScriptState,
  store: Pick<Store<unknown>, 'add'>,
  added: (inputs: number) => void,
): InputLog {
  let waiting: (Input | number)[] = []
  let wallMs = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueMs = nextWakeMs()

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const row: Row = { inputs: waiting, wallMs }
    waiting = []
    store.add(row)
    added(row.inputs.length)
  }
  const add: InputLog['add'] = (entry) => {
    const { input } = entry
    const isDue = input.kind === 'wake' && input.atMs === dueMs
    dueMs = nextWakeMs()
    wallMs = Date.now()
    const fired = waiting.at(-1)
    if (!isDue) waiting.push(input)
    else if (typeof fired === 'number') waiting[waiting.length - 1] = fired + 1
    else waiting.push(1)
    if (input.kind === 'wake' || onlyReads(entry, script()))
      timer ??= setTimeout(flush, MAX_WAIT_MS)
    else flush()
  }
  return { add, flush, wallMs: () => wallMs, stop: () => clearTimeout(timer) }
}

/** Whether nobody can notice that a request was never there, except in the journal: faults and answers count requests. */
const onlyReads = ({ input, effects }: Entry, { faults, answers }: ScriptState): boolean =>
  input.kind === 'request' &&
  (input.method === 'GET' || input.method === 'HEAD') &&
  faults.length + answers.length === 0 &&
  effects.every((effect) => effect.kind === 'reply' && effect.stream === undefined)
