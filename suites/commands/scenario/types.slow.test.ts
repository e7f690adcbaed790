// Node types that a scenario adds to the catalogue, and rules that validate inputs as the code of a node would.

import { replay, startEmulator } from 'flowdouble'
import { node, type Graph } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'
import type { Subject } from '../../judge/subject.ts'

const own = typeWith({ value: ['FLOAT', { default: 0.5 }] }, ['FLOAT'])
const graph = {
  '1': node('Own', { value: 2 }),
  '2': node('PreviewAny', { source: ['1', 0] }),
}
const scenario = {
  types: { Own: own, PreviewAny: typeWith({ source: ['*', {}] }, [], { output_node: true }) },
  nodes: [{ class_type: 'Own', values: [{ input: 'value' }] }],
}

proves(
  'scenario/types',
  async (subject) => {
    const listed = (await subject.get('/object_info')).json()
    expect(listed.Own).toEqual({
      input: { required: { value: ['FLOAT', { default: 0.5 }] } },
      input_order: { required: ['value'] },
      output: ['FLOAT'],
      output_is_list: [false],
      output_name: ['FLOAT'],
      name: 'Own',
      display_name: 'Own',
      description: '',
      python_module: 'custom_nodes.scenario',
      category: 'scenario',
      output_node: false,
    })
    // The other types are there, too.
    expect(Object.keys(listed)).toContain('KSampler')
    const run = await runAlone(subject, graph)
    expect(startedIn(run)).toEqual(['1', '2'])
    expect(run.entry.outputs['2']).toEqual({ text: ['2.0'] })
  },
  scripted(scenario),
)

proves(
  'scenario/types-replay',
  async ({ emulator, get, submit }) => {
    expect((await submit(graph)).status).toBe(200)
    await emulator!.until('idle')
    await get('/object_info/Own')
    const fork = await emulator!.fork()
    for (const journal of [await emulator!.journal(), await fork.journal()]) {
      expect(replay(journal)).toEqual({ entries: journal.length - 1, differs: null })
      expect(replay(journal, emulator!.options).differs).toBeNull()
    }
  },
  scripted(scenario),
)

