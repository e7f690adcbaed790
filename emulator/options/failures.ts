// The failures option: node rules that make nodes fail.

import type { Schema } from './json-schema.ts'
import { readObjects } from './read-objects.ts'
import { type NodeRule, nodeRule } from '../../spec/scenario/nodes.ts'

const { class_type, node_id, user, run, exception_type, exception_message, atStep } =
  nodeRule.properties

/** The JSON Schema of the list in a config file. */
export const failuresSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['exception_type'],
    properties: {
      class_type,
      node_id,
      user,
      run,
      exception_type: {
        ...exception_type,
        description: 'hosted: one of six types, or a type that maps to one',
      },
      exception_message,
      atStep,
    },
  },
} as const satisfies Schema

/** Reads the option: the failures, or a message that says what is wrong. */
export const readFailures = (value: unknown): readonly NodeRule[] | string =>
  readObjects(failuresSchema, value, 'failure')
