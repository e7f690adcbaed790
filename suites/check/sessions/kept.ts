// Counterexamples of earlier checks: recordings beside the ledger, one for each broken case, which the next check plays first.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Deployment } from '../../../spec/language.ts'
import { replaceFile, writing } from '../output/replace-file.ts'
import type { Session, Step } from './steps.ts'

/** A session, and the seed from which it was made and shortened. */
export type KeptSession = { readonly seed: number; readonly steps: Session }

export type Kept = {
  /** The sessions that broke a rule of this deployment, and still can be played. */
  readonly sessions: readonly KeptSession[]
  /** Writes the recording of a counterexample of a case, and returns its path. */
  readonly save: (title: string, text: string) => string
  /** Removes that of a case which is kept now. */
  readonly forget: (title: string) => void
}

/** The folder that belongs to a ledger: one for all ledgers of usual names, as a session can be played on any server. */
export const keptFolder = (ledger: string): string =>
  `${ledger.replace(/\.ledger$/, '').replace(/(?<=(?:^|\/)flowdouble-check)-[^/]*$/, '')}.counterexamples`

/** The members of a recording that say what was played. */
type Info = { readonly place?: unknown; readonly seed?: unknown; readonly steps?: unknown }

const isSteps = (steps: unknown): steps is readonly Step[] =>
  Array.isArray(steps) &&
  steps.length > 0 &&
  steps.every((step: unknown) => typeof (step as Partial<Step> | null)?.do === 'string')

/** The session in the text of a recording; none if it is of another server, or was not played by `check`. */
function sessionIn(text: string, deployment: Deployment): readonly KeptSession[] {
  try {
    const { _flowdouble: info } = (JSON.parse(text) as { readonly log: { _flowdouble: Info } }).log
    const { place, seed, steps } = info
    return place === deployment && isSteps(steps) ? [{ seed: Number(seed), steps }] : []
  } catch {
    return []
  }
}

/** Recordings in a folder, one for each title. */
export type KeptFiles = {
  /** Their texts, in the order of their names. */
  readonly texts: () => readonly string[]
  /** The text for a title; undefined without one. */
  readonly textOf: (title: string) => string | undefined
  /** Writes that of a title, and returns its path. */
  readonly save: (title: string, text: string) => string
  /** Removes that of a title, and the folder with the last one. */
  readonly forget: (title: string) => void
}

/** Opens a folder of recordings, which need not exist. */
export function openKeptFiles(folder: string): KeptFiles {
  const fileOf = (title: string): string =>
    join(folder, `${createHash('sha256').update(title).digest('hex').slice(0, 16)}.har`)
  const removeIfEmpty = (): void => {
    if (isThere(folder) && readdirSync(folder).length === 0) rmSync(folder, { recursive: true })
  }
  return {
    texts: () =>
      !isThere(folder)
        ? []
        : readdirSync(folder)
            .filter((file) => file.endsWith('.har'))
            .toSorted((a, b) => (a < b ? -1 : 1))
            .map((file) => readFileSync(join(folder, file), 'utf8')),
    textOf: (title) =>
      existsSync(fileOf(title)) ? readFileSync(fileOf(title), 'utf8') : undefined,
    save: (title, text) => {
      try {
        writing('recordings in', folder, () => mkdirSync(folder, { recursive: true }))
        replaceFile('the recording', fileOf(title), text, 0o600)
      } finally {
        removeIfEmpty()
      }
      return fileOf(title)
    },
    forget: (title) => {
      if (isThere(folder)) rmSync(fileOf(title), { force: true })
      removeIfEmpty()
    },
  }
}

/** Opens the folder of a ledger. */
export function openKept(ledger: string, deployment: Deployment): Kept {
  const { texts, save, forget } = openKeptFiles(keptFolder(ledger))
  return { sessions: texts().flatMap((text) => sessionIn(text, deployment)), save, forget }
}

function isThere(folder: string): boolean {
  try {
    readdirSync(folder)
    return true
  } catch {
    return false
  }
}
