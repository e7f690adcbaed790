// All node types that compute, by name: one file for each family.

import type { Family } from './inputs.ts'
import { texts } from './texts.ts'

export const computes: Family = { ...texts }
