// Files that the user names: never a reason to wait for ever. A named pipe waits for its other end, a device never ends.

import { closeSync, constants, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { archivedFile } from './package-files.ts'

/** Standard input, and what a shell opens for a command: `<(...)`. They have a writer already. */
const opened = /^\/dev\/(?:stdin$|fd\/\d+$)/

/** Reads a whole file of at most `maxBytes`. Throws an error whose message says what is wrong with the file. */
export function readNamedFile(path: string, maxBytes = Infinity): Buffer {
  const archived = archivedFile(path)
  if (archived !== undefined) return archived
  if (!opened.test(path)) {
    const found = statSync(path)
    if (!found.isFile()) {
      throw new Error(`${path} is a ${kindOf(found)}. Name a regular file, or /dev/stdin`)
    }
    if (found.size > maxBytes)
      throw new Error(`${path} has ${found.size} bytes, and ${maxBytes} are allowed`)
  }
  return readFileSync(path)
}

/** Throws an error if opening a path for writing would wait for a program that reads it. */
export function requireReader(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) return
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    throw new Error(`no program reads the named pipe ${path}. Start its reader first`, {
      cause: error,
    })
  }
}

function kindOf(found: Stats): string {
  if (found.isFIFO()) return 'named pipe'
  if (found.isDirectory()) return 'folder'
  return found.isSocket() ? 'socket' : 'device'
}
