// All wrong servers of the hosted API v2, by area.

import type { Mutants } from '../tamper.ts'
import { access } from './access.ts'
import { assets } from './assets.ts'
import { jobs } from './jobs.ts'
import { streams } from './streams.ts'

export const v2: Readonly<Record<string, Mutants>> = {
  'v2-access': access,
  'v2-jobs': jobs,
  'v2-streams': streams,
  'v2-assets': assets,
}
