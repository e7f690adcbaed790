// Nodes that expand into a small graph.

import { type Graph, node } from '../../generate/graphs.ts'
import { errorOf } from '../../judge/failures.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { endOf, lastedMs, runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'

const types = {
  Expand: typeWith({ value: ['FLOAT', {}] }, ['FLOAT']),
  MakeList: typeWith({ value1: ['FLOAT', {}], value2: ['FLOAT', {}] }, ['FLOAT'], {
    output_is_list: [true],
  }),
  Pass: typeWith({ value: ['FLOAT', {}] }, ['FLOAT']),
}
const passing = [
  { class_type: 'Pass', values: [{ input: 'value' }] },
  { class_type: 'MakeList', values: [[{ input: 'value1' }, { input: 'value2' }]] },
]
/** Two nodes, one behind the other, of which the second shows a text too. */
const small = {
  graph: {
    a: node('Pass', { value: { input: 'value' } }),
    b: node('Pass', { value: ['a', 0] }),
  },
  result: [['b', 0]],
}
const expanding = (value: unknown, more: Graph = {}): Graph => ({
  '5': node('Expand', { value }),
  '6': node('PreviewAny', { source: ['5', 0] }),
  ...more,
})

proves(
  'scenario/node-expands',
  async (subject) => {
    const run = await runAlone(subject, expanding(2.5))
    expect(startedIn(run)).toEqual(['5', '5.0.0.a', '5.0.0.b', '6'])
    expect(run.entry.outputs['6']).toEqual({ text: ['2.5'] })
    const child = run.messages.find(({ data }) => data['node'] === '5.0.0.a')
    expect(child).toMatchObject({ type: 'executing', data: { display_node: '5' } })
    const state = run.messages.findLast(({ type }) => type === 'progress_state')
    expect(state?.data['nodes']).toMatchObject({
      '5': { state: 'finished', parent_node_id: null, real_node_id: '5' },
      '5.0.0.b': {
        node_id: '5.0.0.b',
        display_node_id: '5',
        parent_node_id: '5',
        real_node_id: '5',
      },
    })
    // The result is cached under the node itself.
    expect(startedIn(await runAlone(subject, expanding(2.5)))).toEqual([])
  },
  scripted({ types, nodes: [...passing, { class_type: 'Expand', expands: small }] }),
)

proves(
  'scenario/node-expands',
  async (subject) => {
    const { messages } = await runAlone(subject, expanding(1))
    const lines = transcript(messages)
    const last = lines.indexOf('executing 5.0.0.b')
    expect(lines.slice(last + 1, last + 3)).toEqual([
      'progress_state 5 running 0/1, 5.0.0.a finished 1/1, 5.0.0.b finished 1/1',
      'progress_state 5 finished 1/1, 5.0.0.a finished 1/1, 5.0.0.b finished 1/1',
    ])
  },
  scripted(
    { types, nodes: [...passing, { class_type: 'Expand', expands: small }] },
    { deployment: 'local' },
  ),
)

// The time of a run is shared by the nodes of its expansions, too.
proves(
  'scenario/run-duration',
  async (subject) => {
    expect(lastedMs(await runAlone(subject, expanding(1)))).toBe(10_000)
  },
  scripted({
    types,
    nodes: [...passing, { class_type: 'Expand', expands: small }],
    runs: [{ durationMs: 10_000 }],
  }),
)

// Some calls of a node expand, the others return a result; the items keep their order.
proves(
  'scenario/node-expands',
  async (subject) => {
    const list = { '4': node('MakeList', { value1: 1, value2: 2 }) }
    const run = await runAlone(subject, expanding(['4', 0], list))
    expect(startedIn(run)).toEqual(['4', '5', '5.1.0.a', '5.1.0.b', '6'])
    expect(run.entry.outputs['6']).toEqual({ text: ['9.0', '2.0'] })
  },
  scripted({
    types,
    nodes: [
      ...passing,
      { class_type: 'Expand', values: [9], expands: { ...small, where: { value: 2 } } },
    ],
  }),
)

// Output nodes of an expansion run in any case, and so do expansions in it.
proves(
  'scenario/node-expands',
  async (subject) => {
    const run = await runAlone(subject, expanding(1))
    // The output node comes first.
    expect(startedIn(run)).toEqual(['5', '5.0.0.d', '5.0.0.c', '5.0.0.c.0.0.a', '6'])
    expect(run.entry.outputs['5.0.0.d']).toEqual({ text: ['shown'] })
    expect(run.entry.meta['5.0.0.d']).toEqual({
      node_id: '5.0.0.d',
      display_node: '5',
      parent_node: '5',
      real_node_id: '5',
    })
    expect(run.messages.find(({ data }) => data['node'] === '5.0.0.c.0.0.a')?.data).toMatchObject({
      display_node: '5',
    })
  },
  scripted({
    types: { ...types, Inner: types.Expand },
    nodes: [
      ...passing,
      {
        class_type: 'Expand',
        expands: {
          graph: {
            c: node('Inner', { value: { input: 'value' } }),
            d: node('FlowdoubleText', { text: 'shown' }),
          },
          result: [['c', 0]],
        },
      },
      {
        class_type: 'Inner',
        expands: { graph: { a: node('Pass', { value: 3 }) }, result: [['a', 0]] },
      },
    ],
  }),
)

proves(
  'scenario/node-expands-error',
  async (subject) => {
    const run = await runAlone(subject, expanding(1))
    expect(errorOf(run)).toMatchObject({ node_id: '5', node_type: 'Expand' })
    if (subject.deployment === 'local') expect(errorOf(run).current_outputs).toEqual(['5', '6'])
  },
  scripted({
    types,
    nodes: [
      { class_type: 'Pass', exception_type: 'OOMError' },
      { class_type: 'Expand', expands: small },
    ],
  }),
)

// A node that expands into itself does not fill the memory.
proves(
  'scenario/node-expands-error',
  async (subject) => {
    const run = await runAlone(subject, expanding(1))
    expect(errorOf(run)).toMatchObject({
      node_id: '5',
      exception_message: 'maximum recursion depth exceeded\n',
    })
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Expand',
        expands: { graph: { a: node('Expand', { value: 1 }) }, result: [['a', 0]] },
      },
    ],
  }),
)

proves(
  'scenario/node-cycle',
  async (subject) => {
    const run = await runAlone(subject, expanding(1))
    const isLocal = subject.deployment === 'local'
    expect(errorOf(run)).toMatchObject({
      node_id: '5',
      node_type: 'Expand',
      exception_type: isLocal ? 'graph.DependencyCycleError' : 'ValidationError',
      exception_message: 'Dependency cycle detected',
      traceback: [],
    })
    expect(endOf(run)).toContain('execution_error 5')
    // The history of a real server counts such a run as successful.
    expect(run.entry.status.status_str).toBe(isLocal ? 'success' : 'error')
  },
  scripted({
    types,
    nodes: [
      {
        class_type: 'Expand',
        expands: {
          graph: { a: node('Pass', { value: ['b', 0] }), b: node('Pass', { value: ['a', 0] }) },
          result: [['b', 0]],
        },
      },
    ],
  }),
)
