// The baseline of `check`: a file in the repository of an operator, which lists the failures that are known.

import type { Schema } from './language.ts'
import { list, name, oneOf, text } from './schema.ts'

/** A failure that does not fail a check: a case by its title, or all cases of a rule. */
export type KnownFailure = {
  readonly title?: string
  readonly rule?: string
  readonly place: 'local' | 'hosted' | 'gateway'
  readonly reason: string
}

export type Baseline = {
  readonly $schema?: string
  readonly version: 1
  readonly failures: readonly KnownFailure[]
}

/** The JSON Schema of a baseline file. */
export const baselineSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'baseline.schema.json',
  title: 'Baseline of flowdouble check',
  description: 'Known failures of a server. One that no longer fails is stale: check exits with 3.',
  type: 'object',
  required: ['version', 'failures'],
  additionalProperties: false,
  properties: {
    $schema: text,
    version: { const: 1 },
    failures: list({
      type: 'object',
      required: ['place', 'reason'],
      anyOf: [{ required: ['title'] }, { required: ['rule'] }],
      additionalProperties: false,
      properties: {
        title: { ...name, description: 'The title of a case, as reports print it.' },
        rule: { ...name, description: 'The id of a rule: all of its cases are known to fail.' },
        place: oneOf('local', 'hosted', 'gateway'),
        reason: { ...name, description: 'Why the failure is accepted.' },
      },
    }),
  },
} as const satisfies Schema
