// Temporary folders, which nobody who asks for one has to remove.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How the names of these folders begin. */
export const GIVEN = 'given-'

/** The temporary folder of the run, which goes when the run ends. */
const ofRun = tmpdir()

/** A new folder. Test files share the modules that they load, so that it stays until the run ends. */
export const folder = (): string => mkdtempSync(join(ofRun, GIVEN))

/** Makes a separate temporary folder for the tests of a file. The result removes it, and returns what is in it. */
export function separate(name: string): () => readonly string[] {
  const own = mkdtempSync(join(ofRun, `${name}-`))
  process.env['TMPDIR'] = own
  return () => {
    const left = readdirSync(own)
    process.env['TMPDIR'] = ofRun
    rmSync(own, { recursive: true, force: true })
    return left
  }
}
