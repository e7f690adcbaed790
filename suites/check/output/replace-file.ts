// Writes files: those that others read while they change, such as baselines, reports and recordings, in one step.

import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { wrongUse } from '../usage.ts'
import { oneLine } from './text.ts'

/**
 * Replaces a file atomically: a reader finds the old text or the new one, even after a crash. Throws an error with the code
 * USAGE if it cannot be written.
 * @param what it is, for the message.
 */
export function replaceFile(what: string, file: string, text: string, mode = 0o666): void {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  writing(what, file, () => {
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode })
      renameSync(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
}

/** What writing a file results in. Throws wrong usage that names the file if it cannot be written. */
export function writing<T>(what: string, file: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw wrongUse(`Cannot write ${what} ${oneLine(file)}: ${(error as Error).message}.`)
  }
}
