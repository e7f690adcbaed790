// Node types that a scenario adds to the catalogue.

import { replay, startEmulator } from 'flowdouble'
import { node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves, test } from '../../judge/proves.ts'
import { runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'

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
