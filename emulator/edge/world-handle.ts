// The methods that reset a running machine, keep its states, and return what it has received.

import type { Received, ReceivedRequest } from '../journal/received.ts'
import { limits } from '../../spec/limits.ts'
import { conflictError } from '../options/usage.ts'
import { awaitRequestOf } from './await-request.ts'
import type { WorldHandle } from './handles.ts'
import type { Host } from './host.ts'
import type { Recorder } from './recorder.ts'

/** What the methods need from a machine and its edge. */
type HandledWorld<I, E> = {
  readonly host: Pick<Host<I, E, never>, 'changeWorld' | 'watch'>
  readonly recorder: Pick<Recorder<I, E>, 'lines'>
  /** Resolves when all effects are sent. */
  readonly flushed: () => Promise<unknown>
  /** The names of its snapshots. */
  readonly snapshots: () => ReadonlySet<string>
  /** The requests that it has received. */
  readonly received: () => Promise<Received<ReceivedRequest>>
  /** Its session as the text of a HAR file. */
  readonly recording: () => Promise<string>
  /** Whether a reset world begins at the present time, as one does whose epoch is `now`. */
  readonly keepsTime: boolean
}

export function createWorldHandle<I, E>({
  host,
  recorder,
  flushed,
  snapshots,
  received,
  recording,
  keepsTime,
}: HandledWorld<I, E>): WorldHandle {
  return {
    requests: async (filter = {}) => {
      const { requireFilter } = await import('./filters.ts')
      requireFilter('requests', filter)
      const { matchesRequest } = await import('../journal/received.ts')
      return (await received()).items.filter((one) => matchesRequest(one, filter))
    },
    verify: async (expected) => {
      const { requireFilter } = await import('./filters.ts')
      requireFilter('verify', expected)
      const { verify } = await import('../journal/received.ts')
      return verify(await received(), expected)
    },
    received: awaitRequestOf({ watch: host.watch, received }),
    reset: async () => {
      host.changeWorld({ do: 'reset', ...(keepsTime && { keepsTime }) })
      await flushed()
    },
    snapshot: (given) => {
      const known = snapshots()
      const name = given ?? freeName(known)
      if (known.size >= limits.snapshots.value && !known.has(name))
        throw conflictError(
          `A world keeps ${limits.snapshots.value} snapshots. Use the name of one to replace it.`,
        )
      host.changeWorld({ do: 'snapshot', name })
      return name
    },
    restore: async (name) => {
      const known = snapshots()
      if (!known.has(name)) throw conflictError(unknownName('snapshot', name, known))
      host.changeWorld({ do: 'restore', name })
      await flushed()
    },
    journal: recorder.lines,
    recording,
  }
}

/** A name that no snapshot has. */
function freeName(known: ReadonlySet<string>): string {
  let number = 1
  while (known.has(`snapshot ${number}`)) number++
  return `snapshot ${number}`
}

/** A sentence about an unknown name, with the known ones. */
export function unknownName(what: string, name: string, known: Iterable<string>): string {
  const names = [...known].map((one) => JSON.stringify(one)).join(', ')
  return `There is no ${what} ${JSON.stringify(name)}. ${names === '' ? 'None exists.' : `Names: ${names}.`}`
}
