// Models of the Router in a scenario: further ones, beside those that it has by itself.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { delay } from './values.ts'
import { anyObject, closed, name, optional, record } from '../schema.ts'

const credits = { type: 'number', minimum: 0, maximum: 1e9 } as const

const output = {
  ...anyObject,
  description:
    'its output; {"media": "png"} stands for the address of a file of that format, {"input": "a.b"} for the value of an input',
} as const

/** A model that the Router has. */
const modelType = closed({
  about: optional({ ...name, description: 'what it does' }),
  input: {
    ...anyObject,
    description: 'JSON Schema of its input, an object, as its openapi.json has it',
  },
  output: optional(output),
  bytes: optional({
    ...name,
    description: 'the format of a model that answers with a file itself, such as mp3',
  }),
  price: optional({ ...credits, description: 'credits for a call (default 0)' }),
  durationMs: optional({ ...delay, description: 'how long a call takes (default 200)' }),
  chargesOnPolicyRejection: optional({ ...name, description: 'in its billing (default unknown)' }),
  retired: optional(
    closed({
      on: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$', description: 'from this day on' },
      successor: optional(name),
    }),
  ),
})

export type ModelType = Static<typeof modelType>

/** The models that a scenario adds, by id. */
export const modelTypes = {
  ...record(modelType),
  description: 'additional models of the Router (hosted), by id, such as acme/pic-1',
} as const

export const rules = {
  ...chosen.hosted({
    'scenario/model-types':
      'The models of a scenario are part of the catalog of the Router; they replace others by id.',
    'scenario/model-retired':
      'A model is retired from its day on: the catalog lacks it, and 404 names its successor.',
  }),
} as const satisfies Rules
