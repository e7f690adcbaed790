// Lists: nodes with several items at an output, and how the following nodes handle them.

import { join } from 'node:path'
import { decode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, type Node, node } from '../../generate/graphs.ts'
import { errorOf } from '../../judge/failures.ts'
import { withoutAssets } from '../../judge/own-assets.ts'
import { me, uniqueNumber } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { nodesOf } from '../../support/transcript.ts'
import type { Subject } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

const pictures = (batch_size: number, color = 0): Node =>
  node('EmptyImage', { width: 64, height: 32, batch_size, color })

/** `id` is a list of the pictures of a batch, at most this many in each item. */
const listed = (id: string, batch: number, batch_size: number, color = 0): Graph => ({
  [`${id} batch`]: pictures(batch, color),
  [id]: node('RebatchImages', { images: [`${id} batch`, 0], batch_size }),
})

/** `id` shows the width, the height or the number of pictures of each item of `source`, by the index of the output. */
const measured = (id: string, source: string, index: 0 | 1 | 2): Graph => ({
  [`${id} size`]: node('GetImageSize', { image: [source, 0] }),
  [id]: node('PreviewAny', { source: [`${id} size`, index] }),
})

/** What each output node of a graph shows. */
const shown = async (subject: Subject, graph: Graph): Promise<Record<string, any>> =>
  (await subject.run(await me(subject), graph)).entry.outputs

proves(['runs/list-joined', 'runs/list-rebatched'], async (subject) => {
  const prefix = subject.unique('listed')
  const { messages, entry } = await subject.run(await me(subject), {
    ...listed('list', 5, 2, uniqueNumber(subject, 'batch')),
    ...measured('count', 'list', 2),
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
    ...listed('list', 3, 2, uniqueNumber(subject, 'batch')),
    fail: node('SaveImage', { images: ['list', 0], filename_prefix: '../flowdouble-check' }),
  })
  const error = messages.find(({ type }) => type === 'execution_error')
  expect(error?.data['current_inputs']).toMatchObject({
    filename_prefix: ['../flowdouble-check'],
    images: [expect.any(String), expect.any(String)],
  })
})

/** Three pictures with the widths 16, 8 and 8, as `wide`: the shorter list holds the widths. */
const unequal: Graph = {
  ...listed('widths', 24, 16),
  'widths size': node('GetImageSize', { image: ['widths', 0] }),
  ...listed('three', 3, 1),
  wide: node('ImageScale', {
    image: ['three', 0],
    upscale_method: 'nearest-exact',
    width: ['widths size', 2],
    height: 8,
    crop: 'disabled',
  }),
}

proves('runs/list-maps', async (subject) => {
  const graph = { ...unequal, ...measured('width', 'wide', 0), ...measured('count', 'wide', 2) }
  expect(await shown(subject, graph)).toEqual({
    width: { text: ['16', '8', '8'] },
    count: { text: ['1', '1', '1'] },
  })
})

/** Latents of the widths 16, 8 and 8, in batches of up to four. */
const latents: Graph = {
  ...unequal,
  model: node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
  encode: node('VAEEncode', { pixels: ['wide', 0], vae: ['model', 2] }),
  again: node('RebatchLatents', { latents: ['encode', 0], batch_size: 4 }),
  decode: node('VAEDecode', { samples: ['again', 0], vae: ['model', 2] }),
}

proves('runs/list-rebatched', async (subject) => {
  const graph = { ...latents, ...measured('count', 'decode', 2), ...measured('width', 'decode', 0) }
  expect(await shown(subject, graph)).toEqual({
    count: { text: ['1', '2'] },
    width: { text: ['16', '8'] },
  })
  const session = await subject.connect(subject.unique('you'))
  const join = node('RebatchImages', { images: ['wide', 0], batch_size: 4 })
  const failed = await subject.run(session, { ...unequal, join, ...measured('count', 'join', 2) })
  expect(errorOf(failed)).toMatchObject({ node_id: 'join', exception_type: 'RuntimeError' })
  expect(errorOf(failed)?.['exception_message']).toMatch(/^Sizes of tensors must match.* 16 .* 8 /)
})

