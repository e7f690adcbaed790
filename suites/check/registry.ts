// All cases that `check` knows, collected from the files that declare them.

import { type Case, collectCases } from '../judge/proves.ts'
import { caseFiles } from './case-files.ts'

let collected: Promise<readonly Case[]> | undefined

/** Every case, in the order of its declaration. A file declares its cases once, when it is loaded. */
export const allCases = (): Promise<readonly Case[]> =>
  (collected ??= collectCases(async () => {
    for (const load of caseFiles) await load()
  }))
