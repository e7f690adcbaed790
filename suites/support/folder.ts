// Temporary folders, which nobody who asks for one has to remove.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How the names of folders begin that modules make while they are loaded: other test files may use these modules too. */
export const OF_MODULES = 'of-a-module-'

/** The folders that the tests of a file have made; undefined while files are loaded. */
let made: string[] | undefined

/** The temporary folder of the run. */
const ofRun = tmpdir()

/** A new folder. It goes when the test file ends, and one of a module when the run ends. */
export function folder(): string {
  if (made === undefined) return folderOfModule()
  const place = mkdtempSync(join(tmpdir(), 'flowdouble-'))
  made.push(place)
  return place
}

/** A new folder of a module that several test files use, whichever of them loads it, and when. It goes when the run ends. */
export const folderOfModule = (): string => mkdtempSync(join(ofRun, OF_MODULES))

/**
 * Makes a separate temporary folder for the tests of a file. The result removes it, and returns what is in it that
 * nobody made with `folder`.
 */
export function separate(name: string): () => readonly string[] {
  const shared = tmpdir()
  const own = mkdtempSync(join(shared, `${name}-`))
  process.env['TMPDIR'] = own
  made = []
  return () => {
    const left = readdirSync(own).filter((one) => made?.includes(join(own, one)) === false)
    process.env['TMPDIR'] = shared
    made = undefined
    rmSync(own, { recursive: true, force: true })
    return left
  }
}
