// Node rules: how long nodes take, what comes out of them, and how they fail, by type, id, run or account; and the
// behaviour of node types whose code nobody has.

import { type Rules, type Schema, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { requestMatch } from './requests.ts'
import { delay } from './values.ts'
import {
  any,
  boolean,
  closed,
  count,
  list,
  name,
  number,
  oneOf,
  optional,
  options,
  partial,
  text,
} from '../schema.ts'

/** A file: from disk, as text, or as base64. */
export const scenarioFile = options({
  from: { ...name, description: 'file to copy, relative to the scenario' },
  text: { type: 'string', description: 'the content as text' },
  base64: {
    type: 'string',
    pattern: '^[A-Za-z0-9+/]*={0,2}$',
    description: 'the content as base64',
  },
})

export type ScenarioFile = Static<typeof scenarioFile>

/** A file in an output of a node. Its entry also contains members that are not here. */
const outputFile = partial({
  ...scenarioFile.properties,
  own: { const: true, description: 'the file that the node would make there, else a sample' },
  filename: { ...name, description: 'its name; by default as the node would name it' },
  subfolder: { description: 'its folder; on hosted all files are in one' },
  type: { description: 'output or temp; by default as the node saves its files' },
  format: { description: 'its media type, which also determines the sample: video/webm' },
})

export type OutputFile = Static<typeof outputFile>

/** An item of an output: a file if it is an object with a content or a filename. */
const outputItem = {
  properties: {
    ...outputFile.properties,
    json: { description: 'an item as it is, also if it looks like a file' },
  },
  description:
    'with from, text, base64 or own a file, which GET /view returns; other members are part of its entry; {"input": NAME} is the value of an input; anything else is an item as it is',
} as const satisfies Schema

const fileMembers = ['from', 'text', 'base64', 'own', 'filename'] as const

/** Whether an item of an output is a file: an object with a content or a filename. */
export const isFile = (item: unknown): item is OutputFile =>
  typeof item === 'object' &&
  item !== null &&
  !('json' in item) &&
  fileMembers.some((name) => (item as OutputFile)[name] !== undefined)

/** The input whose value an item of an output is: an object with nothing but `input`. */
export function inputOfItem(item: unknown): string | undefined {
  const isNamed = typeof item === 'object' && item !== null && Object.keys(item).join() === 'input'
  const input = isNamed ? (item as { readonly input: unknown }).input : undefined
  return typeof input === 'string' ? input : undefined
}

/** Stands for the value of an input of the node. */
const inputReference = closed({ input: name })

/** A condition on the inputs of a call. */
const where = {
  type: 'object',
  description: 'only for calls in which these inputs have these values',
} as const

/** A check of the inputs of a node. Bounds and patterns apply to values of their type, as in JSON Schema. */
export const nodeCheck = closed({
  input: { ...name, description: 'the input, which its declaration then does not limit' },
  type: optional({
    enum: ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'],
    description: 'the type of a literal',
  }),
  minimum: optional(number),
  maximum: optional(number),
  enum: optional(list(any)),
  pattern: optional({
    ...name,
    description:
      'what a text must contain: a regular expression of Python, searched in a bounded number of steps',
  }),
  types: optional({
    ...list(name),
    description: 'the types of a link; the node then accepts links of other types than declared',
  }),
  message: optional({
    ...name,
    description: 'the detail of custom_validation_failed; {value} is the literal or type',
  }),
})

export type NodeCheck = Static<typeof nodeCheck>

/** One node rule. The first rule that matches a node and has a member decides that member. */
export const nodeRule = options({
  class_type: { ...name, description: 'only nodes of this type' },
  node_id: { ...name, description: 'only the node with this id' },
  user: { ...name, description: 'only runs of this account (hosted)' },
  run: { type: 'integer', minimum: 1, description: 'only this accepted run, counted from 1' },
  exception_type: { ...name, description: 'the node fails with this exception' },
  exception_message: text,
  atStep: {
    type: 'integer',
    minimum: 0,
    description: 'fail after this many steps, or after the last one, instead of at the start',
  },
  as: {
    ...name,
    description:
      'the node type whose work the node does, such as SaveImage; links of other names count by their type',
  },
  durationMs: { ...delay, description: 'time that the node takes, spread over its steps' },
  steps: { type: 'integer', minimum: 0, maximum: 100_000, description: 'progress messages' },
  stepMs: {
    ...delay,
    description: 'time that each of its steps takes; durationMs is then the time after the last',
  },
  waitsFor: {
    ...requestMatch,
    description:
      'a request on which the node waits once it has started, such as a choice of the user',
  },
  preview: {
    enum: ['jpeg', 'png', 'none'],
    description: 'format of its previews, which any node with steps then sends',
  },
  previewBytes: {
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 26,
    description: 'length of each of its previews at least: decoders skip what is added',
  },
  outputs: {
    type: 'object',
    additionalProperties: {
      ...list(outputItem),
      description: 'lists of files, texts or any JSON: a server joins those of all calls of a node',
    },
    description:
      'its outputs for the user, instead of those that it would make, by key, such as images, gifs, audio, 3d, text; videos of a node that saves files has the key that the server has for them',
  },
  values: {
    ...list(any),
    description:
      'the values on its outputs, in order: text, numbers, booleans, {"input": NAME} for the value of an input, or null for its own',
  },
  validate: {
    ...list(nodeCheck),
    description:
      'checks by the node itself: POST /prompt rejects a node that breaks one, with an error for each input that they name',
  },
  needs: {
    ...list(closed({ inputs: list(name), where: optional(where) })),
    description: 'which lazy inputs it requests; the others are not evaluated',
  },
  changed: {
    anyOf: [oneOf('always', 'never'), inputReference],
    description:
      'whether it runs again although its inputs are the same: always, never, or if this input is true',
  },
  lists: options({
    inputs: { type: 'boolean', description: 'one call takes whole lists' },
    outputs: { ...list(boolean), description: 'which outputs are lists' },
  }),
  expands: {
    ...closed({
      where: optional(where),
      graph: {
        type: 'object',
        description:
          'nodes by id, as in a workflow; {"input": NAME} as the value of an input stands for an input of the node',
      },
      result: {
        ...list(any),
        description: 'for each output of the node a link into the graph, or a value',
      },
    }),
    description: 'the small graph that the node turns into when it runs',
  },
  blocks: {
    ...list(
      options({
        outputs: { ...list(count), description: 'by default all' },
        where,
        message: { ...name, description: 'sent as an error of each node behind it (local)' },
      }),
    ),
    description: 'outputs that block the nodes behind them: these do not run',
  },
})

export type NodeRule = Static<typeof nodeRule>

export const rules = {
  ...chosen.both({
    'scenario/node-duration':
      'The duration of a node is shared by its calls and steps; the node ends with the last step.',
    'scenario/node-step-duration':
      'With a duration of steps, that of the node is the time after its last step, 0 by default.',
    'scenario/node-waits':
      'A node that waits for a request does nothing more until one comes; its duration begins then.',
    'scenario/node-waits-reply':
      'A request of a node rule gets 200 and {}, unless an answer or an endpoint of the server replies.',
    'scenario/node-waits-interrupt': 'A run whose node waits for a request can be interrupted.',
    'scenario/node-waits-idle':
      'A node that waits for a request has no timer: a clock that waits until idle stops.',
    'scenario/node-steps':
      'A node rule sets the number of progress messages of a node, also of one that has none.',
    'scenario/node-preview':
      'A node rule sets the format of the previews of a node, or switches them off.',
    'scenario/preview-bytes':
      'A node rule sets how long the previews of a node are at least, in bytes.',
    'scenario/failure-at-step':
      'A failure at a step follows that many progress messages of its node.',
    'scenario/any-exception':
      'A failure can have any exception type; hosted reports it as one of its words.',
    'scenario/out-of-memory':
      'A failure with torch.OutOfMemoryError has the message of real servers, unless it has its own.',
    'scenario/node-files':
      'A node with files in its rule lists them as its own, and GET /view returns their bytes.',
    'scenario/node-file-names':
      'A file of a rule has the name that the node would choose, or the one in the rule.',
    'scenario/node-own-file':
      'A file of a rule with `own` is the file that the node would make at its place of the list.',
    'scenario/node-sample':
      'A file with `own` of a node that makes none there is a sample by its name, format or key.',
    'scenario/node-no-sample':
      'A node fails if its rule has `own` for a format without a sample or too large a picture.',
    'scenario/own-refused':
      'A scenario with `own` but without a sample, for a type that makes no file, is refused.',
    'scenario/node-file-place':
      'A file of a rule is in the subfolder and folder type of its entry.',
    'scenario/node-file-members':
      'Further members of a file of a rule are part of its entry as they are.',
    'scenario/node-outputs':
      'The output of a node has the keys of its rule; items that are not files stay as they are.',
    'scenario/node-input-items':
      'An item of a rule that names an input is its value: under text, and from a model, its text.',
    'scenario/node-animated':
      'An output whose pictures come from a rule keeps the `animated` that its node sends.',
    'scenario/node-as':
      'A node with `as` in its rule does what that type does with its inputs, and keeps its declaration.',
    'scenario/node-values':
      'The values of a rule are on the outputs of its node; null keeps its own value.',
    'scenario/node-choice':
      'Node rules apply by type, id, run and account; the first that has a member decides it.',
    'scenario/node-validate':
      'A failed check of a rule rejects the node with custom_validation_failed for each checked input.',
    'scenario/node-validate-pattern':
      'Texts fail their checks once searches for patterns in a workflow take more than 2,000,000 steps.',
    'scenario/node-validate-types':
      'A check of link types replaces the comparison with the declared types of the node.',
    'scenario/node-needs':
      'A node with needs runs its other lazy inputs not at all, and starts again once it has them.',
    'scenario/node-changed':
      'A node that has always changed runs again although it is cached, and those behind it too.',
    'scenario/node-lists':
      'A node rule says whether a node takes whole lists, and which of its outputs are lists.',
    'scenario/node-expands':
      'The nodes that a node expands into run in its place, and messages name it as their parent.',
    'scenario/node-expands-error':
      'The error of a node in an expansion names the node of the submitted workflow.',
    'scenario/node-cycle': 'An expansion with a cycle ends the run with a dependency cycle error.',
    'scenario/node-blocks':
      'A node behind a blocked output starts, but does nothing for the items that are blocked.',
  }),
  ...chosen.local({
    'scenario/node-blocks-message':
      'A blocked output with a message sends it as an error, and the run continues.',
  }),
  ...chosen.both({
    'scenario/types':
      'The node types of a scenario are part of the catalogue, with defaults for missing members.',
    'scenario/types-replay':
      'The journal has the node types of the scenario, and replays without the options of its server.',
  }),
} as const satisfies Rules
