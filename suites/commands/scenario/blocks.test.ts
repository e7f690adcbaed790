// Nodes that block those behind them.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { endOf, runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'
import { nodesOf } from '../../support/transcript.ts'

const types = {
  Blocker: typeWith({ value: ['FLOAT', {}], block: ['BOOLEAN', {}] }, ['FLOAT', 'FLOAT']),
  MakeList: typeWith({ value1: ['*'], value2: ['*'], value3: ['*'] }, ['*'], {
    output_is_list: [true],
  }),
}
const nodes = [
  {
    class_type: 'MakeList',
    values: [[{ input: 'value1' }, { input: 'value2' }, { input: 'value3' }]],
  },
  { class_type: 'Blocker', values: [{ input: 'value' }, { input: 'value' }] },
]
const blocking = (block: unknown, more: Graph = {}): Graph => ({
  '1': node('Blocker', { value: 1, block }),
  '2': node('PreviewAny', { source: ['1', 0] }),
  '3': node('PreviewAny', { source: ['1', 1] }),
  ...more,
})

proves(
  'scenario/node-blocks',
  async (subject) => {
    const free = await runAlone(subject, blocking(false))
    expect(Object.keys(free.entry.outputs).toSorted()).toEqual(['2', '3'])
    const run = await runAlone(subject, blocking(true))
    // Both start, as on a real server, but the blocked one has no output.
    expect(startedIn(run).toSorted()).toEqual(['1', '2', '3'])
    expect(nodesOf('executed', run.messages)).toEqual(['3'])
    expect(Object.keys(run.entry.outputs)).toEqual(['3'])
    expect(endOf(run)).toBe('execution_success')
  },
  scripted({
    types,
    nodes: [
      { class_type: 'Blocker', blocks: [{ outputs: [0], where: { block: true } }] },
      ...nodes,
    ],
  }),
)

// Of a list, only the blocked items are left out, also by the nodes further behind.
proves(
  'scenario/node-blocks',
  async (subject) => {
    const graph = {
      '1': node('MakeList', { value1: 1, value2: 2, value3: 3 }),
      '2': node('MakeList', { value1: false, value2: true, value3: false }),
      '3': node('Blocker', { value: ['1', 0], block: ['2', 0] }),
      '4': node('Blocker', { value: ['3', 0], block: false }),
      '5': node('PreviewAny', { source: ['4', 0] }),
    }
    const { entry } = await runAlone(subject, graph)
    expect(entry.outputs['5']).toEqual({ text: ['1', '3'] })
  },
  scripted({
    types,
    nodes: [{ class_type: 'Blocker', blocks: [{ where: { block: true } }] }, ...nodes],
  }),
)

proves(
  'scenario/node-blocks-message',
  async (subject) => {
    const run = await runAlone(subject, blocking(true))
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
  scripted({
    types,
    nodes: [
      { class_type: 'Blocker', blocks: [{ where: { block: true }, message: 'not today' }] },
      ...nodes,
    ],
  }),
)
