// The input of the model for a run, its output for a finished one, and the differences between the deployments: one row of
// functions for each.

import type { Deployment } from '../../spec/language.ts'

/** What the only node of a run does. */
export type Work =
  | { readonly kind: 'slow'; readonly seconds: number; readonly steps: number }
  | { readonly kind: 'talk'; readonly text: string }
  | { readonly kind: 'fail' }

export type Submit = {
  readonly id: string
  readonly work: Work
  readonly client: string | null
  readonly number?: number
  readonly front: boolean
}

/** How a run ends; one that was removed never began. */
export type Outcome = 'success' | 'error' | 'interrupted' | 'removed'

/** What is stored about a finished run. */
export type RunEnd = {
  readonly outcome: Outcome
  readonly isCached: boolean
  isForgotten: boolean
}

/** What an interrupt can do to the runs of an account. */
type Interrupts = {
  /** Interrupts the matching workers; the id is that of their run, undefined if none runs. */
  readonly stop: (isMeant: (id: string | undefined) => boolean) => void
  /** Interrupts the oldest run that was not interrupted before. */
  readonly stopOldest: () => void
  readonly remove: (ids: readonly string[]) => unknown
  readonly isKnown: (id: string) => boolean
}

export type DeploymentRules = {
  /** The members of a submit that affect its place. */
  readonly order: (submit: Submit) => Pick<Submit, 'number' | 'front'>
  /** By how much a rejected submit increases the number of the next one. */
  readonly refusedCounts: 0 | 1
  /** The first part of a listed run. */
  readonly place: (number: number, at: number) => number
  /** Which of the connected clients are notified of the end of a client's run. */
  readonly recipients: (
    client: string | null,
    outcome: Outcome,
    connected: readonly string[],
  ) => readonly string[]
  /** Whether a run that was interrupted after its last check point notices that when its nodes are done. */
  readonly looksAtTheEnd: boolean
  /** Whether a removed run counts as finished, or as if it had never existed. */
  readonly removedIsCancelled: boolean
  /** Whether the run that an interrupt names exists. */
  readonly interrupt: (stops: Interrupts, id?: string) => boolean
  /** The entries of the history, in order. `submitted` are the ids of all runs. */
  readonly history: (
    ended: ReadonlyMap<string, RunEnd>,
    submitted: readonly string[],
  ) => readonly (readonly [id: string, ended: RunEnd])[]
  /** Whether a client that connects is notified of this run. */
  readonly isNotified: (run: Submit, client: string) => boolean
  /** The name that a file gets. */
  readonly nameOf: (
    files: ReadonlyMap<string, string>,
    name: string,
    content: string,
    overwrite: boolean,
  ) => string
}

const local: DeploymentRules = {
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

const hosted: DeploymentRules = {
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
  // One name for one content, whatever name the client sends.
  nameOf: (_files, _name, content) => `the file of ${content}`,
}

export const ways: Readonly<Record<Deployment, DeploymentRules>> = { local, hosted }
