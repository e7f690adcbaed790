// Selects the test files of each command: `npm run test:quick`, `npm test`, `npm run test:long`.

import { join } from 'node:path'

/** The parts of the contract that take too long for the quick command: they start processes, or fill something up. */
const slow = [
  'access/hosted',
  'access/token',
  'assets/files',
  'catalog/hosted',
  'catalog/own-types',
  'check/counted/',
  'check/ledger',
  'check/plan',
  'check/sessions',
  'check/targets/',
  'control/bounds',
  'control/script',
  'control/worlds',
  'deliveries/agents',
  'deliveries/commands',
  'deliveries/runs',
  'deliveries/senders',
  'deliveries/sending',
  'deliveries/waiting',
  'deployments/tls',
  'drift/wrong',
  'duties/',
  'files/animated',
  'files/bounds',
  'files/convert',
  'files/hosted/links',
  'files/hosted/uploads',
  'files/hosted/view',
  'files/samples',
  'frames/frames',
  'frames/previews',
  'frames/threads',
  'history/queries',
  'http/bodies',
  'http/guards',
  'http/hosted',
  'http/hostile',
  'http/pipelined',
  'inspector/escaping',
  'internal/internal',
  'manager/manager',
  'messages/transport',
  'nodes/recorded',
  'queue/bounds',
  'recordings/journal',
  'recordings/learn',
  'recordings/sockets',
  'replay/polls',
  'round-trip/',
  'rules/',
  'run/',
  'runs/cache',
  'runs/failures',
  'scenario/expansion',
  'scenario/files',
  'scenario/lazy',
  'scenario/named',
  'serve/',
  'settings/settings',
  'signatures/forgotten',
  'subscriptions/file',
  'subscriptions/gateway',
  'subscriptions/setup',
  'subscriptions/subscriptions',
  'subscriptions/test',
  'templates/templates',
  'trace/command',
  'trace/played',
  'trace/shrink',
  'trace/speed',
  'userdata/refusals',
  'webhooks/repeats',
  'webhooks/webhooks',
]

/** The folders and files that the quick command leaves out. */
export const slowPlaces = slow.map((name) =>
  join('suites/contract', name.endsWith('/') ? name : `${name}.test.ts`),
)

const all = 'suites/**/*.test.ts'
const longFiles = '**/*.long.test.ts'

/**
 * Files to run and to leave out, by the mode of the test runner. Files that only the long command runs have `long` in
 * their names.
 */
export const commands = {
  quick: {
    include: ['suites/contract/**/*.test.ts', 'suites/house/tidy.test.ts'],
    exclude: [
      ...slowPlaces.map((place) => (place.endsWith('/') ? `${place}**` : place)),
      longFiles,
    ],
  },
  test: { include: [all], exclude: [longFiles] },
  long: { include: [all], exclude: [] },
}
