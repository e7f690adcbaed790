// Run rules: how long runs wait and take, how they end, and how far records lag behind the socket.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { delay } from './values.ts'
import { name, options, positive, text } from '../schema.ts'

const polls = { ...positive, maximum: 10_000 } as const

/** One run rule. The first rule that matches a run and has a member decides that member. */
export const runRule = options({
  run: { type: 'integer', minimum: 1, description: 'only this accepted run, counted from 1' },
  user: { ...name, description: 'only runs of this account (hosted)' },
  workflow: { ...name, description: 'only runs whose workflow contains a node of this type' },
  waitMs: { ...delay, description: 'how long the run waits before it starts' },
  expiresMs: {
    ...delay,
    description: 'how long the run waits at most before it leaves the queue, expired (hosted)',
  },
  durationMs: { ...delay, description: 'how long it takes, spread over its nodes and steps' },
  neverEnds: {
    const: true,
    description:
      'its last node starts and never finishes, until the run is interrupted; a clock that waits until idle does not wait for it',
  },
  outcome: {
    enum: ['success', 'error', 'interrupted'],
    description: 'how it ends, after its last node',
  },
  exception_type: { ...name, description: 'the exception of an error (default RuntimeError)' },
  exception_message: text,
  historyLagMs: {
    ...delay,
    description: 'how much later than the socket the history and the queue know its end',
  },
  jobLagMs: {
    ...delay,
    description: 'how much later than the socket job status and list know its end (hosted)',
  },
  historyLagPolls: {
    ...polls,
    description: 'how many requests for history or jobs miss the run once its end is known',
  },
  jobLagPolls: {
    ...polls,
    description:
      'how many requests for the job or the list find it in progress after its end (hosted)',
  },
  socketLagMs: { ...delay, description: 'how much later than the server its messages are sent' },
})

export type RunRule = Static<typeof runRule>

export const rules = {
  ...chosen.both({
    'scenario/run-wait':
      'A run rule sets how long a run waits; those behind it in the queue wait with it.',
    'scenario/run-duration':
      'The duration of a run is shared by its nodes in equal parts, and by the steps of a node.',
    'scenario/run-never-ends':
      'A run that never ends stays in its last node until it is interrupted.',
    'scenario/run-never-ends-idle':
      'A run that never ends has no timer: a clock that waits until idle stops while it runs.',
    'scenario/run-outcome':
      'A run rule makes a run fail or stop at its last node, after that has finished.',
    'scenario/run-choice':
      'Run rules apply by number, account and node type; the first that has a member decides it.',
    'scenario/history-lag':
      'Until a history lag is over, the queue lists the run as running, and the history lacks it.',
    'scenario/history-lag-polls':
      'The first requests after the end of a run miss it in the history; the queue lacks it as well.',
  }),
  ...chosen.local({
    'scenario/history-lag-polls-jobs':
      'A request for local jobs misses such a run, too, and counts as one for its history.',
  }),
  ...chosen.hosted({
    'scenario/run-expires':
      'A run that has not started after its expiresMs is cancelled; in the hosted API v2 it is expired.',
    'scenario/job-lag':
      'Until a job lag is over, the status and the list of jobs show the run as in progress.',
    'scenario/job-lag-polls':
      'The first requests for a job after its end find it in progress; its streams have the end.',
  }),
  ...chosen.both({
    'scenario/socket-lag':
      'A socket lag delays all messages of a run by the same time; its records do not wait.',
  }),
} as const satisfies Rules
