// The metrics of a server with its worlds as text [shared/metrics].

import { type Metric, metricsType, processMetrics, serverMetrics } from '../../../spec/metrics.ts'
import type { ProcessFacts } from '../../gateway/metrics.ts'
import { block, byLabel, type Durations, sample, single, timed } from '../../http/metrics-text.ts'
import { version } from '../../lib/version.ts'
import type { ControlReply } from '../control.ts'
import type { UsedWorld } from '../worlds.ts'
import type { Traffic } from './traffic.ts'

/** What the metrics show. */
export type Measured = {
  readonly traffic: Traffic
  /** With the world at the root. */
  readonly worlds: readonly UsedWorld[]
  readonly created: number
  readonly expired: number
  readonly trims: number
  /** Infinite without a bound. */
  readonly limitBytes: number
  readonly lag: Durations
  readonly facts: ProcessFacts
}

export function metricsOf(measured: Measured): ControlReply {
  const { traffic, worlds, created, expired, trims, limitBytes, lag, facts } = measured
  const all = { history: 0, journal: 0, uploads: 0, waiting: 0 }
  let [sockets, waiting, full] = [0, 0, 0]
  for (const { memory } of worlds) {
    const sizes = memory.sizes()
    for (const kind of ['history', 'journal', 'uploads', 'waiting'] as const)
      all[kind] += sizes[kind]
    const counts = memory.counts()
    sockets += counts.sockets
    waiting += counts.waiting
    if (counts.isFull) full++
  }
  const { requests, text, binary, success, error, interrupted } = traffic
  const { build } = serverMetrics
  const parts = [
    block(build, [sample(build.name, [['version', version]], 1)]),
    single(serverMetrics.worlds, worlds.filter(({ name }) => name !== null).length),
    single(serverMetrics.created, created),
    single(serverMetrics.expired, expired),
    single(serverMetrics.sockets, sockets),
    single(serverMetrics.runsWaiting, waiting),
    single(serverMetrics.requests, requests),
    byLabel(serverMetrics.runs, { success, error, interrupted }),
    byLabel(serverMetrics.messages, { text, binary }),
    byLabel(serverMetrics.bytes, all),
    single(serverMetrics.limit, limitBytes),
    single(serverMetrics.trims, trims),
    single(serverMetrics.full, full),
    timed(serverMetrics.lag, lag),
    ...Object.entries<Metric>(processMetrics).map(([name, metric]) =>
      single(metric, facts[name as keyof ProcessFacts]),
    ),
  ]
  return { status: 200, type: metricsType, body: parts.join('') }
}
