// Lists on any local server: nodes with several items at an output, and how the following nodes handle them.

import { type Graph, node } from '../../generate/graphs.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { expect } from '../../judge/expect.ts'
import { me, uniqueNumber } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Subject } from '../../judge/subject.ts'
import { nodesOf } from '../../support/transcript.ts'

/** `list` is a list of the pictures of a batch, at most this many in each item. */
const listed = (subject: Subject, batch: number, batch_size: number): Graph => ({
  batch: node('EmptyImage', {
    width: 64,
    height: 32,
    batch_size: batch,
    color: uniqueNumber(subject, 'batch'),
  }),
  list: node('RebatchImages', { images: ['batch', 0], batch_size }),
})

proves(['runs/list-joined', 'runs/list-rebatched'], async (subject) => {
  const prefix = subject.unique('listed')
  const { messages, entry } = await subject.run(await me(subject), {
    ...listed(subject, 5, 2),
    size: node('GetImageSize', { image: ['list', 0] }),
    count: node('PreviewAny', { source: ['size', 2] }),
    save: node('SaveImage', { images: ['list', 0], filename_prefix: prefix }),
  })
  const images = [1, 2, 3, 4, 5].map((counter) => ({
    filename: `listed_0000${counter}_.png`,
    subfolder: prefix.split('/').slice(0, -1).join('/'),
    type: 'output',
  }))
  expect(withoutAssets(entry.outputs)).toEqual({
    count: { text: ['2', '2', '1'] },
    save: { images },
  })
  expect(nodesOf('executing', messages).filter((id) => id === 'save')).toHaveLength(1)
  const saved = messages.filter(({ type, data }) => type === 'executed' && data['node'] === 'save')
  expect(saved.map(({ data }) => withoutAssets(data['output']))).toEqual([{ images }])
  for (const image of images) expect((await subject.view(image)).status).toBe(200)
})

proves('runs/list-steps', async (subject) => {
  const { '5': _latent, ...graph } = await subject.workloads.sampling(2)
  const sampler = graph['3']!
  const { messages } = await subject.run(await me(subject), {
    ...graph,
    '5': node('EmptyLatentImage', { width: 64, height: 64, batch_size: 2 }),
    list: node('RebatchLatents', { latents: ['5', 0], batch_size: 1 }),
    '3': { ...sampler, inputs: { ...sampler.inputs, latent_image: ['list', 0] } },
  })
  const steps = messages.filter(({ type, data }) => type === 'progress' && data['node'] === '3')
  expect(steps.map(({ data }) => [data['value'], data['max']])).toEqual(
    [1, 2, 1, 2].map((value) => [value, 2]),
  )
  expect(nodesOf('executing', messages).filter((id) => id === '3')).toHaveLength(1)
})

proves(['runs/list-maps', 'messages/error-inputs'], async (subject) => {
  const { messages } = await subject.run(await me(subject), {
    ...listed(subject, 3, 2),
    fail: node('SaveImage', { images: ['list', 0], filename_prefix: '../flowdouble-check' }),
  })
  const error = messages.find(({ type }) => type === 'execution_error')
  expect(error?.data['current_inputs']).toMatchObject({
    filename_prefix: ['../flowdouble-check'],
    images: [expect.any(String), expect.any(String)],
  })
})
