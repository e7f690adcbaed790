// Node rules: how long nodes take, what comes out of them, and how they fail, by type, id, run or account; and the
// behaviour of node types whose code nobody has.

import { both, type Rules, type Schema } from '../language.ts'
import type { Static } from '../static.ts'

const name = { type: 'string', minLength: 1 } as const
const delay = { type: 'number', minimum: 0, maximum: 86_400_000 } as const

/** The file of an output: from disk, as text, or as base64. */
export const scenarioFile = {
  type: 'object',
  additionalProperties: false,
  properties: {
    from: { ...name, description: 'file to copy, relative to the scenario' },
    text: { type: 'string', description: 'the content as text' },
    base64: {
      type: 'string',
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      description: 'the content as base64',
    },
    filename: { ...name, description: 'its name; by default as the node would name it' },
  },
} as const satisfies Schema

export type ScenarioFile = Static<typeof scenarioFile>

/** One node rule. The first rule that matches a node and has a member decides that member. */
export const nodeRule = {
  type: 'object',
  additionalProperties: false,
  properties: {
    class_type: { ...name, description: 'only nodes of this type' },
    node_id: { ...name, description: 'only the node with this id' },
    user: { ...name, description: 'only runs of this account (hosted)' },
    run: { type: 'integer', minimum: 1, description: 'only this accepted run, counted from 1' },
    exception_type: { ...name, description: 'the node fails with this exception' },
    exception_message: { type: 'string' },
    atStep: {
      type: 'integer',
      minimum: 0,
      description: 'fail after this many steps, or after the last one, instead of at the start',
    },
    durationMs: { ...delay, description: 'time that the node takes, spread over its steps' },
    steps: { type: 'integer', minimum: 0, maximum: 100_000, description: 'progress messages' },
    preview: {
      enum: ['jpeg', 'png', 'none'],
      description: 'format of its previews, which any node with steps then sends',
    },
    outputs: {
      type: 'object',
      additionalProperties: false,
      properties: {
        images: { type: 'array', items: scenarioFile },
        videos: { type: 'array', items: scenarioFile },
        audio: { type: 'array', items: scenarioFile },
        text: { type: 'array', items: { type: 'string' } },
      },
      description: 'its outputs for the user, instead of those that it would make',
    },
    values: {
      type: 'array',
      items: {},
      description:
        'the values on its outputs, in order: text, numbers, booleans, {"input": NAME} for the value of an input, or null for its own',
    },
    validate: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['input', 'message'],
        properties: {
          input: name,
          minimum: { type: 'number' },
          maximum: { type: 'number' },
          enum: { type: 'array' },
          pattern: name,
          message: { ...name, description: 'the detail of custom_validation_failed' },
        },
      },
      description: 'checks by the node itself: the server rejects a literal that breaks one',
    },
    needs: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['inputs'],
        properties: {
          inputs: { type: 'array', items: name },
          where: { type: 'object', description: 'only if these literal inputs have these values' },
        },
      },
      description: 'which lazy inputs it requests; others are not evaluated',
    },
    changed: {
      enum: ['always', 'never', 'by input'],
      description: 'whether it runs again although its inputs are the same',
    },
    lists: {
      type: 'object',
      additionalProperties: false,
      properties: {
        inputs: { type: 'boolean', description: 'one call takes whole lists' },
        outputs: { type: 'array', items: { type: 'boolean' } },
      },
    },
    expands: {
      type: 'object',
      additionalProperties: false,
      required: ['graph', 'result'],
      properties: {
        graph: {
          type: 'object',
          description:
            'a graph by node id; {"input": NAME} as the value of an input stands for an input of the node',
        },
        result: {
          type: 'array',
          description: 'a link or value for each output of the node',
        },
      },
      description: 'the small graph that the node turns into when it runs',
    },
    blocks: {
      type: 'array',
      items: { type: 'integer', minimum: 0 },
      description: 'outputs that block the nodes behind them: these do not run',
    },
  },
} as const satisfies Schema

export type NodeRule = Static<typeof nodeRule>

export const rules = {
  'scenario/node-duration': {
    says: 'The duration of a node is shared by its calls and steps; the node ends with the last step.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-steps': {
    says: 'A node rule sets the number of progress messages of a node, also of one that has none.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-preview': {
    says: 'A node rule sets the format of the previews of a node, or switches them off.',
    basis: 'chosen',
    on: both,
  },
  'scenario/failure-at-step': {
    says: 'A failure at a step follows that many progress messages of its node.',
    basis: 'chosen',
    on: both,
  },
  'scenario/any-exception': {
    says: 'A failure can have any exception type; hosted reports it as one of its words.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-files': {
    says: 'A node with files in its rule lists them as its own, and GET /view returns their bytes.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-file-names': {
    says: 'A file of a rule has the name that the node would choose, or the one in the rule.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-text': {
    says: 'The texts of a rule are the output of its node under text.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-values': {
    says: 'The values of a rule are on the outputs of its node; null keeps its own value.',
    basis: 'chosen',
    on: both,
  },
  'scenario/node-choice': {
    says: 'Node rules apply by type, id, run and account; the first that has a member decides it.',
    basis: 'chosen',
    on: both,
  },
} as const satisfies Rules
