// Writes metrics in the text format that Prometheus reads.

import type { Metric } from '../../spec/metrics.ts'

export type Label = readonly [name: string, value: string]

/** Durations by the buckets of their metric. */
export type Durations = {
  /** How many were at most as long as each bound of the metric, but longer than the one before; then the longer ones. */
  readonly buckets: number[]
  count: number
  sumSeconds: number
}

export const noDurations = ({ buckets = [] }: Metric): Durations => ({
  buckets: [...buckets, Infinity].map(() => 0),
  count: 0,
  sumSeconds: 0,
})

export function addDuration(durations: Durations, { buckets = [] }: Metric, seconds: number): void {
  const at = buckets.findIndex((bound) => seconds <= bound)
  const bucket = at < 0 ? buckets.length : at
  durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1
  durations.count++
  durations.sumSeconds += seconds
}

/** A metric with its samples. */
export const block = ({ name, type, help }: Metric, samples: readonly string[]): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`

export function sample(name: string, labels: readonly Label[], value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
  const number = value === Infinity ? '+Inf' : `${value}`
  return `${name}${pairs === '' ? '' : `{${pairs}}`} ${number}\n`
}

/** A metric without labels. */
export const single = (metric: Metric, value: number): string =>
  block(metric, [sample(metric.name, [], value)])

/** A metric with one label, by its values. */
export const byLabel = (metric: Metric, values: Readonly<Record<string, number>>): string =>
  block(
    metric,
    Object.entries(values).map(([value, number]) =>
      sample(metric.name, [[metric.labels[0] ?? '', value]], number),
    ),
  )

export function timed(metric: Metric, durations: Durations): string {
  let count = 0
  const samples = [...(metric.buckets ?? []), '+Inf'].map((bound, at) => {
    count += durations.buckets[at] ?? 0
    return sample(`${metric.name}_bucket`, [['le', `${bound}`]], count)
  })
  return block(metric, [
    ...samples,
    sample(`${metric.name}_sum`, [], durations.sumSeconds),
    sample(`${metric.name}_count`, [], durations.count),
  ])
}

const escaped = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
