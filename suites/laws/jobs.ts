// Laws about hosted jobs: their states follow the table of transitions, and say the same as the messages.

import { type JobStatus, jobTransitions } from '../../spec/server/jobs.ts'
import { equal, law, type Law, unless } from './law.ts'
import type { Listed, Trace, TracedRun } from '../../dist/emulator/session/index.js'
import { sortedOutputs, reportedOutputs } from './history.ts'
import { type ReceivedRun, receivedRuns, isWhole, terminalOf } from './order.ts'

type Step = { readonly run: TracedRun; readonly before: Listed; readonly after: Listed }

/** Each state of a job with the one before it, of requests that did not overlap. */
function* steps({ runs }: Trace): Iterable<Step> {
  for (const run of runs) {
    let before: Listed | undefined
    for (const after of run.jobs) {
      if (before !== undefined && before.exchange.recorded.endMs <= after.exchange.recorded.startMs)
        yield { run, before, after }
      before = after
    }
  }
}

/** Every state that can follow another, over others too. */
const reachable = (from: JobStatus): ReadonlySet<string> => {
  const all = new Set<string>([from])
  for (const state of all)
    for (const next of jobTransitions[state as JobStatus] ?? []) all.add(next)
  return all
}

const after = Object.fromEntries(
  Object.keys(jobTransitions).map((from) => [from, reachable(from as JobStatus)]),
)

const finals: Readonly<Record<string, JobStatus>> = {
  execution_success: 'completed',
  execution_error: 'failed',
  execution_interrupted: 'cancelled',
}

/** Each final state of a job whose run was received to its end. */
function* ended(trace: Trace): Iterable<ReceivedRun & Listed> {
  for (const one of receivedRuns(isWhole)(trace))
    for (const { exchange, entry } of one.run.jobs)
      if (Object.values(finals).some((state) => state === entry.status))
        yield { ...one, exchange, entry }
}

export const jobLaws: readonly Law[] = [
  law('jobs/status', steps, ({ run, before, after: next }) =>
    unless(
      after[before.entry.status]?.has(next.entry.status) ?? true,
      { exchange: next.exchange },
      () =>
        `The job ${run.prompt_id} is ${next.entry.status}, and was ${before.entry.status} before.`,
    ),
  ),
  law('jobs/status-final', ended, (one) =>
    equal(
      { exchange: one.exchange },
      `the state of ${one.run.prompt_id}`,
      one.entry.status,
      finals[terminalOf(one.received) ?? ''],
    ),
  ),
  law(
    'jobs/detail',
    function* (trace) {
      for (const one of ended(trace)) if (one.entry.outputs !== undefined) yield one
    },
    (one) =>
      equal(
        { exchange: one.exchange },
        `the outputs of ${one.run.prompt_id}`,
        sortedOutputs(one.entry.outputs),
        reportedOutputs(one),
      ),
  ),
]
