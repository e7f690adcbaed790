// What saved files keep of their run and of their pictures, and what outputs say of it.

import { decode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { me, shown } from '../../judge/own-runs.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { errorOf } from '../../judge/failures.ts'
import { expect } from '../../judge/expect.ts'

proves('files/workflow-in-latent', async ({ connect, run, get, unique }) => {
  const graph = {
    latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
    save: node('SaveLatent', { samples: ['latent', 0], filename_prefix: unique('grün') }),
  }
  const workflow = { nodes: [], name: 'grün' }
  const members = { extra_data: { extra_pnginfo: { workflow } } }
  const { outputs } = (await run(await connect(unique('me')), graph, members)).entry
  const { bytes } = await get(viewPath(outputs['save'].latents[0]))
  const length = Number(Buffer.from(bytes).readBigUInt64LE())
  expect(length % 8).toBe(0)
  const header = JSON.parse(Buffer.from(bytes.subarray(8, 8 + length)).toString())
  const { __metadata__: kept, latent_tensor: tensor } = header
  expect(Object.keys(kept).toSorted()).toEqual(['prompt', 'workflow'])
  for (const text of Object.values(kept)) expect(text).toMatch(/^[ -~]*$/)
  expect(JSON.parse(kept.prompt)).toEqual(graph)
  expect(JSON.parse(kept.workflow)).toEqual(workflow)
  expect(tensor.shape).toEqual([1, 4, 8, 8])
  expect(bytes.length).toBe(8 + length + 4 * 4 * 8 * 8)
})

proves('files/odd-metadata', async (subject) => {
  const { connect, run, unique } = subject
  const session = await connect(unique('me'))
  const notIterable = "'int' object is not iterable\n"
  const notIndex = "string indices must be integers, not 'str'\n"
  for (const [save, odd, message] of [
    ['SaveImage', 'a workflow as text', notIndex],
    ['SaveImage', 5, notIterable],
    ['SaveLatent', 'a workflow as text', notIndex],
    ['SaveLatent', 5, notIterable],
    ['PreviewImage', [1], 'list index out of range\n'],
  ] as const) {
    const filename_prefix = unique('odd')
    const graph: Graph =
      save === 'SaveLatent'
        ? {
            latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
            save: node(save, { samples: ['latent', 0], filename_prefix }),
          }
        : {
            picture: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0 }),
            save: node(save, { images: ['picture', 0], filename_prefix }),
          }
    const { messages } = await run(session, graph, { extra_data: { extra_pnginfo: odd } })
    expect(errorOf({ messages })).toMatchObject({ node_id: 'save', exception_message: message })
  }
})

proves('files/alpha-kept', async ({ connect, run, get, unique }) => {
  const graph = {
    picture: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0xff8040 }),
    mask: node('SolidMask', { value: 0, width: 8, height: 8 }),
    joined: node('JoinImageWithAlpha', { image: ['picture', 0], alpha: ['mask', 0] }),
    opaque: node('PreviewImage', { images: ['joined', 0] }),
    plain: node('PreviewImage', { images: ['picture', 0] }),
    moving: node('SaveAnimatedPNG', {
      images: ['joined', 0],
      filename_prefix: unique('moving'),
      fps: 6,
      compress_level: 4,
    }),
  }
  const { outputs } = (await run(await connect(unique('me')), graph)).entry
  const channelsOf = async (id: string): Promise<number> =>
    decode((await get(viewPath(outputs[id].images[0]))).bytes).channels
  expect(await channelsOf('plain')).toBe(3)
  expect(await channelsOf('opaque')).toBe(4)
  expect(await channelsOf('moving')).toBe(4)
})

// Only training makes a loss: no check trains the models of others.
proves(
  'files/loss-graph',
  async (subject) => {
    const {
      entry: { outputs },
    } = await subject.run(await me(subject), {
      model: node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
      text: node('CLIPTextEncode', { text: 'a lighthouse', clip: ['model', 1] }),
      latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
      train: node('TrainLoraNode', {
        model: ['model', 0],
        latents: ['latent', 0],
        positive: ['text', 0],
        batch_size: 1,
        grad_accumulation_steps: 1,
        steps: 1,
        learning_rate: 0.0005,
        rank: 8,
        optimizer: 'AdamW',
        loss_function: 'MSE',
        seed: 0,
        training_dtype: 'bf16',
        lora_dtype: 'bf16',
        algorithm: 'LoRA',
        gradient_checkpointing: true,
        existing_lora: '[None]',
      }),
      draw: node('LossGraphNode', { loss: ['train', 2], filename_prefix: 'loss' }),
    })
    const [image] = outputs.draw.images
    expect(outputs.draw.images).toHaveLength(1)
    expect(image).toMatchObject({ subfolder: '', type: 'temp' })
    expect(image.filename).toMatch(/^loss_20\d{6}_[0-2]\d[0-5]\d[0-5]\d\.png$/)
    const { bytes } = await subject.get(viewPath(image))
    expect(Object.keys(decode(bytes).text)).toEqual(['prompt'])
  },
  ownWorld,
)

proves('files/output-metadata', async (subject) => {
  const graph = {
    ...shown(subject, 'described'),
    '3': node('CreateVideo', { images: ['1', 0], fps: 8 }),
    '4': node('SaveVideo', {
      video: ['3', 0],
      filename_prefix: subject.unique('V'),
      format: 'auto',
      codec: 'auto',
    }),
    '5': node('PreviewAny', { source: subject.unique('not described') }),
  }
  const { entry } = await subject.run(await me(subject), graph)
  const [picture] = entry.outputs['2'].images
  expect(picture.metadata).toEqual({ kind: 'image', width: 64, height: 64 })
  const [video] = entry.outputs['4'].images
  expect(video.metadata).toMatchObject({ kind: 'video' })
  expect(entry.outputs['5']).toEqual({ text: [subject.unique('not described')] })
})
