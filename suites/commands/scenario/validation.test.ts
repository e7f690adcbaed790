// Node rules that validate inputs as the code of a node would.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { scripted, typeWith } from '../../support/scripted.ts'
import type { Subject } from '../../judge/subject.ts'

/** A node with a checked input, whose declaration allows less. */
const checked = (inputs: Readonly<Record<string, unknown>>): Graph => ({
  '1': node('Checked', inputs),
})

/** The errors of a node in the reply to a submit; none if it was accepted. */
async function errorsOf({ submit }: Subject, graph: Graph, id = '1'): Promise<unknown[]> {
  const reply = await submit(graph)
  const { node_errors } = reply.json()
  expect(reply.status).toBe(Object.keys(node_errors).length === 0 ? 200 : 400)
  return node_errors[id]?.errors ?? []
}

const failedCheck = (input_name: string, details: string): object => ({
  type: 'custom_validation_failed',
  message: 'Custom validation failed for node',
  details,
  extra_info: { input_name },
})

const types = {
  Checked: typeWith(
    {
      input1: ['FLOAT', { default: 1.5, min: 0, max: 2 }],
      input2: ['STRING', {}],
      input3: [['a', 'b']],
    },
    ['FLOAT'],
    { output_node: true },
  ),
  Numbered: typeWith({ value: ['INT', {}] }, ['INT']),
  Either: typeWith({ input1: ['FLOAT,IMAGE'], input2: ['FLOAT,IMAGE'] }, ['FLOAT'], {
    output_node: true,
  }),
}

// A validator that receives one literal and limits it: the error names the input and the text.
proves(
  'scenario/node-validate',
  async (subject) => {
    const fine = { input1: 1, input2: 'x', input3: 'a' }
    expect(await errorsOf(subject, checked(fine))).toEqual([])
    const reply = await subject.submit(checked({ ...fine, input1: 7.5 }))
    expect(reply.json().error).toEqual({
      type: 'prompt_outputs_failed_validation',
      message: 'Prompt outputs failed validation',
      details: 'Custom validation failed for node: input1 - input1 must be at most 7, got 7.5',
      extra_info: {},
    })
    expect(reply.json().node_errors['1']).toEqual({
      errors: [failedCheck('input1', 'input1 - input1 must be at most 7, got 7.5')],
      dependent_outputs: ['1'],
      class_type: 'Checked',
    })
    // The declared maximum of 2 does not apply to an input that the node checks itself.
    expect(await errorsOf(subject, checked({ ...fine, input1: 6 }))).toEqual([])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Checked',
        validate: [
          { input: 'input1', maximum: 7, message: 'input1 must be at most 7, got {value}' },
        ],
      },
    ],
  }),
)

// A validator that returns false: no text follows the name.
proves(
  'scenario/node-validate',
  async (subject) => {
    const inputs = { input1: 1, input2: 'abc', input3: 'z' }
    expect(await errorsOf(subject, checked(inputs))).toEqual([
      failedCheck('input2', 'input2'),
      failedCheck('input3', 'input3'),
    ])
    // A text that matches, and an option that the declaration does not list.
    expect(await errorsOf(subject, checked({ ...inputs, input2: 'x1' }))).toEqual([])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Checked',
        validate: [
          { input: 'input2', pattern: '^x' },
          { input: 'input3', enum: ['z'] },
        ],
      },
    ],
  }),
)

// A validator of all inputs: each of them has the error, and a link has no value to be checked.
proves(
  'scenario/node-validate',
  async (subject) => {
    const inputs = { input1: 1, input2: 'x', input3: 'a' }
    expect(await errorsOf(subject, checked(inputs))).toEqual(
      ['input1', 'input2', 'input3'].map((name) =>
        failedCheck(name, `${name} - input1 must be 7.0, got 1.0`),
      ),
    )
    expect(await errorsOf(subject, checked({ ...inputs, input1: 7 }))).toEqual([])
    const linked = {
      ...checked({ ...inputs, input1: ['2', 0] }),
      '2': node('PrimitiveFloat', { value: 1 }),
    }
    expect(await errorsOf(subject, linked)).toEqual([])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Checked',
        validate: [
          { input: 'input1', enum: [7], message: 'input1 must be 7.0, got {value}' },
          { input: 'input2', minimum: 0 },
          { input: 'input3', type: 'string' },
        ],
      },
    ],
  }),
)

// A pattern that backtracks: the server answers, and refuses what it cannot search.
proves(
  'scenario/node-validate-pattern',
  async (subject) => {
    const inputs = { input1: 1, input3: 'a' }
    const endless = checked({ ...inputs, input2: `${'a'.repeat(37)}!` })
    expect(await errorsOf(subject, endless)).toEqual([failedCheck('input2', 'input2')])
    expect(await errorsOf(subject, checked({ ...inputs, input2: 'aaa' }))).toEqual([])
    // All texts of a workflow together.
    const both = { ...endless, '2': node('Checked', { ...inputs, input2: 'aaa' }) }
    expect(await errorsOf(subject, both, '2')).toEqual([failedCheck('input2', 'input2')])
  },
  scripted({
    types,
    nodes: [{ class_type: 'Checked', validate: [{ input: 'input2', pattern: '^(a+)+$' }] }],
  }),
)

// A validator that receives the types of the links: they replace the declared ones.
proves(
  'scenario/node-validate-types',
  async (subject) => {
    const linkTo = (source: ReturnType<typeof node>): Graph => ({
      '1': node('Either', { input1: ['2', 0], input2: 1 }),
      '2': source,
    })
    const number = node('Numbered', { value: 1 })
    expect(await errorsOf(subject, linkTo(number))).toEqual([])
    expect(await errorsOf(subject, linkTo(node('PrimitiveFloat', { value: 1 })))).toEqual([
      failedCheck('input_types', 'input_types - Invalid type of input1: FLOAT'),
    ])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Either',
        validate: [{ input: 'input1', types: ['INT'], message: 'Invalid type of input1: {value}' }],
      },
    ],
  }),
)

// Without such a validator the declared types apply; a literal can be limited to a type.
proves(
  'scenario/node-validate',
  async (subject) => {
    const linked = {
      '1': node('Either', { input1: ['2', 0], input2: 1 }),
      '2': node('Numbered', { value: 1 }),
    }
    expect(await errorsOf(subject, linked)).toMatchObject([{ type: 'return_type_mismatch' }])
    const literal = { '1': node('Either', { input1: 'text', input2: 1 }) }
    expect(await errorsOf(subject, literal)).toEqual([
      failedCheck('input1', 'input1 - Invalid type of input1'),
    ])
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Either',
        validate: [{ input: 'input1', type: 'number', message: 'Invalid type of input1' }],
      },
    ],
  }),
)
