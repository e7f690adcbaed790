// Duties about how runs end: failed, interrupted, rejected, cached, lost, or known late.

import type { Fault } from 'flowdouble'
import {
  all,
  asked,
  broken,
  type Duty,
  type Script,
  ends,
  fails,
  type Judgement,
  kept,
  notJudged,
  submitsOf,
  succeeds,
  withoutOutputs,
} from './duty.ts'
import type { Observed, Ordinary } from './observed.ts'

/** How late records are. */
const LAG_MS = 400

/** A node rule for each node type with outputs. */
const onOutputs = (ordinary: Ordinary, rule: object): NonNullable<Script['nodes']> =>
  ordinary.outputNodes.map(({ class_type }) => ({ class_type, ...rule }))

const failing = (ordinary: Ordinary): NonNullable<Script['nodes']> =>
  onOutputs(ordinary, { exception_type: 'RuntimeError', exception_message: 'a failure on purpose' })

/** Checks of all inputs that no value passes, so that the server rejects the workflow. */
const rejecting = ({ outputNodes }: Ordinary): NonNullable<Script['nodes']> =>
  outputNodes.map(({ class_type, inputs }) => ({
    class_type,
    validate: Object.keys(inputs).map((input) => ({
      input,
      type: 'null' as const,
      types: ['NOTHING'],
      message: 'invalid on purpose',
    })),
  }))

/** Not judged if the server rejected nothing: then this client submitted another workflow than before. */
const unlessAccepted = (seen: Observed, judgement: Judgement): Judgement =>
  submitsOf(seen).some(({ status, run }) => status === 400 || run !== null) &&
  seen.messages.every(({ type }) => type !== 'execution_start')
    ? judgement
    : notJudged('The server found nothing to reject in the workflow.')

/** No message reports the error: only the record of the run does. */
const withoutErrors: readonly Fault[] = [
  { when: { message: 'execution_error' }, then: { skip: true } },
]

/** The most submits of equal workflows. */
function mostEqual(seen: Observed): number {
  const texts = seen.submits.map((text) => text.replaceAll(/\d/g, '0'))
  return Math.max(0, ...texts.map((text) => texts.filter((one) => one === text).length))
}

/** When a run is under way: at its first node, or when a client without socket asks for it. */
const inMidRun = (sockets: Observed['sockets']): Fault['when'] =>
  sockets.length > 0
    ? { message: 'executing', nth: 1 }
    : { method: 'GET', path: '/history/**', nth: 1 }

export const outcomeDuties: readonly Duty[] = [
  {
    rule: 'duties/status-first',
    unless: withoutOutputs,
    world: (ordinary) => ({
      options: { quirk: ['history.completed-on-error'] },
      scenario: { nodes: failing(ordinary), faults: withoutErrors },
    }),
    judge: (seen) =>
      asked(seen, 'GET', /^\/history/).length === 0 && seen.end.exitCode !== 0
        ? notJudged('The client does not read the history of a failed run.')
        : fails(seen),
  },
  {
    rule: 'duties/failed-run',
    unless: withoutOutputs,
    world: (ordinary) => ({ scenario: { nodes: failing(ordinary) } }),
    judge: fails,
  },
  {
    rule: 'duties/interrupted-run',
    world: () => ({ scenario: { runs: [{ outcome: 'interrupted' }] } }),
    judge: fails,
  },
  {
    rule: 'duties/rejected-workflow',
    unless: withoutOutputs,
    world: (ordinary) => ({ scenario: { nodes: rejecting(ordinary) } }),
    judge: (seen, ordinary) => {
      const isRepeated = mostEqual(seen) > mostEqual(ordinary)
      return unlessAccepted(
        seen,
        all(fails(seen), isRepeated ? broken('It submitted the rejected workflow again.') : kept),
      )
    },
  },
  {
    rule: 'duties/names-the-node',
    unless: withoutOutputs,
    world: (ordinary) => ({ scenario: { nodes: rejecting(ordinary) } }),
    judge: (seen, { outputNodes }) => {
      const isNamed = outputNodes.some(({ class_type }) => seen.end.output.includes(class_type))
      return unlessAccepted(
        seen,
        isNamed ? kept : broken('Its output does not contain the type of the invalid node.'),
      )
    },
  },
  {
    rule: 'duties/node-errors',
    unless: withoutOutputs,
    world: (ordinary) => ({
      options: { quirk: ['workflows.invalid-is-200'] },
      scenario: { nodes: rejecting(ordinary) },
    }),
    judge: (seen) => unlessAccepted(seen, fails(seen)),
  },
  {
    rule: 'duties/cached-run',
    world: () => ({}),
    isRepeated: true,
    judge: succeeds,
  },
  {
    rule: 'duties/late-record',
    world: () => ({ scenario: { runs: [{ historyLagMs: LAG_MS, jobLagMs: LAG_MS }] } }),
    judge: succeeds,
  },
  {
    rule: 'duties/lost-run',
    world: ({ sockets }) => ({
      scenario: { faults: [{ when: inMidRun(sockets), then: { restart: true } }] },
    }),
    judge: ends,
  },
]
