// Nodes that decide which others run, and with what: they block, count as changed, take lists, or request lazy inputs.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { endOf, provesRuns, runAlone, scripted, typeWith } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'

const previewOf = (id: string, output = 0): Graph[string] =>
  node('PreviewAny', { source: [id, output] })

const anyList = typeWith({ value1: ['*'], value2: ['*'], value3: ['*'] }, ['*'], {
  output_is_list: [true],
})
const listing = {
  class_type: 'MakeList',
  values: [[{ input: 'value1' }, { input: 'value2' }, { input: 'value3' }]],
}

const blocking = (block: object) =>
  scripted({
    types: {
      Blocker: typeWith({ value: ['FLOAT', {}], block: ['BOOLEAN', {}] }, ['FLOAT', 'FLOAT']),
      MakeList: anyList,
    },
    nodes: [
      { class_type: 'Blocker', blocks: [{ where: { block: true }, ...block }] },
      listing,
      { class_type: 'Blocker', values: [{ input: 'value' }, { input: 'value' }] },
    ],
  })
const blocked = (block: unknown): Graph => ({
  '1': node('Blocker', { value: 1, block }),
  '2': previewOf('1'),
  '3': previewOf('1', 1),
})

provesRuns(
  'scenario/node-blocks',
  blocking({ outputs: [0] }),
  [blocked(false), { outputs: { '2': { text: ['1.0'] }, '3': { text: ['1.0'] } } }],
  [
    blocked(true),
    {
      // Both start, as on a real server, but the blocked one has no output.
      started: ['1', '2', '3'],
      executed: ['3'],
      outputs: { '3': { text: ['1.0'] } },
      end: 'execution_success',
    },
  ],
  [
    {
      '1': node('MakeList', { value1: 1, value2: 2, value3: 3 }),
      '2': node('MakeList', { value1: false, value2: true, value3: false }),
      '3': node('Blocker', { value: ['1', 0], block: ['2', 0] }),
      '4': node('Blocker', { value: ['3', 0], block: false }),
      '5': previewOf('4'),
    },
    // Of a list, only the blocked items are left out, also by the nodes further behind.
    { outputs: { '5': { text: ['1', '3'] } } },
  ],
)

proves(
  'scenario/node-blocks-message',
  async (subject) => {
    const run = await runAlone(subject, blocked(true))
    const errors = run.messages.filter(({ type }) => type === 'execution_error')
    expect(errors.map(({ data }) => data)).toEqual(
      ['2', '3'].map((node_id) => ({
        prompt_id: run.prompt_id,
        node_id,
        node_type: 'PreviewAny',
        executed: expect.any(Array),
        exception_message: 'Execution Blocked: not today',
        exception_type: 'ExecutionBlocked',
        traceback: [],
        current_inputs: [],
        current_outputs: [],
      })),
    )
    expect(endOf(run)).toBe('execution_success')
    expect(run.entry.status.messages.map(([type]) => type)).not.toContain('execution_error')
  },
  blocking({ message: 'not today' }),
)

const passing = typeWith({ value: ['FLOAT', {}], changes: ['BOOLEAN', {}] }, ['FLOAT'])
const passed = (class_type: string, value: number, changes = false): Graph => ({
  '1': node('PrimitiveFloat', { value }),
  '2': node(class_type, { value: ['1', 0], changes }),
  '3': previewOf('2'),
})
const slow = { '1': node('FlowdoubleSlow', { seconds: 1, steps: 1 }) }

provesRuns(
  'scenario/node-changed',
  scripted({
    types: { Always: passing, When: passing },
    nodes: [
      { class_type: 'Always', changed: 'always' },
      { class_type: 'When', changed: { input: 'changes' } },
      { class_type: 'FlowdoubleSlow', changed: 'never' },
    ],
  }),
  [passed('Always', 1), { started: ['1', '2', '3'] }],
  [passed('Always', 1), { started: ['2', '3'] }],
  [passed('When', 2), { started: ['1', '2', '3'] }],
  [passed('When', 2), { started: [] }],
  [passed('When', 2, true), { started: ['2', '3'] }],
  [passed('When', 2, true), { started: ['2', '3'] }],
  // A node that runs each time on a real server is served from the cache.
  [slow, { started: ['1'] }],
  [slow, { started: [] }],
)

const twoFloats = typeWith({ value1: ['FLOAT', {}], value2: ['FLOAT', {}] }, ['FLOAT'])
const listingTwo = { class_type: 'MakeList', values: [[{ input: 'value1' }, { input: 'value2' }]] }

