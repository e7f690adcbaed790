// The metrics of a gateway, by the conventions of Prometheus: names with the unit last, counters that end in `_total`.

import type { Metric } from '../metrics.ts'

const counter = (name: string, help: string, ...labels: readonly string[]) =>
  ({ name: `flowdouble_gateway_${name}_total`, type: 'counter', help, labels }) as const
const gauge = (name: string, help: string, ...labels: readonly string[]) =>
  ({ name: `flowdouble_gateway_${name}`, type: 'gauge', help, labels }) as const
const histogram = (name: string, help: string, buckets: readonly number[]) => ({
  name: `flowdouble_gateway_${name}_duration_seconds`,
  type: 'histogram' as const,
  help,
  labels: [],
  buckets,
})

const ofAgents = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600]
const ofCalls = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export const metrics = {
  build: gauge('build_info', 'The version of the gateway; always 1.', 'version'),
  degraded: gauge('degraded', 'Whether /health says that something is wrong: 1 or 0.'),
  draining: gauge('draining', 'Whether the gateway stops: 1 or 0.'),
  routes: gauge('routes', 'Routes that the gateway serves.'),
  posts: counter('posts', 'Posts, by their route and by what became of them.', 'route', 'verdict'),
  runs: counter('runs', 'Ended agent runs, by their route and status.', 'route', 'status'),
  deliveries: counter(
    'deliveries',
    'Attempts to deliver, by their target and status.',
    'target',
    'status',
  ),
  dead: counter('answers_dead', 'Answers whose delivery was given up, by their target.', 'target'),
  runsWaiting: gauge('runs_waiting', 'Agent runs that wait for their answer.'),
  runsWaitingBytes: gauge('runs_waiting_bytes', 'The size of these runs in bytes.'),
  runsAtWork: gauge('runs_at_work', 'Agent runs on which the agent works.'),
  deliveriesPending: gauge('deliveries_pending', 'Deliveries in progress, or before a retry.'),
  runTimes: histogram('run', 'Time from a post to the end of its agent run.', ofAgents),
  agentTimes: histogram(
    'agent',
    'Time that an agent command or agent URL works on a run.',
    ofAgents,
  ),
  deliveryTimes: histogram('delivery', 'Time of an attempt to send a delivery.', ofCalls),
} as const satisfies Readonly<Record<string, Metric>>
