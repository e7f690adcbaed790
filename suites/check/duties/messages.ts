// Duties about messages and frames that a client does not expect: unknown, short, large, repeated, missing, foreign.

import type { Fault } from 'flowdouble'
import {
  all,
  broken,
  type Duty,
  faulty,
  kept,
  succeeds,
  survives,
  viewsOf,
  withoutSocket,
  withoutView,
} from './duty.ts'

/** Larger than the limits of common WebSocket libraries. */
const LARGE = 2 * 1024 * 1024

/** The run of somebody else. */
const foreign = '00000000-0000-4000-8000-00000000f0e1'

/** A file that only the run of somebody else has. */
const foreignFile = 'of-somebody-else.png'

/** The messages that report the end of a run: none of them arrives. */
const withoutEnd: readonly Fault[] = [
  { when: { message: 'execution_success' }, then: { skip: true } },
  { when: { message: 'executing', data: { node: null } }, then: { skip: true } },
]

/** A message that is sent before the first one of a type. */
const before = (message: string, type: string, data: object): Fault => ({
  when: { message, nth: 1 },
  then: { insert: { type, data } },
})

const insertedBefore = (message: string): Fault => ({
  when: { message },
  then: { insert: { type: 'gpu_telemetry', data: { device: 0, used: [0.93] } } },
})

export const messageDuties: readonly Duty[] = [
  survives(
    'duties/unknown-messages',
    insertedBefore('executing'),
    before('executed', 'notice', {}),
  ),
  survives('duties/unknown-fields', {
    when: { message: '*' },
    then: { alter: { eta_seconds: 12, detail: { unit: 'step' } } },
  }),
  survives('duties/empty-status', { when: { message: 'status' }, then: { alter: { status: {} } } }),
  {
    rule: 'duties/short-frames',
    unless: withoutSocket,
    world: () => ({
      scenario: {
        nodes: [{ steps: 3, preview: 'jpeg' }],
        faults: [
          { when: { message: 'preview', nth: 1 }, then: { short: 2 } },
          { when: { message: 'preview', nth: 2 }, then: { short: 6 } },
        ],
      },
    }),
    judge: succeeds,
  },
  survives('duties/large-messages', before('executing', 'log', { text: 'x'.repeat(LARGE) })),
  {
    rule: 'duties/order',
    unless: withoutSocket,
    world: () => ({
      options: { pace: 20 },
      scenario: { faults: [{ when: { message: 'executing', nth: 1 }, then: { delayMs: 30 } }] },
    }),
    judge: succeeds,
  },
  {
    ...survives(
      'duties/repeated-end',
      { when: { message: 'execution_success' }, then: { repeat: 2 } },
      { when: { message: 'executing', data: { node: null } }, then: { repeat: 2 } },
    ),
    judge: (seen, ordinary) => {
      const [now, usual] = [viewsOf(seen).length, viewsOf(ordinary).length]
      const isMore = now > usual && usual > 0
      return all(
        succeeds(seen),
        isMore ? broken(`It downloaded ${now} files instead of ${usual}.`) : kept,
      )
    },
  },
  survives('duties/missing-end', ...withoutEnd),
  {
    rule: 'duties/missing-executed',
    unless: (seen) => withoutSocket(seen) ?? withoutView(seen),
    ...faulty({ when: { message: 'executed' }, then: { skip: true } }),
    judge: (seen) =>
      all(succeeds(seen), viewsOf(seen).length === 0 ? broken('It downloaded no output.') : kept),
  },
  {
    ...survives(
      'duties/foreign-messages',
      before('execution_start', 'executed', {
        node: '9',
        prompt_id: foreign,
        output: { images: [{ filename: foreignFile, subfolder: '', type: 'output' }] },
      }),
      before('executing', 'execution_error', {
        prompt_id: foreign,
        node_id: '9',
        node_type: 'SaveImage',
        exception_type: 'OOMError',
        exception_message: 'Allocation on device',
        traceback: [],
      }),
      before('executed', 'execution_success', { prompt_id: foreign }),
    ),
    judge: (seen) => {
      const isFetched = viewsOf(seen).some(({ query }) => query['filename'] === foreignFile)
      return all(
        succeeds(seen),
        isFetched ? broken('It downloaded an output of another run.') : kept,
      )
    },
  },
]
