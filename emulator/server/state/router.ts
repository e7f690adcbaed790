// The types of what only the Router of a hosted server keeps.

import type { Random } from '../../lib/random.ts'

export type RouterState = {
  /** Draws the ids of calls and requests, so that those of jobs stay as they are without them. */
  readonly random: Random
}
