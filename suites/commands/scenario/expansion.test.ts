// Nodes that expand into a small graph.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { provesRuns, runAlone, scripted, typeWith } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'

const one = typeWith({ value: ['FLOAT', {}] }, ['FLOAT'])
const toItself = { value: { input: 'value' } }
/** Two nodes, one behind the other. */
const small = {
  graph: { a: node('Pass', toItself), b: node('Pass', { value: ['a', 0] }) },
  result: [['b', 0]],
}
/** A rule of a node that expands into one other node. */
const intoOne = (class_type: string, other: string) => ({
  class_type,
  expands: { graph: { a: node(other, { value: 3 }) }, result: [['a', 0]] },
})

const scenario = {
  types: {
    Pass: one,
    MakeList: typeWith({ value1: ['FLOAT', {}], value2: ['FLOAT', {}] }, ['FLOAT'], {
      output_is_list: [true],
    }),
    Fails: one,
    Expand: one,
    OfTwo: one,
    Outer: one,
    Inner: one,
    ToFailing: one,
    ToItself: one,
    Circle: one,
  },
  nodes: [
    { class_type: 'Pass', values: [{ input: 'value' }] },
    { class_type: 'MakeList', values: [[{ input: 'value1' }, { input: 'value2' }]] },
    { class_type: 'Fails', exception_type: 'OOMError' },
    { class_type: 'Expand', expands: small },
    { class_type: 'OfTwo', values: [9], expands: { ...small, where: { value: 2 } } },
    {
      class_type: 'Outer',
      expands: {
        graph: { c: node('Inner', toItself), d: node('FlowdoubleText', { text: 'shown' }) },
        result: [['c', 0]],
      },
    },
    intoOne('Inner', 'Pass'),
    intoOne('ToFailing', 'Fails'),
    intoOne('ToItself', 'ToItself'),
    {
      class_type: 'Circle',
      expands: {
        graph: { a: node('Pass', { value: ['b', 0] }), b: node('Pass', { value: ['a', 0] }) },
        result: [['b', 0]],
      },
    },
  ],
}
const expanding = (class_type: string, value: unknown, more: Graph = {}): Graph => ({
  '5': node(class_type, { value }),
  '6': node('PreviewAny', { source: ['5', 0] }),
  ...more,
})

provesRuns(
  'scenario/node-expands',
  scripted(scenario),
  [
    expanding('Expand', 2.5),
    { started: ['5', '5.0.0.a', '5.0.0.b', '6'], outputs: { '6': { text: ['2.5'] } } },
  ],
  // The result is cached under the node itself.
  [expanding('Expand', 2.5), { started: [] }],
  // Some calls of a node expand, the others return a result; the items keep their order.
  [
    expanding('OfTwo', ['4', 0], { '4': node('MakeList', { value1: 1, value2: 2 }) }),
    { started: ['4', '5', '5.1.0.a', '5.1.0.b', '6'], outputs: { '6': { text: ['9.0', '2.0'] } } },
  ],
  // Output nodes of an expansion run in any case, before the others, and so do expansions in it.
  [
    expanding('Outer', 1),
    {
      started: ['5', '5.0.0.d', '5.0.0.c', '5.0.0.c.0.0.a', '6'],
      outputs: { '5.0.0.d': { text: ['shown'] }, '6': { text: ['3'] } },
    },
  ],
)

proves(
  'scenario/node-expands',
  async (subject) => {
    const { messages } = await runAlone(subject, expanding('Expand', 2.5))
    const child = messages.find(({ data }) => data['node'] === '5.0.0.a')
    expect(child).toMatchObject({ type: 'executing', data: { display_node: '5' } })
    const state = messages.findLast(({ type }) => type === 'progress_state')
    const ofChild = { display_node_id: '5', parent_node_id: '5', real_node_id: '5' }
    expect(state?.data['nodes']).toMatchObject({
      '5': { state: 'finished', parent_node_id: null, real_node_id: '5' },
      '5.0.0.b': { node_id: '5.0.0.b', ...ofChild },
    })
    if (subject.deployment === 'local') {
      const lines = transcript(messages)
      const last = lines.indexOf('executing 5.0.0.b')
      expect(lines.slice(last + 1, last + 3)).toEqual([
        'progress_state 5 running 0/1, 5.0.0.a finished 1/1, 5.0.0.b finished 1/1',
        'progress_state 5 finished 1/1, 5.0.0.a finished 1/1, 5.0.0.b finished 1/1',
      ])
    }
    const nested = await runAlone(subject, expanding('Outer', 1))
    expect(nested.entry.meta['5.0.0.d']).toEqual({
      node_id: '5.0.0.d',
      display_node: '5',
      parent_node: '5',
      real_node_id: '5',
    })
    const deep = nested.messages.find(({ data }) => data['node'] === '5.0.0.c.0.0.a')
    expect(deep?.data).toMatchObject({ display_node: '5' })
  },
  scripted(scenario),
)

// The time of a run is shared by the nodes of its expansions, too.
provesRuns('scenario/run-duration', scripted({ ...scenario, runs: [{ durationMs: 10_000 }] }), [
  expanding('Expand', 1),
  { lastedMs: 10_000 },
])

provesRuns('scenario/node-expands-error', scripted(scenario), (deployment) => [
  [
    expanding('ToFailing', 1),
    {
      error: {
        node_id: '5',
        node_type: 'ToFailing',
        ...(deployment === 'local' && { current_outputs: ['5', '6'] }),
      },
    },
  ],
  // A node that expands into itself does not fill the memory.
  [
    expanding('ToItself', 1),
    {
      error: {
        node_id: '5',
        exception_message: 'maximum recursion depth exceeded\n',
      },
    },
  ],
])

provesRuns('scenario/node-cycle', scripted(scenario), (deployment) => {
  const isLocal = deployment === 'local'
  return [
    [
      expanding('Circle', 1),
      {
        error: {
          node_id: '5',
          node_type: 'Circle',
          exception_type: isLocal ? 'graph.DependencyCycleError' : 'ValidationError',
          exception_message: 'Dependency cycle detected',
          traceback: [],
        },
        end: /^execution_error 5 /,
        // The history of a real server counts such a run as successful.
        status: isLocal ? 'success' : 'error',
      },
    ],
  ]
})
