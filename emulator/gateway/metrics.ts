// The metrics of a gateway as text, in the format that Prometheus reads [operations/metrics].

import { metrics as described } from '../../spec/gateway/metrics.ts'
import { type Metric, metricsType, processMetrics } from '../../spec/metrics.ts'
import { block, type Label, sample, single, timed } from '../http/metrics-text.ts'
import type { Reply } from '../http/replies.ts'
import { version } from '../lib/version.ts'
import type { Counts } from './state/metrics.ts'
import { problemsOf } from './state/problems.ts'
import type { GatewayWorld } from './state/state.ts'

/** What the process takes, as its edge knows it. */
export type ProcessFacts = Readonly<Record<keyof typeof processMetrics, number>>

/** @param facts null without a process. */
export const metricsReply = (world: GatewayWorld, facts: ProcessFacts | null = null): Reply => ({
  status: 200,
  headers: { 'Content-Type': metricsType },
  body: metricsText(world, facts),
})

function metricsText({ setup, state }: GatewayWorld, facts: ProcessFacts | null): string {
  const { metrics, waiting, asked, attempts, dynamicRoutes, isDraining } = state
  const parts = [
    block(described.build, [sample(described.build.name, [['version', version]], 1)]),
    single(described.degraded, problemsOf(state).length > 0 ? 1 : 0),
    single(described.draining, isDraining ? 1 : 0),
    single(described.routes, setup.staticRoutes.size + dynamicRoutes.size),
    counted(described.posts, metrics.posts),
    counted(described.runs, metrics.runs),
    counted(described.deliveries, metrics.deliveries),
    counted(described.dead, metrics.dead),
    single(described.runsWaiting, waiting.count),
    single(described.runsWaitingBytes, waiting.bytes),
    single(described.runsAtWork, asked.size),
    single(described.deliveriesPending, attempts.size),
    timed(described.runTimes, metrics.runTimes),
    timed(described.agentTimes, metrics.agentTimes),
    timed(described.deliveryTimes, metrics.deliveryTimes),
  ]
  if (facts !== null)
    for (const [name, metric] of Object.entries(processMetrics))
      parts.push(single(metric, facts[name as keyof ProcessFacts]))
  return parts.join('')
}

/** @param counts by the labels of the metric; of those with one label, the other one does not count. */
const counted = (metric: Metric, counts: Counts): string =>
  block(
    metric,
    Array.from(counts, ([name, own]) =>
      Array.from(own, ([other, count]) => {
        const values = [name, other]
        const labels = metric.labels.map((label, at): Label => [label, values[at] ?? ''])
        return sample(metric.name, labels, count)
      }).join(''),
    ),
  )
