// What a gateway that runs for long bounds, and what it shows to those who operate it.

import { get } from '../endpoint.ts'
import { chosen, type Endpoints, gateway, type Rules } from '../language.ts'
import { object, oneOf, text } from '../schema.ts'

const ready = object({ status: oneOf('ready') })
const draining = object({ status: oneOf('draining') })

/** Those of the paths of a gateway that are for its operators. */
export const operationEndpoints = {
  gatewayReady: get('/ready', gateway, {
    does: 'Reports whether the gateway accepts posts, for what sends them its way.',
    replies: { 200: ready, 503: draining },
  }),
  gatewayMetrics: get('/metrics', gateway, {
    does: 'Returns counts, gauges and durations in the text format of Prometheus.',
    replies: { 200: 'text', 403: object({ error: text }) },
  }),
} as const satisfies Endpoints

export const rules = {
  ...chosen.gateway({
    'operations/unfinished-bodies':
      'Unfinished bodies hold 16 MiB, or twice max_body_bytes; beyond it the one that stalls gets 503.',
    'operations/slow-body':
      'A body that stands still for 30 seconds, or takes 300 seconds, gets 408.',
    'operations/slow-head': 'A request head that takes longer than 10 seconds gets 408.',
    'operations/idle': 'A connection without a request ends after 75 seconds, with --like later.',
    'operations/connections':
      'A gateway with 10,000 connections closes each further one immediately.',
    'operations/refused-ends':
      'The connection of a request that meets such a bound ends; other posts are not held up.',
    'operations/answered-early':
      'A request answered before its body gets no second answer when its body takes too long.',
    'operations/refusal-lines':
      'A bound that refuses logs a warning: one line in 60 seconds, and the number of further ones.',
    'operations/degraded':
      'While something is wrong, /health has the status "degraded" and its `reasons`; it stays 200.',
    'operations/degraded-file':
      'A corrupt subscriptions file is a reason until it is valid or gone.',
    'operations/degraded-target':
      'So is a target whose last 3 attempts failed, for 3600 seconds from the latest one.',
    'operations/degraded-store':
      'So is a store that fails or is full, until it keeps something again.',
    'operations/ready':
      'GET /ready returns 200 "ready"; while the gateway stops, it returns 503 "draining".',
    'operations/metrics':
      'GET /metrics returns what the gateway counts and measures, in the text format of Prometheus.',
    'operations/metrics-labels':
      'Names of existing routes and targets are labels; all other posts count under an empty name.',
    'operations/metrics-callers':
      '/metrics is for clients on this machine, and for others with the control token, else 403.',
    'operations/control-token':
      '`gateway run --control-token` sets that token; so does the variable of the flag.',
    'operations/service':
      '`gateway service` prints a unit of systemd that starts `gateway run` with the given flags.',
    'operations/service-work': '`gateway service work` prints one for `gateway work`.',
    'operations/service-stop':
      'The unit restarts a gateway that failed, and waits for its drain before it kills.',
    'operations/service-secrets':
      'No secret stands in the unit: a control token or a password among its flags is refused.',
    'operations/service-writes':
      'The gateway of a unit can write to the directories of its files only; with --user, anywhere.',
    'operations/metrics-unrecorded':
      'Reading /metrics changes nothing: the journal has no entry of it.',
  }),
} as const satisfies Rules
