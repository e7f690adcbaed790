// What `check` has made on a server, in a file that outlives it, so that all of it can be removed: at the end, after
// Ctrl-C, and after a crash.

import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { writing } from './output/replace-file.ts'
import { wrongUse } from './usage.ts'

/** The server of a ledger: its first entry. */
export type LedgerServer = {
  readonly kind: 'server'
  readonly url: string
  readonly deployment: 'local' | 'hosted'
  readonly version: 1
}

/** Something that `check` has made. */
export type LedgerEntry =
  | LedgerServer
  | { readonly kind: 'run' | 'upload' | 'user'; readonly name: string }
  /** `before` is the content that a file of the user had, in base64; null if it did not exist. */
  | { readonly kind: 'userdata'; readonly name: string; readonly before: string | null }
  | { readonly kind: 'removed'; readonly of: string; readonly name: string }

export type Ledger = {
  readonly file: string
  /** The error since which the file has not been written. */
  readonly problem: () => Error | undefined
  /** Throws an error with the code USAGE the first time that the file cannot be written. */
  readonly add: (entry: LedgerEntry) => void
  /** What is still there, oldest first. */
  readonly entries: () => readonly LedgerEntry[]
  /** Deletes the file. */
  readonly discard: () => void
}

/**
 * Opens a ledger, with what the file already lists. A file begins with the first thing that is made: a check that makes
 * nothing leaves none.
 * @param server on which things are made. Throws an error with the code USAGE if the file lists those of another.
 */
export function openLedger(file: string, server?: LedgerServer): Ledger {
  const written = isFile(file) ? readLedger(file) : []
  const [begun] = written
  if (begun?.kind === 'server' && server !== undefined && begun.url !== server.url)
    throw wrongUse(
      `${file} lists what a check has left on ${begun.url}: name another file with --ledger, remove that with --clean, or delete the file if the server is gone.`,
    )
  /** What is still there, by its text. */
  const present = new Map<string, LedgerEntry>()
  const note = (entry: LedgerEntry): void => {
    if (entry.kind !== 'removed') return void present.set(JSON.stringify(entry), entry)
    for (const [key, one] of present)
      if (one.kind === entry.of && 'name' in one && one.name === entry.name) present.delete(key)
  }
  written.forEach(note)
  let problem: Error | undefined
  const write = (entries: readonly LedgerEntry[]): void => {
    const added = entries.filter((entry) => !present.has(JSON.stringify(entry)))
    added.forEach(note)
    // What cannot be written down is remembered until the check ends, which is now.
    if (added.length === 0 || problem !== undefined) return
    const lines = added.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    try {
      writing('the ledger', file, () => appendFileSync(file, lines, { mode: 0o600 }))
    } catch (error) {
      problem = error as Error
      throw error
    }
  }
  return {
    file,
    problem: () => problem,
    add: (entry) => write(server === undefined ? [entry] : [server, entry]),
    entries: () => [...present.values()],
    discard: () => {
      if (isFile(file)) rmSync(file)
    },
  }
}

/** Whether there is a file: a device is neither read to its end nor removed. */
const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** The entries of a ledger. A line that a crash has cut off is left out. */
function readLedger(file: string): LedgerEntry[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return JSON.parse(line) as LedgerEntry
      } catch {
        return []
      }
    })
}
