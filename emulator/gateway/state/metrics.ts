// What a gateway counts for its metrics, from the effects of its steps. Bounded: only names that exist are counted by
// name [operations/metrics-labels].

import { targets } from '../../../spec/gateway/deliveries.ts'
import type { Metric } from '../../../spec/metrics.ts'
import { metrics as described } from '../../../spec/gateway/metrics.ts'
import { addDuration, type Durations, noDurations } from '../../http/metrics-text.ts'
import type { GatewayEffect } from './inputs.ts'

/** Numbers by two labels. */
export type Counts = Map<string, Map<string, number>>

export type Metrics = {
  readonly posts: Counts
  readonly runs: Counts
  readonly deliveries: Counts
  readonly dead: Counts
  readonly runTimes: Durations
  readonly agentTimes: Durations
  readonly deliveryTimes: Durations
  /** When what is not over began, in milliseconds: runs, their agents, and deliveries. */
  readonly begun: Readonly<Record<'runs' | 'agents' | 'deliveries', Map<number, number>>>
}

export const noMetrics = (): Metrics => ({
  posts: new Map(),
  runs: new Map(),
  deliveries: new Map(),
  dead: new Map(),
  runTimes: noDurations(described.runTimes),
  agentTimes: noDurations(described.agentTimes),
  deliveryTimes: noDurations(described.deliveryTimes),
  begun: { runs: new Map(), agents: new Map(), deliveries: new Map() },
})

/** The label of what has no name that exists. */
const NOBODY = ''

const knownTargets: ReadonlySet<string> = new Set(targets)

/** @param isRoute whether a route of this name exists. */
export function noteMetrics(
  metrics: Metrics,
  effects: readonly GatewayEffect[],
  nowMs: number,
  isRoute: (name: string) => boolean,
): void {
  const { begun } = metrics
  for (const effect of effects) {
    switch (effect.kind) {
      case 'post':
        add(metrics.posts, isRoute(effect.route) ? effect.route : NOBODY, effect.verdict)
        break
      case 'run': {
        const { id, run } = effect
        if (run.status === 'running') begun.runs.set(id, nowMs)
        else if (begun.runs.has(id)) {
          add(metrics.runs, isRoute(run.route) ? run.route : NOBODY, run.status)
          end(metrics.runTimes, described.runTimes, begun.runs, id, nowMs)
          end(metrics.agentTimes, described.agentTimes, begun.agents, id, nowMs)
        }
        break
      }
      case 'ask':
        begun.agents.set(effect.id, nowMs)
        break
      case 'deliver':
        begun.deliveries.set(effect.id, nowMs)
        break
      case 'outbox': {
        const { id, entry, outcome } = effect
        const target = knownTargets.has(entry.target) ? entry.target : NOBODY
        add(metrics.deliveries, target, entry.status)
        if (outcome === 'dead') add(metrics.dead, target, outcome)
        end(metrics.deliveryTimes, described.deliveryTimes, begun.deliveries, id, nowMs)
        break
      }
      default:
    }
  }
}

function add(counts: Counts, name: string, other: string): void {
  let own = counts.get(name)
  if (own === undefined) counts.set(name, (own = new Map()))
  own.set(other, (own.get(other) ?? 0) + 1)
}

/** Adds the duration of what has begun, if its beginning is known. */
function end(
  durations: Durations,
  metric: Metric,
  begun: Map<number, number>,
  id: number,
  nowMs: number,
): void {
  const startedMs = begun.get(id)
  if (startedMs === undefined) return
  begun.delete(id)
  addDuration(durations, metric, (nowMs - startedMs) / 1000)
}

/** Forgets what is counted of routes that no longer exist. */
export function dropRoutes({ posts, runs }: Metrics, isRoute: (name: string) => boolean): void {
  for (const counts of [posts, runs])
    for (const name of counts.keys()) if (name !== NOBODY && !isRoute(name)) counts.delete(name)
}
