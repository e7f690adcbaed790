// Where the two deployments differ in what the model tells: one row of ways for each.

import type { Deployment } from '../../spec/language.ts'
import type { Ended, Outcome, Submit } from './submit.ts'

/** What an interrupt can do to the runs of an account. */
type Stops = {
  /** Interrupts the workers that are meant; the id is that of their run, undefined where none runs. */
  readonly stop: (isMeant: (id: string | undefined) => boolean) => void
  /** Interrupts the run that began first, of those that were not interrupted before. */
  readonly stopOldest: () => void
  readonly remove: (ids: readonly string[]) => unknown
  readonly isKnown: (id: string) => boolean
}

export type Ways = {
  /** What a submit says of its place and is heeded. */
  readonly order: (submit: Submit) => Pick<Submit, 'number' | 'front'>
  /** By how much a refused submit moves the number of the next one. */
  readonly refusedCounts: 0 | 1
  /** The first part of a listed run. */
  readonly place: (number: number, at: number) => number
  /** Which of the connected clients hear how a run of a client ended. */
  readonly recipients: (
    client: string | null,
    outcome: Outcome,
    connected: readonly string[],
  ) => readonly string[]
  /** Whether a run that was interrupted behind its last check point notices that once its nodes are done. */
  readonly looksAtTheEnd: boolean
  /** Whether a removed run is over, or was never there. */
  readonly removedIsCancelled: boolean
  /** Whether the run that an interrupt names is known. */
  readonly interrupt: (stops: Stops, id?: string) => boolean
  /** What the history tells, in its order. `submitted` are the ids of all runs. */
  readonly history: (
    ended: ReadonlyMap<string, Ended>,
    submitted: readonly string[],
  ) => readonly (readonly [id: string, ended: Ended])[]
  /** Whether a client that connects is told of this run. */
  readonly isNotified: (run: Submit, client: string) => boolean
  /** The name that a file gets. */
  readonly nameOf: (
    files: ReadonlyMap<string, string>,
    name: string,
    content: string,
    overwrite: boolean,
  ) => string
}

const local: Ways = {
  order: (submit) => submit,
  refusedCounts: 1,
  place: (number) => number,
  recipients: (client, outcome, connected) => {
    if (client !== null) return [client]
    return outcome === 'interrupted' ? connected : []
  },
  looksAtTheEnd: false,
  removedIsCancelled: false,
  interrupt: ({ stop }, named) => {
    stop((id) => named === undefined || named === id)
    return true
  },
  history: (ended) => [...ended].filter(([, { isForgotten }]) => !isForgotten),
  isNotified: (run, client) => run.client === client,
  nameOf: (files, name, content, overwrite) => {
    const isFree = (candidate: string): boolean =>
      overwrite || (files.get(candidate) ?? content) === content
    let candidate = name
    for (let count = 1; !isFree(candidate); count++) candidate = `${name} (${count})`
    return candidate
  },
}

const hosted: Ways = {
  order: () => ({ front: false }),
  refusedCounts: 0,
  place: (_, at) => at + 1,
  recipients: (_client, _outcome, connected) => connected,
  looksAtTheEnd: true,
  removedIsCancelled: true,
  interrupt: ({ stop, stopOldest, remove, isKnown }, named) => {
    if (named === undefined) stopOldest()
    else {
      remove([named])
      stop((id) => id === named)
    }
    return named === undefined || isKnown(named)
  },
  history: (ended, submitted) =>
    submitted.toReversed().flatMap((id) => {
      const one = ended.get(id)
      const isShown = one !== undefined && one.outcome !== 'removed' && !one.isForgotten
      return isShown ? [[id, one] as const] : []
    }),
  isNotified: () => true,
  // One name for one content, whatever the client calls it.
  nameOf: (_files, _name, content) => `the file of ${content}`,
}

export const ways: Readonly<Record<Deployment, Ways>> = { local, hosted }
