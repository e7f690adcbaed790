// The file of a journal: private, never overwritten by default. A full disk does not stop the server.

import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { requireReader } from '../config/named-files.ts'
import { usageError } from '../options/usage.ts'

export type JournalFile = {
  /** Creates the file. Throws a usage error if it cannot, or if the file exists. */
  readonly open: (header: string) => void
  /** Adds a line; renders it only if the file is open. */
  readonly write: (line: () => string) => void
  readonly close: () => void
}

/**
 * @param overwrites whether to replace an existing file.
 * @param warn receives one line when writing fails; the journal in memory continues.
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
  // Each line is written before the next input: a journal matters most after a crash.
  const write = (line: () => string): void => {
    if (handle === undefined) return
    try {
      writeWhole(handle, Buffer.from(`${line()}\n`))
    } catch (error) {
      if (!isOfSystem(error)) throw error
      close()
      warn(`Stopped writing the journal ${path} (${error.code}). The server continues without it.`)
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

/** A write can be partial. */
function writeWhole(handle: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at)
}

function openPrivate(path: string, overwrites: boolean): number {
  try {
    if (overwrites) requireReader(path)
    const handle = openSync(path, overwrites ? 'w' : 'wx', 0o600)
    // An existing file keeps its mode otherwise. Do not touch anything but a regular file.
    if (fstatSync(handle).isFile()) fchmodSync(handle, 0o600)
    return handle
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw usageError(`Cannot write the journal: ${message}`)
    throw usageError(
      `The journal ${path} already exists. Choose another file, or replace it with --overwrite.`,
    )
  }
}
