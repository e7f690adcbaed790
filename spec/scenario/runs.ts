// Run rules: how long runs wait and take, how they end, and how far records lag behind the socket.

import type { Schema } from '../language.ts'
import type { Static } from '../static.ts'

const name = { type: 'string', minLength: 1 } as const
const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const

/** One run rule. The first rule that matches a run and has a member decides that member. */
export const runRule = {
  type: 'object',
  additionalProperties: false,
  properties: {
    run: { type: 'integer', minimum: 1, description: 'only this accepted run, counted from 1' },
    user: { ...name, description: 'only runs of this account (hosted)' },
    workflow: { ...name, description: 'only runs whose workflow contains a node of this type' },
    waitMs: { ...delay, description: 'how long the run waits before it starts' },
    durationMs: { ...delay, description: 'how long it takes, spread over its nodes and steps' },
    neverEnds: { const: true, description: 'it runs until it is interrupted' },
    outcome: {
      enum: ['success', 'error', 'interrupted'],
      description: 'how it ends, after its last node',
    },
    exception_type: { ...name, description: 'the exception of an error' },
    exception_message: { type: 'string' },
    historyLagMs: { ...delay, description: 'how much later than the socket the history knows' },
    jobLagMs: { ...delay, description: 'how much later than the socket job status and list know' },
    socketLagMs: { ...delay, description: 'how much later than the server its messages are sent' },
  },
} as const satisfies Schema

export type RunRule = Static<typeof runRule>
