// The progress of nodes: the number of steps that each reports, and its maximum.

import { changed, type Graph, node, textToImage } from '../../generate/graphs.ts'
import { succeeded } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import type { Run } from '../../judge/subject.ts'
import { expect } from '../../judge/expect.ts'

/** The values of the progress messages of a node, and the numbers that they count up to. */
const progressOf = ({ messages }: Run, id: string): readonly (readonly unknown[])[] =>
  messages
    .filter(({ type, data }) => type === 'progress' && data['node'] === id)
    .map(({ data }) => [data['value'], data['max']])

/** `count` steps, from 1 on. */
const steps = (count: number, max = count): readonly (readonly number[])[] =>
  Array.from({ length: count }, (_, at) => [at + 1, max])

const model = node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' })
const picture = (width: number, height: number, batch_size = 1) =>
  node('EmptyImage', { width, height, batch_size, color: 0 })

proves('runs/tile-steps', async ({ connect, run, permit, unique }) => {
  permit('slow')
  const session = await connect(unique('me'))
  const upscaled = async (width: number, height: number, batch: number): Promise<unknown> => {
    const graph = {
      scaler: node('UpscaleModelLoader', { model_name: 'RealESRGAN_x4plus.pth' }),
      image: picture(width, height, batch),
      scale: node('ImageUpscaleWithModel', { upscale_model: ['scaler', 0], image: ['image', 0] }),
      show: node('PreviewImage', { images: ['scale', 0] }),
    }
    return progressOf(succeeded(await run(session, graph)), 'scale')
  }
  expect(await upscaled(512, 512, 1)).toEqual(steps(1))
  // Tiles of 512 pixels begin every 480: two across, and three down at more than 992.
  expect(await upscaled(513, 1000, 2)).toEqual(steps(2 * 3 * 2))
})

proves('runs/tile-steps', async ({ connect, run, unique }) => {
  const tiles = { tile_size: 512, overlap: 64, temporal_size: 64, temporal_overlap: 8 }
  const graph: Graph = {
    model,
    image: picture(1024, 512),
    encode: node('VAEEncodeTiled', { pixels: ['image', 0], vae: ['model', 2], ...tiles }),
    decode: node('VAEDecodeTiled', { samples: ['encode', 0], vae: ['model', 2], ...tiles }),
    show: node('PreviewImage', { images: ['decode', 0] }),
  }
  const done = succeeded(await run(await connect(unique('me')), graph))
  // Squares of 512 begin every 448: 3. Upright tiles of 256 begin every 192: 5. Lying ones of 256: 3 rows of 1.
  expect(progressOf(done, 'encode')).toEqual(steps(3 + 5 + 3))
  expect(progressOf(done, 'decode')).toEqual(steps(3 + 5 + 3))
})

/** A custom sampler with the output of a node that makes SIGMAS. */
const sampling = (sigmas: Graph, from: readonly [string, number]): Graph => ({
  ...textToImage(),
  ...sigmas,
  sampler: node('KSamplerSelect', { sampler_name: 'euler' }),
  '3': node('SamplerCustom', {
    model: ['4', 0],
    add_noise: true,
    noise_seed: 1,
    cfg: 8,
    positive: ['6', 0],
    negative: ['7', 0],
    sampler: ['sampler', 0],
    sigmas: from,
    latent_image: ['5', 0],
  }),
})

proves('runs/sigma-steps', async ({ connect, run, unique }) => {
  const session = await connect(unique('me'))
  const basic = (count: number, denoise = 1): Graph => ({
    all: node('BasicScheduler', { model: ['4', 0], scheduler: 'normal', steps: count, denoise }),
  })
  const split: Graph = { ...basic(6), split: node('SplitSigmas', { sigmas: ['all', 0], step: 2 }) }
  const apart: Graph = {
    ...basic(6),
    split: node('SplitSigmasDenoise', { sigmas: ['all', 0], denoise: 0.5 }),
    flip: node('FlipSigmas', { sigmas: ['split', 1] }),
  }
  const short: Graph = {
    all: node('AlignYourStepsScheduler', { model_type: 'SDXL', steps: 10, denoise: 0.3 }),
  }
  const cases: readonly (readonly [Graph, readonly [string, number], number])[] = [
    [basic(4), ['all', 0], 4],
    [basic(4, 0.5), ['all', 0], 4],
    [basic(4, 0), ['all', 0], 0],
    [split, ['split', 0], 2],
    [split, ['split', 1], 4],
    [apart, ['flip', 0], 3],
    [short, ['all', 0], 3],
  ]
  for (const [sigmas, from, count] of cases) {
    const done = succeeded(await run(session, sampling(sigmas, from)))
    expect([from, progressOf(done, '3')]).toEqual([from, steps(count)])
  }
})

proves('runs/no-denoise', async ({ connect, run, unique }) => {
  const graph = changed(textToImage(1, 4), '3', { denoise: 0 })
  const { entry, messages } = await run(await connect(unique('me')), graph)
  expect(entry.status.status_str).toBe('success')
  const ofSampler = messages.filter(({ data }) => data['node'] === '3').map(({ type }) => type)
  expect(ofSampler).toEqual(['executing'])
})

proves('runs/dpm-fast-steps', async ({ connect, run, unique }) => {
  const session = await connect(unique('me'))
  for (const [count, reported] of [
    [1, 1],
    [3, 2],
    [7, 3],
  ] as const) {
    const graph = changed(textToImage(count, count), '3', { sampler_name: 'dpm_fast' })
    const done = succeeded(await run(session, graph))
    expect(progressOf(done, '3')).toEqual(steps(reported, count))
    const [state] = done.messages.filter(({ type }) => type === 'progress_state').slice(-1)
    const nodes = state?.data['nodes'] as Record<string, object>
    expect(nodes['3']).toMatchObject({ value: count, max: count, state: 'finished' })
  }
})
