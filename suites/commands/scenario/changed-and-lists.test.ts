// Nodes that count as changed, and nodes that take or return lists.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'

const types = {
  Custom: typeWith({ value: ['FLOAT', {}], changes: ['BOOLEAN', {}] }, ['FLOAT']),
  MakeList: typeWith({ value1: ['FLOAT', {}], value2: ['FLOAT', {}] }, ['FLOAT']),
}
const custom = (changes: boolean): Graph => ({
  '1': node('PrimitiveFloat', { value: 1 }),
  '2': node('Custom', { value: ['1', 0], changes }),
  '3': node('PreviewAny', { source: ['2', 0] }),
})

proves(
  'scenario/node-changed',
  async (subject) => {
    expect(startedIn(await runAlone(subject, custom(false)))).toEqual(['1', '2', '3'])
    expect(startedIn(await runAlone(subject, custom(false)))).toEqual(['2', '3'])
  },
  scripted({ types, nodes: [{ class_type: 'Custom', changed: 'always' }] }),
)

proves(
  'scenario/node-changed',
  async (subject) => {
    expect(startedIn(await runAlone(subject, custom(false)))).toEqual(['1', '2', '3'])
    expect(startedIn(await runAlone(subject, custom(false)))).toEqual([])
    expect(startedIn(await runAlone(subject, custom(true)))).toEqual(['2', '3'])
    expect(startedIn(await runAlone(subject, custom(true)))).toEqual(['2', '3'])
  },
  scripted({ types, nodes: [{ class_type: 'Custom', changed: { input: 'changes' } }] }),
)

// A node that runs each time on a real server is served from the cache.
proves(
  'scenario/node-changed',
  async (subject) => {
    const slow = { '1': node('FlowdoubleSlow', { seconds: 1, steps: 1 }) }
    expect(startedIn(await runAlone(subject, slow))).toEqual(['1'])
    expect(startedIn(await runAlone(subject, slow))).toEqual([])
  },
  scripted({ nodes: [{ class_type: 'FlowdoubleSlow', changed: 'never' }] }),
)

const listed = {
  '1': node('MakeList', { value1: 1, value2: 2 }),
  '2': node('Custom', { value: ['1', 0], changes: false }),
  '3': node('PreviewAny', { source: ['2', 0] }),
}
const making = { class_type: 'MakeList', values: [[{ input: 'value1' }, { input: 'value2' }]] }
const passing = { class_type: 'Custom', values: [{ input: 'value' }] }

proves(
  'scenario/node-lists',
  async (subject) => {
    const { entry } = await runAlone(subject, listed)
    expect(entry.outputs['3'].text).toEqual(['1.0', '2.0'])
  },
  scripted({ types, nodes: [{ ...making, lists: { outputs: [true] } }, passing] }),
)

proves(
  'scenario/node-lists',
  async (subject) => {
    const { entry } = await runAlone(subject, listed)
    // One call takes the whole list, and passes its first item on.
    expect(entry.outputs['3'].text).toEqual(['1.0'])
  },
  scripted({
    types,
    nodes: [
      { ...making, lists: { outputs: [true] } },
      { ...passing, lists: { inputs: true } },
    ],
  }),
)
