// How much a command of the suites tries: all of it in `npm run test:long`, a small fixed sample in `npm test`.

/** Whether all of it is to be tried. Whoever asks for one seed of a property asks for all of its runs. */
export const isLong = process.env['SUITE'] === 'long' || process.env['FC_SEED'] !== undefined

/** How often a property is tried: that often, in the sample a quarter of it. */
export const runs = (whole: number): number => (isLong ? whole : Math.ceil(whole / 4))

/** All of a list; in the sample each so many-th. */
export const sampleOf = <T>(all: readonly T[], every: number): readonly T[] =>
  isLong ? all : all.filter((_, at) => at % every === 0)
