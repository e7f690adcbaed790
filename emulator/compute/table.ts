// All node types that compute, by name: one file for each family.

import { audio } from './audio.ts'
import { batches } from './batches.ts'
import { blends } from './blends.ts'
import { colours } from './colours.ts'
import { composites } from './composites.ts'
import { conditioning } from './conditioning.ts'
import { crops } from './crops.ts'
import { emptyLatents } from './empty-latents.ts'
import { expressions } from './expressions.ts'
import { files } from './files.ts'
import { filters } from './filters.ts'
import type { Family } from './inputs.ts'
import { latents } from './latents.ts'
import { masks } from './masks.ts'
import { samplers } from './samplers.ts'
import { savingChecks } from './saving.ts'
import { scales } from './scales.ts'
import { services } from './services.ts'
import { sigmas } from './sigmas.ts'
import { texts } from './texts.ts'
import { videos } from './videos.ts'

const families: readonly Family[] = [
  audio,
  batches,
  blends,
  colours,
  composites,
  conditioning,
  crops,
  emptyLatents,
  expressions,
  files,
  filters,
  latents,
  masks,
  samplers,
  scales,
  services,
  sigmas,
  texts,
  videos,
]

export const checks: Family = savingChecks

export const computes: Family = Object.assign({}, ...families)
