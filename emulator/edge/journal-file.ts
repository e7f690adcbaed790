// The file of a journal: private, never overwritten by default. A full disk does not stop the server.

import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { requireReader } from '../config/named-files.ts'
import { usageError } from '../options/usage.ts'

export type JournalFile = {
  /** Creates the file. Throws a usage error if it cannot, or if the file exists. */
  readonly open: (header: string) => void
  /**
   * Adds a line; renders it only if the file is open. Writes it, with those before it, unless it is part of a batch and
   * nobody gets an answer with it.
   */
  readonly write: (line: () => string, isAnswer: boolean) => void
  /** Writes the lines of some work together, before what the work sends can leave. */
  readonly batch: (work: () => void) => void
  readonly close: () => void
}

/** How many characters to collect at most before writing: one move of a manual clock can be a whole session. */
const MOST_PENDING = 64 * 1024

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
  let isBatching = false
  /** The lines that are not written yet: a run has many, and to write each takes as long as its step. */
  let pending = ''
  const flush = (): void => {
    if (handle === undefined || pending === '') return
    const lines = pending
    pending = ''
    try {
      writeWhole(handle, Buffer.from(lines))
    } catch (error) {
      if (!isOfSystem(error)) throw error
      end()
      warn(`Stopped writing the journal ${path} (${error.code}). The server continues without it.`)
    }
  }
  const end = (): void => {
    process.off('exit', flush)
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  const close = (): void => {
    flush()
    end()
  }
  const write: JournalFile['write'] = (line, isAnswer) => {
    if (handle === undefined) return
    pending += `${line()}\n`
    if (!isBatching || isAnswer || pending.length > MOST_PENDING) flush()
  }
  const batch: JournalFile['batch'] = (work) => {
    isBatching = true
    try {
      work()
    } finally {
      isBatching = false
      flush()
    }
  }
  const open = (header: string): void => {
    handle = openPrivate(path, overwrites)
    // A journal matters most after a crash.
    process.on('exit', flush)
    write(() => header, true)
  }
  return { open, write, batch, close }
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
