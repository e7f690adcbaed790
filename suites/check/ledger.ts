// What `check` has made on a server, in a file that outlives it, so that all of it can be removed: at the end, after
// Ctrl-C, and after a crash.

import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
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
  const written = existsSync(file) ? readLedger(file) : []
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
  const write = (entry: LedgerEntry): void => {
    if (present.has(JSON.stringify(entry))) return
    note(entry)
    appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
  }
  return {
    file,
    add: (entry) => {
      if (server !== undefined) write(server)
      write(entry)
    },
    entries: () => [...present.values()],
    discard: () => rmSync(file, { force: true }),
  }
}

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
