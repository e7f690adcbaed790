// What the Router keeps of an account, made when it is first needed.

import { createRandom } from '../../lib/random.ts'
import type { RouterState } from '../state/router.ts'
import type { World } from '../state/world.ts'

export const routerOf = ({ setup, state }: Pick<World, 'setup' | 'state'>): RouterState =>
  (state.router ??= {
    random: createRandom(`router of ${setup.options.seed} ${setup.index}`),
  })
