// All wrong servers that the cases must catch.

import { byHand } from './by-hand/index.ts'
import { generated } from './generated/index.ts'
import type { Mutant } from './tamper.ts'

export const mutants: readonly (readonly [id: string, mutant: Mutant])[] = [...byHand, ...generated]
