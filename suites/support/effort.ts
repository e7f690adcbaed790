// The effort of a test run: everything in `npm run test:long`, a small fixed sample in `npm test`.

/** Whether everything is tried. A request for one seed of a property includes all of its runs. */
export const isLong = process.env['SUITE'] === 'long' || process.env['FC_SEED'] !== undefined

/** How often a property is tried: this often, in the sample a quarter of it. */
export const runs = (whole: number): number => (isLong ? whole : Math.ceil(whole / 4))

/** All of a list; in the sample every nth item. */
export const sampleOf = <T>(all: readonly T[], every: number): readonly T[] =>
  isLong ? all : all.filter((_, at) => at % every === 0)
