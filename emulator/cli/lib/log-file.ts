// The flags of a log, and the log file.

import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { requireReader } from '../../config/named-files.ts'
import { usageError } from '../../options/usage.ts'
import type { CommandIo } from './io.ts'

/** The flags of a command for its log. */
export type LogFlags = {
  readonly json: boolean
  readonly quiet: boolean
  /** The path of the log file, if any. */
  readonly log?: string
  readonly logFormat: 'text' | 'json'
}

export type LogFile = { readonly write: (text: string) => void; readonly close: () => void }

/** Paths of the command's own streams; opening them fails if they are sockets, or belong to another user. */
const ownStreams = { '/dev/stdout': 'stdout', '/dev/stderr': 'stderr' } as const

/**
 * Opens a log file and appends to it; only its owner can read it. Throws a usage error if that fails. If the disk is
 * full later, one line on standard error reports it, and the command continues without the log.
 */
export function openLogFile(file: string, io: CommandIo): LogFile {
  const { cwd, stderr } = io
  const path = resolve(cwd, file)
  if (path === '/dev/stdout' || path === '/dev/stderr') {
    const stream = io[ownStreams[path]]
    return { write: (text) => void stream.write(text), close: () => undefined }
  }
  let descriptor: number | undefined
  try {
    requireReader(path)
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
      stderr.write(`Stopped writing the log ${path}: ${(error as Error).message}\n`)
    }
  }
  return { write, close }
}
