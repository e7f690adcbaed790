// What the Router keeps of an account, made when it is first needed.

import { queueLimits } from '../../../spec/router/router-queue.ts'
import { recordLimits } from '../../../spec/router/router-runs.ts'
import { createBounded } from '../../lib/bounded.ts'
import { createRandom } from '../../lib/random.ts'
import type { RouterState } from '../state/router.ts'
import type { World } from '../state/world.ts'

export const routerOf = ({ setup, state }: Pick<World, 'setup' | 'state'>): RouterState =>
  (state.router ??= {
    random: createRandom(`router of ${setup.options.seed} ${setup.index}`),
    calls: createBounded(queueLimits.kept),
    waiting: new Set(),
    running: new Set(),
    held: new Map(),
    records: createBounded(recordLimits.kept),
  })
