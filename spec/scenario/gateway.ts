// What a scenario says of a webhook gateway: agent answers, failing and slow deliveries, used-up rate limits.

import type { Schema } from '../language.ts'

const name = { type: 'string', minLength: 1 } as const
const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const

export const gatewayScript = {
  type: 'object',
  additionalProperties: false,
  properties: {
    agent: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          route: { ...name, description: 'only runs of this route' },
          run: { type: 'integer', minimum: 1, description: 'only this run, counted from 1' },
          answer: {
            type: 'string',
            description: 'what the agent answers; [SILENT] delivers nothing',
          },
          error: { ...name, description: 'the run fails with this error' },
          delayMs: { ...delay, description: 'how long the agent takes' },
        },
      },
    },
    deliveries: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          target: { ...name, description: 'deliveries to this target; * for all (default)' },
          error: { ...name, description: 'the delivery fails with this error' },
          times: { type: 'integer', minimum: 1, description: 'how many attempts (default: all)' },
          delayMs: { ...delay, description: 'how long the delivery takes' },
        },
      },
    },
    rateLimits: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['route', 'used'],
        properties: {
          route: name,
          used: { type: 'integer', minimum: 0, description: 'posts already counted at the start' },
        },
      },
    },
  },
} as const satisfies Schema
