// What a scenario says of a webhook gateway: agent answers, failing and slow deliveries, used-up rate limits.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { delay, status } from './values.ts'
import { closed, list, name, options } from '../schema.ts'

/** One agent rule. The first rule that matches a run and has a member decides that member. */
const agentRule = options({
  route: { ...name, description: 'only runs of this route' },
  run: {
    type: 'integer',
    minimum: 1,
    description: 'only this run of the gateway, counted from 1',
  },
  answer: {
    type: 'string',
    description:
      'what the agent answers, with {prompt}, {route}, {event} and {delivery_id}; [SILENT] delivers nothing',
  },
  error: { ...name, description: 'the run fails with this error' },
  delayMs: { ...delay, description: 'how long the scripted agent takes' },
})

/** One delivery rule. The first one for a target applies until it has applied as often as it says. */
const deliveryRule = options({
  target: { ...name, description: 'deliveries to this target; * for all (default)' },
  error: {
    ...name,
    description:
      'the delivery fails with this error; without it and a status, it succeeds after its delay',
  },
  status: {
    ...status,
    description: 'the status with which the target fails, which decides about retries',
  },
  retryAfterMs: {
    ...delay,
    description: 'how long the target asks to wait before the next attempt',
  },
  times: { type: 'integer', minimum: 1, description: 'how many attempts (default: all)' },
  delayMs: { ...delay, description: 'how long the delivery takes' },
})

export const gatewayScript = options({
  agent: list(agentRule),
  deliveries: {
    ...list(deliveryRule),
    description: 'deliveries to the outbox that fail or take time',
  },
  rateLimits: list(
    closed({
      route: name,
      used: {
        type: 'integer',
        minimum: 0,
        maximum: 100_000,
        description: 'posts already counted at the start',
      },
    }),
  ),
})

export type GatewayScript = Static<typeof gatewayScript>
export type AgentRule = Static<typeof agentRule>

export const rules = {
  ...chosen.gateway({
    'scenario/gateway-secrets-hidden':
      'Secrets in a scenario are placeholders in the journal of the gateway, which replays.',
    'scenario/agent-rules':
      'Agent rules decide answer, error and delay of runs by route and number; the first rule wins.',
    'scenario/agent-instead':
      'A run whose answer or error a rule sets is not handed to another agent.',
    'scenario/delivery-failures':
      'Delivery rules make attempts to a target fail: each rule as often as it says, in order.',
    'scenario/delivery-delays':
      'A slow delivery ends after its delay, or times out as a delivery of a sender does.',
    'scenario/used-rate-limit':
      'Posts that a scenario counts in advance use up the rate limit of a route for one window.',
  }),
} as const satisfies Rules
