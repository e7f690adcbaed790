// Selects the test files of each mode by their names: `npm run test:quick`, `npm test`, `npm run test:long`.

const all = 'suites/**/*.test.ts'

/** Files that the quick command leaves out: they start processes, fill something up, or take half a second. */
const slow = '**/*.slow.test.ts'

/** Files that only the long command runs. */
const long = '**/*.long.test.ts'

/** Files to run and to leave out, by the mode. */
export const modes = {
  quick: {
    include: ['suites/{cases,commands}/**/*.test.ts', 'suites/house/tidy.test.ts'],
    exclude: [slow, long],
  },
  test: { include: [all], exclude: [long] },
  long: { include: [all], exclude: [] },
}
