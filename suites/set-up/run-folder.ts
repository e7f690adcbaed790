// The temporary folder of a test run: what the suites and the programs that they start put there goes with it, and fails
// the run if nobody made it with `folder`.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GIVEN } from '../support/folder.ts'

/** Makes the folder before the first test file, and removes it after the last one. */
export function setup(): () => void {
  const place = mkdtempSync(join(tmpdir(), 'flowdouble-suites-'))
  process.env['TMPDIR'] = place
  return () => {
    const left = readdirSync(place).filter((name) => !name.startsWith(GIVEN))
    rmSync(place, { recursive: true, force: true })
    if (left.length === 0) return
    process.exitCode = 1
    throw new Error(`The run left these in its temporary folder: ${left.join(', ')}`)
  }
}