proves(
  'runs/list-interrupted',
  async ({ connect, submit, reach, post, get, unique }) => {
    const session = await connect(unique('me'))
    const save = node('SaveImage', { images: ['list', 0], filename_prefix: 'part' })
    await submit({ ...listed('list', 3, 1), save }, { client_id: 'me' })
    await reach(session, ({ type, data }) => type === 'executing' && data['node'] === 'save')
    await post('/interrupt', {})
    const { data } = await reach(session, ({ type }) => type === 'execution_interrupted')
    expect({ nodeId: data['node_id'], executed: data['executed'] }).toEqual({
      nodeId: 'save',
      executed: expect.not.arrayContaining(['save']),
    })
    expect(nodesOf('executed', session.messages())).toEqual([])
    expect((await get('/view?filename=part_00001_.png')).status).toBe(200)
    expect((await get('/view?filename=part_00002_.png')).status).toBe(404)
  },
  ownWorld,
)

proves('runs/image-batch', async (subject) => {
  const graph = {
    large: pictures(2),
    small: node('EmptyImage', { width: 8, height: 8, batch_size: 3, color: 0 }),
    join: node('ImageBatch', { image1: ['small', 0], image2: ['large', 0] }),
    ...measured('count', 'join', 2),
    ...measured('width', 'join', 0),
  }
  expect(await shown(subject, graph)).toEqual({ count: { text: ['5'] }, width: { text: ['8'] } })
})

/** Runs a graph and returns the pictures that its node `shown` saved, as base64. */
async function pixelsOf(subject: Subject, graph: Graph): Promise<string[]> {
  const files: string[] = []
  for (const image of (await shown(subject, graph))['shown'].images) {
    const { bytes } = await subject.get(viewPath(image))
    files.push(Buffer.from(decode(bytes).data).toString('base64'))
  }
  return files
}

/** Three pictures of one batch, and a node that shows those of `of`. */
const threeColors = (of: string): Graph => ({
  red: pictures(1, 0xff0000),
  green: pictures(1, 0x00ff00),
  blue: pictures(1, 0x0000ff),
  two: node('ImageBatch', { image1: ['red', 0], image2: ['green', 0] }),
  all: node('ImageBatch', { image1: ['two', 0], image2: ['blue', 0] }),
  shown: node('PreviewImage', { images: [of, 0] }),
})

proves(['runs/batch-part', 'runs/image-batch'], async (subject) => {
  const all = await pixelsOf(subject, threeColors('all'))
  expect(new Set(all).size).toBe(3)
  const part = (batch_index: number, length: number): Promise<string[]> =>
    pixelsOf(subject, {
      ...threeColors('part'),
      part: node('ImageFromBatch', { image: ['all', 0], batch_index, length }),
    })
  expect(await part(1, 1)).toEqual(all.slice(1, 2))
  expect(await part(1, 9)).toEqual(all.slice(1))
  expect(await part(9, 2)).toEqual(all.slice(2))
})

proves('runs/batch-repeated', async (subject) => {
  const all = await pixelsOf(subject, threeColors('all'))
  const repeat = node('RepeatImageBatch', { image: ['all', 0], amount: 2 })
  expect(await pixelsOf(subject, { ...threeColors('repeat'), repeat })).toEqual([...all, ...all])
})

proves(
  'runs/list-too-long',
  async ({ connect, run, unique }) => {
    const session = await connect(unique('me'))
    const repeated = (amount: number): Graph => ({
      ...listed('list', 64, 1),
      repeat: node('RepeatImageBatch', { image: ['list', 0], amount }),
      ...measured('count', 'repeat', 2),
    })
    expect((await run(session, repeated(64))).entry.outputs.count.text).toEqual(
      Array(64).fill('64'),
    )
    expect(errorOf(await run(session, repeated(65)))).toMatchObject({
      node_id: 'repeat',
      exception_type: 'torch.OutOfMemoryError',
    })
  },
  ownWorld,
)

/** Types of another server, whose object_info lists which of them take lists. */
const ownTypes = { objectInfo: join(import.meta.dirname, '../../generate/list-types.json') }

proves(
  ['runs/list-taken-whole', 'runs/list-of-batch'],
  async (subject) => {
    const graph = {
      batch: pictures(3),
      split: node('Split', { image: ['batch', 0] }),
      ...measured('apart', 'split', 2),
      gather: node('Gather', { image: ['split', 0] }),
      ...measured('whole', 'gather', 2),
      text: node('PreviewAny', { source: ['split', 1] }),
    }
    expect(await shown(subject, graph)).toEqual({
      apart: { text: ['1', '1', '1'] },
      whole: { text: ['3'] },
      text: { text: [''] },
    })
  },
  ownTypes,
)
