// The flags of a log, and its file.

import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { usageError } from '../options/usage.ts'
import type { CommandIo } from './io.ts'

/** What the flags of a command say of its log. */
export type LogFlags = {
  readonly json: boolean
  readonly quiet: boolean
  /** The file, if the log goes into one. */
  readonly log?: string
  readonly logFormat: 'text' | 'json'
}

export type LogFile = { readonly write: (text: string) => void; readonly close: () => void }

/**
 * Opens the file of a log, to which lines are appended; only its owner can read it. Throws a usage error where that
 * cannot be. A disk that is full later ends the log with one line on standard error, and not the command.
 */
export function openLogFile(file: string, { cwd, stderr }: CommandIo): LogFile {
  const path = resolve(cwd, file)
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'a', 0o600)
  } catch (error) {
    throw usageError(`Cannot write the log: ${(error as Error).message}`)
  }
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  const write = (text: string): void => {
    if (descriptor === undefined) return
    try {
      writeSync(descriptor, text)
    } catch (error) {
      close()
      stderr.write(`The log ${path} ends here: ${(error as Error).message}\n`)
    }
  }
  return { write, close }
}
