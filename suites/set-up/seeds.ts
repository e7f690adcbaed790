// The seed of properties that name none: one and the same in every run, and any in the long one, which looks for what nobody has
// seen. FC_SEED and FC_PATH repeat what a failure names.

import { configureGlobal } from 'fast-check'

const { FC_SEED, FC_PATH, SUITE } = process.env

const seed = FC_SEED ?? (SUITE === 'long' ? undefined : 20_260_101)
configureGlobal({
  ...(seed !== undefined && { seed: Number(seed) }),
  ...(FC_PATH !== undefined && { path: FC_PATH }),
})
