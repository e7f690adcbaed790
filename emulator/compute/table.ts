// All node types that compute, by name. Each family has a file: a new node goes into the one that it resembles.

import { audio } from './families/audio.ts'
import { batches } from './families/batches.ts'
import { blends } from './families/blends.ts'
import { colours } from './families/colours.ts'
import { composites } from './families/composites.ts'
import { conditioning } from './families/conditioning.ts'
import { crops } from './families/crops.ts'
import { emptyLatents } from './families/empty-latents.ts'
import { expressions } from './families/expressions.ts'
import { files } from './families/files.ts'
import { filters } from './families/filters.ts'
import type { Family } from './values/inputs.ts'
import { later } from './families/later.ts'
import { latentSums } from './families/latent-sums.ts'
import { latents } from './families/latents.ts'
import { masks } from './families/masks.ts'
import { samplers } from './families/samplers.ts'
import { savingChecks } from './families/saving.ts'
import { scales } from './families/scales.ts'
import { services } from './families/services.ts'
import { sigmas } from './families/sigmas.ts'
import { texts } from './families/texts.ts'
import { videos } from './families/videos.ts'

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
  latentSums,
  masks,
  samplers,
  scales,
  services,
  sigmas,
  texts,
  videos,
]

/** Types that write files: here they only check their inputs. */
export const checks: Family = savingChecks

/** Types that compute their outputs differently on servers of 2026. */
export const laterComputes: Family = later

/** Types that compute their outputs. */
export const computes: Family = Object.assign({}, ...families)
