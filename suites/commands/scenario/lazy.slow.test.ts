// Nodes that request their lazy inputs when they run.

import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { proves } from '../../judge/proves.ts'
import { runAlone, scripted, startedIn, typeWith } from '../../support/scripted.ts'
import { transcript } from '../../support/transcript.ts'

const lazyImage = ['IMAGE', { lazy: true }] as const
const scenario = {
  types: {
    LazyMix: typeWith({ image1: lazyImage, image2: lazyImage, mask: ['FLOAT', {}] }, ['IMAGE']),
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
    { class_type: 'MakeList', values: [[{ input: 'value1' }, { input: 'value2' }]] },
  ],
}
const options = scripted(scenario)

/** Two pictures, a mix of them, and a preview of it. */
const mixed = (mask: unknown, more: Graph = {}): Graph => ({
  '1': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 1 }),
  '2': node('EmptyImage', { width: 64, height: 64, batch_size: 1, color: 2 }),
  '3': node('LazyMix', { image1: ['1', 0], image2: ['2', 0], mask }),
  '4': node('PreviewImage', { images: ['3', 0] }),
  ...more,
})

for (const [mask, started] of [
  [0, ['3', '1', '3', '4']],
  [1, ['3', '2', '3', '4']],
  [0.5, ['3', '1', '2', '3', '4']],
  [0.25, ['3', '4']],
] as const) {
  proves(
    'scenario/node-needs',
    async (subject) => {
      expect(startedIn(await runAlone(subject, mixed(mask)))).toEqual(started)
    },
    options,
  )
}

// The condition is on the value of a link, and of each item of a list.
proves(
  'scenario/node-needs',
  async (subject) => {
    const one = await runAlone(
      subject,
      mixed(['5', 0], { '5': node('PrimitiveFloat', { value: 1 }) }),
    )
    expect(startedIn(one)).toEqual(['5', '3', '2', '3', '4'])
    const list = { '5': node('MakeList', { value1: 0, value2: 1 }) }
    const both = await runAlone(subject, mixed(['5', 0], list))
    expect(startedIn(both)).toEqual(['5', '3', '1', '3', '4'])
    expect(both.entry.outputs['4'].images).toHaveLength(2)
  },
  options,
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
  scripted(scenario, { deployment: 'local' }),
)

// A node that another one needs anyway has run before; a cached one is at hand.
proves(
  'scenario/node-needs',
  async (subject) => {
    const also = { '6': node('PreviewImage', { images: ['1', 0] }) }
    const run = await runAlone(subject, mixed(0, also))
    expect(startedIn(run).filter((id) => id === '1')).toHaveLength(1)
    const again = await runAlone(subject, { ...mixed(0.5), '7': node('PreviewAny', { source: 1 }) })
    expect(startedIn(again).filter((id) => id === '1')).toEqual([])
  },
  options,
)

// Without needs, all inputs are evaluated.
proves(
  'scenario/node-needs',
  async (subject) => {
    expect(startedIn(await runAlone(subject, mixed(0)))).toEqual(['2', '1', '3', '4'])
  },
  scripted({ types: scenario.types }),
)
