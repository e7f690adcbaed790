// All node types that compute, by name: one file for each family.

import { blends } from './blends.ts'
import { composites } from './composites.ts'
import { crops } from './crops.ts'
import { emptyLatents } from './empty-latents.ts'
import { files } from './files.ts'
import type { Family } from './inputs.ts'
import { latents } from './latents.ts'
import { masks } from './masks.ts'
import { scales } from './scales.ts'
import { texts } from './texts.ts'

export const computes: Family = { ...blends, ...composites, ...crops, ...emptyLatents, ...files, ...latents, ...masks, ...scales, ...texts }