provesRuns(
  'scenario/node-lists',
  scripted({
    types: { Each: passing, Whole: passing, MakeList: twoFloats },
    nodes: [
      { ...listingTwo, lists: { outputs: [true] } },
      { class_type: 'Each', values: [{ input: 'value' }] },
      { class_type: 'Whole', values: [{ input: 'value' }], lists: { inputs: true } },
    ],
  }),
  [
    {
      '1': node('MakeList', { value1: 1, value2: 2 }),
      '2': node('Each', { value: ['1', 0], changes: false }),
      '3': previewOf('2'),
      '4': node('Whole', { value: ['1', 0], changes: false }),
      '5': previewOf('4'),
    },
    // One call takes the whole list, and passes its first item on.
    { outputs: { '3': { text: ['1.0', '2.0'] }, '5': { text: ['1.0'] } } },
  ],
)

const lazyImage = ['IMAGE', { lazy: true }] as const
const mixing = typeWith({ image1: lazyImage, image2: lazyImage, mask: ['FLOAT', {}] }, ['IMAGE'])
const lazy = {
  types: {
    LazyMix: mixing,
    EagerMix: mixing,
    MakeList: typeWith({ value1: ['FLOAT', {}], value2: ['FLOAT', {}] }, ['FLOAT'], {
      output_is_list: [true],
    }),
  },
  nodes: [
    {
      class_type: 'LazyMix',
      needs: [
        { inputs: ['image1'], where: { mask: 0 } },
        { inputs: ['image2'], where: { mask: 1 } },
        { inputs: ['image1', 'image2'], where: { mask: 0.5 } },
      ],
    },
    listingTwo,
  ],
}

/** Two pictures, a mix of them, and a preview of it. */
const mixed = (mask: unknown, more: Graph = {}, mix = 'LazyMix'): Graph => ({
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 1 }),
  '2': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 2 }),
  '3': node(mix, { image1: ['1', 0], image2: ['2', 0], mask }),
  '4': node('PreviewImage', { images: ['3', 0] }),
  ...more,
})
const linked = ['5', 0]

provesRuns(
  'scenario/node-needs',
  scripted(lazy, { cache: 'none' }),
  [mixed(0), { started: ['3', '1', '3', '4'] }],
  [mixed(1), { started: ['3', '2', '3', '4'] }],
  [mixed(0.5), { started: ['3', '1', '2', '3', '4'] }],
  [mixed(0.25), { started: ['3', '4'] }],
  // The condition is on the value of a link, and of each item of a list.
  [
    mixed(linked, { '5': node('PrimitiveFloat', { value: 1 }) }),
    { started: ['5', '3', '2', '3', '4'] },
  ],
  [
    mixed(linked, { '5': node('MakeList', { value1: 0, value2: 1 }) }),
    {
      started: ['5', '3', '1', '2', '3', '4'],
      outputs: { '4': { images: [expect.any(Object), expect.any(Object)] } },
    },
  ],
  // Without needs, all inputs are evaluated.
  [mixed(0, {}, 'EagerMix'), { started: ['2', '1', '3', '4'] }],
)

// A node that another one needs anyway has run before; a cached one is at hand.
provesRuns(
  'scenario/node-needs',
  scripted(lazy),
  [
    mixed(0, { '6': node('PreviewImage', { images: ['1', 0] }) }),
    { started: ['3', '1', '6', '3', '4'] },
  ],
  [mixed(0.5, { '7': node('PreviewAny', { source: 1 }) }), { started: ['7', '3', '2', '3', '4'] }],
)

proves(
  'scenario/node-needs',
  async (subject) => {
    const { messages } = await runAlone(subject, {
      one: mixed(0)['1']!,
      mix: node('LazyMix', { image1: ['one', 0], image2: ['one', 0], mask: 0 }),
      end: node('PreviewImage', { images: ['mix', 0] }),
    })
    const lines = transcript(messages)
    const first = lines.indexOf('executing mix')
    expect(lines.slice(first - 1, first + 7)).toEqual([
      'progress_state mix running 0/1',
      'executing mix',
      'progress_state mix running 0/1, one running 0/1',
      'executing one',
      'progress_state mix running 0/1, one finished 1/1',
      'progress_state mix running 0/1, one finished 1/1',
      'executing mix',
      'progress_state mix finished 1/1, one finished 1/1',
    ])
  },
  scripted(lazy, { deployment: 'local' }),
)
