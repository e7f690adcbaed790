// The metrics of a gateway as text, in the format that Prometheus reads [operations/metrics].

import {
  type Metric,
  metrics as described,
  metricsType,
  processMetrics,
} from '../../spec/gateway/metrics.ts'
import type { Reply } from '../http/replies.ts'
import { version } from '../lib/version.ts'
import type { Counts, Durations } from './state/metrics.ts'
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
  const single = (metric: Metric, value: number): string =>
    block(metric, [sample(metric.name, [], value)])
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

type Label = readonly [name: string, value: string]

const block = ({ name, type, help }: Metric, samples: readonly string[]): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`

function sample(name: string, labels: readonly Label[], value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${value}\n`
}

const escaped = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)

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

function timed(
  metric: Metric & { readonly buckets: readonly number[] },
  durations: Durations,
): string {
  let count = 0
  const samples = [...metric.buckets, '+Inf'].map((bound, at) => {
    count += durations.buckets[at] ?? 0
    return sample(`${metric.name}_bucket`, [['le', `${bound}`]], count)
  })
  return block(metric, [
    ...samples,
    sample(`${metric.name}_sum`, [], durations.sumSeconds),
    sample(`${metric.name}_count`, [], durations.count),
  ])
}
