// All cases that `check` knows, collected from the files that declare them.

import { type Case, collectCases } from '../judge/proves.ts'
import { caseFiles } from './case-files.ts'

/** Every case, in the order of its declaration. */
export const allCases = (): Promise<readonly Case[]> =>
  collectCases(async () => {
    for (const load of caseFiles) await load()
  })