test('rules about unknown types and odd patterns are rejected at the start', async () => {
  const nodes = [{ class_type: 'Ovn', durationMs: 1 }]
  await expect(
    startEmulator({ scenario: { version: 1, types: { Own: own }, nodes } }),
  ).rejects.toThrow('nodes[0].class_type names the unknown node type "Ovn"; did you mean Own?')
  const runs = [{ workflow: 'Nothing', waitMs: 1 }]
  await expect(startEmulator({ scenario: { version: 1, runs } })).rejects.toThrow(
    'runs[0].workflow names the unknown node type "Nothing"; declare it under types, or accept it with the option unknownNodes: accept.',
  )
  const expands = { graph: { a: { class_type: 'Ovn' } }, result: [['a', 0]] }
  await expect(
    startEmulator({ scenario: { version: 1, types: { Own: own }, nodes: [{ expands }] } }),
  ).rejects.toThrow('nodes[0].expands.graph.a.class_type names the unknown node type "Ovn"')
  const validate = [{ input: 'value', pattern: '(' }]
  await expect(startEmulator({ scenario: { version: 1, nodes: [{ validate }] } })).rejects.toThrow(
    'nodes[0].validate[0].pattern is not a regular expression',
  )
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

const checked = typeWith(
  {
    input1: ['FLOAT', { default: 1.5, min: 0, max: 2 }],
    input2: ['STRING', {}],
    input3: [['a', 'b']],
  },
  ['FLOAT'],
  { output_node: true },
)
const either = typeWith({ input1: ['FLOAT,IMAGE'], input2: ['FLOAT,IMAGE'] }, ['FLOAT'], {
  output_node: true,
})

/** Node types whose declarations allow less than what they check themselves, and how they check it. */
const options = scripted({
  types: {
    Limited: checked,
    Matched: checked,
    Grouped: checked,
    Backtracking: checked,
    Linked: either,
    Typed: either,
    Numbered: typeWith({ value: ['INT', {}] }, ['INT']),
  },
  nodes: [
    {
      class_type: 'Limited',
      validate: [{ input: 'input1', maximum: 7, message: 'input1 must be at most 7, got {value}' }],
    },
    {
      class_type: 'Matched',
      validate: [
        { input: 'input2', pattern: '^x' },
        { input: 'input3', enum: ['z'] },
      ],
    },
    {
      class_type: 'Grouped',
      validate: [
        { input: 'input1', enum: [7], message: 'input1 must be 7.0, got {value}' },
        { input: 'input2', minimum: 0 },
        { input: 'input3', type: 'string' },
      ],
    },
    { class_type: 'Backtracking', validate: [{ input: 'input2', pattern: '^(a+)+$' }] },
    {
      class_type: 'Linked',
      validate: [{ input: 'input1', types: ['INT'], message: 'Invalid type of input1: {value}' }],
    },
    {
      class_type: 'Typed',
      validate: [{ input: 'input1', type: 'number', message: 'Invalid type of input1' }],
    },
  ],
})

const fine = { input1: 1, input2: 'x', input3: 'a' }
const number = node('Numbered', { value: 1 })
const float = node('PrimitiveFloat', { value: 1 })
const linkedTo = (
  class_type: string,
  source: Graph[string],
  more: object = { input2: 1 },
): Graph => ({
  '1': node(class_type, { ...more, input1: ['2', 0] }),
  '2': source,
})

/** Workflows, and the errors of their first node. */
const checks: readonly (readonly [graph: Graph, errors: readonly object[]])[] = [
  // A validator that receives one literal and limits it. The declared maximum of 2 does not apply to it.
  [{ '1': node('Limited', fine) }, []],
  [{ '1': node('Limited', { ...fine, input1: 6 }) }, []],
  // A validator that returns false: no text follows the name.
  [
    { '1': node('Matched', { ...fine, input2: 'abc', input3: 'z' }) },
    [failedCheck('input2', 'input2'), failedCheck('input3', 'input3')],
  ],
  // A text that matches, and an option that the declaration does not list.
  [{ '1': node('Matched', { ...fine, input2: 'x1', input3: 'z' }) }, []],
  // A validator of all inputs: each of them has the error, and a link has no value to be checked.
  [
    { '1': node('Grouped', fine) },
    ['input1', 'input2', 'input3'].map((name) =>
      failedCheck(name, `${name} - input1 must be 7.0, got 1.0`),
    ),
  ],
  [{ '1': node('Grouped', { ...fine, input1: 7 }) }, []],
  [linkedTo('Grouped', float, fine), []],
  // The declared types apply, and a literal can be limited to a type.
  [linkedTo('Typed', number), [expect.objectContaining({ type: 'return_type_mismatch' })]],
  [
    { '1': node('Typed', { input1: 'text', input2: 1 }) },
    [failedCheck('input1', 'input1 - Invalid type of input1')],
  ],
]

proves(
  'scenario/node-validate',
  async (subject) => {
    for (const [graph, errors] of checks)
      expect([graph, await errorsOf(subject, graph)]).toEqual([graph, errors])
    const reply = await subject.submit({ '1': node('Limited', { ...fine, input1: 7.5 }) })
    expect(reply.json()).toEqual({
      error: {
        type: 'prompt_outputs_failed_validation',
        message: 'Prompt outputs failed validation',
        details: 'Custom validation failed for node: input1 - input1 must be at most 7, got 7.5',
        extra_info: {},
      },
      node_errors: {
        '1': {
          errors: [failedCheck('input1', 'input1 - input1 must be at most 7, got 7.5')],
          dependent_outputs: ['1'],
          class_type: 'Limited',
        },
      },
    })
  },
  options,
)

// A pattern that backtracks: the server answers, and refuses what it cannot search.
proves(
  'scenario/node-validate-pattern',
  async (subject) => {
    const searched = (input2: string): Graph => ({ '1': node('Backtracking', { ...fine, input2 }) })
    const endless = searched(`${'a'.repeat(37)}!`)
    expect(await errorsOf(subject, endless)).toEqual([failedCheck('input2', 'input2')])
    expect(await errorsOf(subject, searched('aaa'))).toEqual([])
    // All texts of a workflow together.
    const both = { ...endless, '2': searched('aaa')['1']! }
    expect(await errorsOf(subject, both, '2')).toEqual([failedCheck('input2', 'input2')])
  },
  options,
)

// A validator that receives the types of the links: they replace the declared ones.
proves(
  'scenario/node-validate-types',
  async (subject) => {
    expect(await errorsOf(subject, linkedTo('Linked', number))).toEqual([])
    expect(await errorsOf(subject, linkedTo('Linked', float))).toEqual([
      failedCheck('input_types', 'input_types - Invalid type of input1: FLOAT'),
    ])
  },
  options,
)
