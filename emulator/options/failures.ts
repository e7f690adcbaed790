// The failures option: which node of which run fails, and with which error.

import { readObjects, type Schema } from './json-schema.ts'
import type { ScenarioFailure } from '../server/state/options.ts'

const name = { type: 'string', minLength: 1 } as const

/** The JSON Schema of the list in a config file. */
export const failuresSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['exception_type'],
    properties: {
      class_type: { ...name, description: 'only nodes of this type' },
      node_id: { ...name, description: 'only the node with this id' },
      user: { ...name, description: 'only runs of this account (hosted)' },
      run: { type: 'integer', minimum: 1, description: 'only this accepted run, counted from 1' },
      exception_type: {
        ...name,
        description: 'hosted: one of six types, or a type that maps to one',
      },
      exception_message: { type: 'string' },
    },
  },
} as const satisfies Schema

/** Reads the option: the failures, or a message that says what is wrong. */
export const readFailures = (value: unknown): readonly ScenarioFailure[] | string =>
  readObjects(failuresSchema, value, 'failure') as readonly ScenarioFailure[] | string
