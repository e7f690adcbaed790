// What a world starts with: files, finished runs, and runs of other clients.

import type { Schema } from '../language.ts'
import type { Static } from '../static.ts'
import { scenarioFile } from './nodes.ts'

const name = { type: 'string', minLength: 1 } as const
const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const
/** A workflow in API format, or a file with one. */
const workflow = { type: ['object', 'string'], minLength: 1 } as const

export const start = {
  type: 'object',
  additionalProperties: false,
  properties: {
    files: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path'],
        properties: {
          ...scenarioFile.properties,
          path: { ...name, description: 'folder and name, such as input/photo.png' },
          user: { ...name, description: 'only for this account (hosted)' },
        },
      },
    },
    history: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          workflow,
          prompt_id: name,
          client_id: name,
          user: name,
          outcome: { enum: ['success', 'error', 'interrupted'], default: 'success' },
          exception_type: name,
          exception_message: { type: 'string' },
          times: { type: 'integer', minimum: 1, maximum: 10_000, default: 1 },
        },
      },
      description: 'runs that are over, oldest first; by default of a small workflow',
    },
    queue: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: {
          workflow,
          prompt_id: name,
          client_id: name,
          user: name,
          durationMs: { ...delay, description: 'how long it runs' },
          neverEnds: { const: true },
          times: { type: 'integer', minimum: 1, maximum: 10_000, default: 1 },
        },
      },
      description: 'runs of other clients; the first ones run, the others wait',
    },
    cached: {
      type: 'array',
      items: workflow,
      description: 'workflows whose results are in the cache',
    },
  },
} as const satisfies Schema

export type Start = Static<typeof start>
