// Writes files that others read while they change: baselines, reports and recordings.

import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writing } from './usage.ts'

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
