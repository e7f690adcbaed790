// The file of a journal: private, never overwritten in silence, and no reason for a server to stop when the disk is full.

import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { usageError } from '../options/usage.ts'

export type JournalFile = {
  /** Begins the file. Throws a usage error where it cannot be written, or is there already. */
  readonly open: (header: string) => void
  /** Adds a line, which is made only where the file takes one. */
  readonly write: (line: () => string) => void
  readonly close: () => void
}

/**
 * @param overwrites whether a file that is there already is replaced.
 * @param warn gets one line when the file takes no more; the journal in memory goes on.
 */
export function journalFile(
  path: string,
  overwrites: boolean,
  warn: (line: string) => void,
): JournalFile {
  let handle: number | undefined
  const close = (): void => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  // Each line is on its way to the disk before the next input: a journal is most needed after a crash.
  const write = (line: () => string): void => {
    if (handle === undefined) return
    try {
      writeWhole(handle, Buffer.from(`${line()}\n`))
    } catch (error) {
      if (!isOfSystem(error)) throw error
      close()
      warn(
        `The journal ends here: ${path} takes no more (${error.code}). The server goes on without it.`,
      )
    }
  }
  const open = (header: string): void => {
    handle = openPrivate(path, overwrites)
    write(() => header)
  }
  return { open, write, close }
}

const isOfSystem = (error: unknown): error is NodeJS.ErrnoException & { code: string } =>
  error instanceof Error && 'syscall' in error && 'code' in error

/** A system may take a part of what it is given. */
function writeWhole(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at)
}

function openPrivate(path: string, overwrites: boolean): number {
  try {
    const handle = openSync(path, overwrites ? 'w' : 'wx', 0o600)
    // A file that was there keeps its mode otherwise. What is not a file is somebody else's.
    if (fstatSync(handle).isFile()) fchmodSync(handle, 0o600)
    return handle
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw usageError(`Cannot write the journal: ${message}`)
    throw usageError(
      `The journal ${path} is there already. Choose another file, or replace it with --overwrite.`,
    )
  }
}
