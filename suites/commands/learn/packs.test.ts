// What is learned of nodes of packs from a session alone, without GET /object_info: their declarations, and what they report.

import { learn, typesOfWorlds } from '../../../dist/emulator/internal.js'
import { type Graph, node } from '../../generate/graphs.ts'
import { expect } from '../../judge/expect.ts'
import { test } from '../../judge/proves.ts'
import { play } from '../../support/recordings/learned.ts'

/** Two types of a pack, one behind the other, and what the first one loads. */
const types = {
  Detector: {
    input: { required: { model_name: [['bbox/face.pt', 'bbox/hand.pt']] } },
    output: ['DETECTOR'],
  },
  Detailer: {
    input: { required: { image: ['IMAGE'], detector: ['DETECTOR'], guidance: ['FLOAT'] } },
    output: ['IMAGE', 'MASK'],
  },
}
const workflow: Graph = {
  1: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 5 }),
  2: node('Detector', { model_name: 'bbox/face.pt' }),
  3: node('Detailer', { image: ['1', 0], detector: ['2', 0], guidance: 4 }),
  4: node('SaveImage', { images: ['3', 0], filename_prefix: 'a' }),
  5: node('MaskPreview', { mask: ['3', 1] }),
}
const learned = async (scenario: object) => {
  const { recording } = await play({ scenario: { version: 1, ...scenario } }, [
    { submit: workflow },
  ])
  return learn([recording], typesOfWorlds(), { from: 'a session' })
}

test('learn/types Types that a session does not list are inferred from all of its workflows, both ends of each link', async () => {
  const { scenario, notLearned } = await learned({ types })
  expect(scenario.types).toEqual({
    Detector: {
      input: { required: { model_name: [['bbox/face.pt']] }, optional: {} },
      output: ['*'],
      output_node: false,
    },
    Detailer: {
      input: {
        required: { image: ['IMAGE'], guidance: ['FLOAT'] },
        optional: { detector: ['*'] },
      },
      output: ['IMAGE', 'MASK'],
      output_node: false,
    },
  })
  expect(notLearned).toContain('the declaration of Detailer, beyond how workflows use it')
})

test('learn/other-outputs A built-in type that reports other keys, or more of its files, is learned as it is', async () => {
  const images = [{ own: true, filename: 'a_00001_.png', frame_rate: 24 }] as const
  const outputs = [{ images }, { images: [{ own: true }], gifs: [], seed: [7] }]
  for (const reported of outputs) {
    const nodes = [{ class_type: 'SaveImage', outputs: reported }]
    const { scenario, notLearned } = await learned({ types, nodes })
    const rule = scenario.nodes?.find(({ class_type }) => class_type === 'SaveImage')
    expect(rule?.outputs).toMatchObject(reported)
    expect(notLearned).toContain('files of SaveImage that were not downloaded')
  }
  const usual = await learned({ types })
  expect(usual.scenario.nodes?.some(({ outputs }) => outputs !== undefined)).toBe(false)
})
