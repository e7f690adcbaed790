// Nodes for pictures and latents: sizes, pixels, how they are printed and saved, and their bounds.

import { viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { put } from '../../judge/own-files.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { picturesOf, runOf, type SeenPicture, textsOf } from '../../judge/nodes/shown.ts'

/** The pictures that each output node of a graph saves. */
async function saved(
  subject: Subject,
  graph: Graph,
): Promise<Record<string, readonly SeenPicture[]>> {
  const { outputs } = (await runOf(subject, graph)).entry
  const files: Record<string, readonly SeenPicture[]> = {}
  for (const [id, output] of Object.entries(outputs)) files[id] = await picturesOf(subject, output)
  return files
}

const picture = (color: number, width = 4, height = 2, batch_size = 1) =>
  node('EmptyImage', { width, height, batch_size, color })
const preview = (source: string) => node('PreviewImage', { images: [source, 0] })

proves('nodes/sizes', async (subject) => {
  const { unique } = subject
  const three = picture(0, 16, 17, 3)
  const mask = node('SolidMask', { value: 1, width: 16, height: 17 })
  const files = await saved(subject, {
    three,
    mask,
    fit: node('ImageScaleToMaxDimension', {
      image: ['three', 0],
      upscale_method: 'bilinear',
      largest_size: 16,
    }),
    fitted: node('SaveImage', {
      images: ['fit', 0],
      filename_prefix: unique('sized_%width%x%height%'),
    }),
    turn: node('ImageRotate', { image: ['fit', 0], rotation: '90 degrees' }),
    turned: preview('turn'),
    join: node('JoinImageWithAlpha', { image: ['three', 0], alpha: ['mask', 0] }),
    joined: preview('join'),
    crop: node('CropMask', { mask: ['mask', 0], x: 10, y: 1, width: 50, height: 3 }),
    cropped: node('MaskPreview', { mask: ['crop', 0] }),
  })
  const sizes = (id: string) => files[id]?.map(({ width, height }) => `${width}x${height}`)
  expect(sizes('fitted')).toEqual(['15x16', '15x16', '15x16'])
  expect(files['fitted']?.[0]?.name).toBe('sized_15x16_00001_.png')
  expect(sizes('turned')).toEqual(['16x15', '16x15', '16x15'])
  expect(sizes('joined')).toEqual(['16x17'])
  expect(sizes('cropped')).toEqual(['6x3'])
})

proves('nodes/pixels', async (subject) => {
  const files = await saved(subject, {
    grey: picture(0x555555, 1, 1),
    invert: node('ImageInvert', { image: ['grey', 0] }),
    inverted: preview('invert'),
    again: node('ImageInvert', { image: ['invert', 0] }),
    twice: preview('again'),
    red: picture(0xff0000, 1, 1),
    blend: node('ImageBlend', {
      image1: ['grey', 0],
      image2: ['red', 0],
      blend_factor: 0.5,
      blend_mode: 'normal',
    }),
    blended: preview('blend'),
    pad: node('ImagePadForOutpaint', {
      image: ['red', 0],
      left: 8,
      top: 0,
      right: 0,
      bottom: 0,
      feathering: 0,
    }),
    padded: preview('pad'),
  })
  expect(files['inverted']?.[0]?.rgba).toEqual([169, 169, 169, 255])
  // What is not saved is not cut: the second time returns the first grey.
  expect(files['twice']?.[0]?.rgba).toEqual([85, 85, 85, 255])
  expect(files['blended']?.[0]?.rgba).toEqual([170, 42, 42, 255])
  expect(files['padded']?.[0]?.rgba.slice(-8)).toEqual([127, 127, 127, 255, 255, 0, 0, 255])
})

proves('nodes/mixed', async (subject) => {
  const files = await saved(subject, {
    model: node('CheckpointLoaderSimple', { ckpt_name: 'sd_xl_base_1.0.safetensors' }),
    text: node('CLIPTextEncode', { clip: ['model', 1], text: 'a lake' }),
    latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 2 }),
    sample: node('KSampler', {
      model: ['model', 0],
      positive: ['text', 0],
      negative: ['text', 0],
      latent_image: ['latent', 0],
      seed: 1,
      steps: 1,
      cfg: 1,
      sampler_name: 'euler',
      scheduler: 'simple',
      denoise: 1,
    }),
    decode: node('VAEDecode', { samples: ['sample', 0], vae: ['model', 2] }),
    plain: preview('decode'),
    invert: node('ImageInvert', { image: ['decode', 0] }),
    inverted: preview('invert'),
    flip: node('ImageFlip', { image: ['decode', 0], flip_method: 'y-axis: horizontally' }),
    flipped: preview('flip'),
  })
  const [first, second] = files['plain'] ?? []
  // What a model paints is up to the model.
  if (subject.isOwn) expect(second?.rgba).not.toEqual(first?.rgba)
  for (const [at, { rgba = [] } = {}] of [first, second].entries()) {
    const inverted = files['inverted']?.[at]?.rgba ?? []
    expect(inverted.length).toBe(rgba.length)
    const apart = rgba.flatMap((value, place) =>
      place % 4 === 3 ? [] : [255 - value - (inverted[place] ?? 0)],
    )
    expect([Math.min(...apart) >= 0, Math.max(...apart) <= 1]).toEqual([true, true])
    const flipped = files['flipped']?.[at]?.rgba ?? []
    expect(flipped.slice(0, 4)).toEqual(rgba.slice(63 * 4, 64 * 4))
  }
})

proves('nodes/tensor-text', async (subject) => {
  const graph = {
    mask: node('SolidMask', { value: 0.5, width: 2, height: 1 }),
    latent: node('EmptySD3LatentImage', { width: 16, height: 16, batch_size: 1 }),
    cut: node('LatentCut', { samples: ['latent', 0], dim: 'x', index: 0, amount: 1 }),
    crop: node('LatentCut', { samples: ['cut', 0], dim: 'y', index: 0, amount: 1 }),
  }
  const sources = { mask: ['mask', 0], latent: ['crop', 0] }
  expect(await textsOf(subject, graph, sources)).toEqual({
    mask: 'tensor([[[0.5000, 0.5000]]])',
    latent: expect.stringMatching(/^\{'samples': tensor\(\[\[\[\[0\.\]\],\n\n {9}\[\[0\.\]\],/),
  })
})

proves('nodes/latents-saved', async (subject) => {
  const { get, unique } = subject
  const { entry } = await runOf(subject, {
    empty: node('EmptySD3LatentImage', { width: 16, height: 16, batch_size: 1 }),
    cut: node('LatentCut', { samples: ['empty', 0], dim: 'x', index: 0, amount: 1 }),
    save: node('SaveLatent', { samples: ['cut', 0], filename_prefix: unique('cut') }),
  })
  const output = entry.outputs['save']
  const { bytes } = await get(viewPath(output.latents[0]))
  const length = Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString())
  expect(header.latent_tensor).toMatchObject({ dtype: 'F32', shape: [1, 16, 2, 1] })
  expect([...bytes.subarray(8 + length)]).toEqual(Array(128).fill(0))
  await put(subject, { name: 'cut.latent', bytes }, {})
  const graph = { load: node('LoadLatent', { latent: unique('cut.latent') }) }
  const { text } = await textsOf(subject, graph, { text: ['load', 0] })
  expect(text).toMatch(/^\{'samples': tensor\(\[\[\[\[0\.\],/)
})

proves(
  'nodes/chain-bounded',
  async (subject) => {
    const chain = (length: number): Graph => ({
      0: picture(0x00ff00, 1, 1),
      ...Object.fromEntries(
        Array.from({ length: length - 1 }, (_, at) => [
          `${at + 1}`,
          node('ImageInvert', { image: [`${at}`, 0] }),
        ]),
      ),
      show: preview(`${length - 1}`),
    })
    const near = await saved(subject, chain(399))
    expect(near['show']?.[0]?.rgba).toEqual([0, 255, 0, 255])
    const far = await saved(subject, chain(403))
    expect(far['show']?.[0]?.rgba).toHaveLength(4)
    expect(far['show']?.[0]?.rgba).not.toEqual([0, 255, 0, 255])
  },
  ownWorld,
)

proves(
  'nodes/picture-bounded',
  async (subject) => {
    const side = (at: number, length: number): number => length - (at % 2)
    const chain = (length: number): Graph => ({
      0: picture(0x00ff00, 1, 1),
      ...Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [
          `${at + 1}`,
          node('ImageScale', {
            image: [`${at}`, 0],
            upscale_method: 'bilinear',
            width: side(at, length),
            height: length,
            crop: 'disabled',
          }),
        ]),
      ),
      part: node('ImageCrop', { image: ['50', 0], width: 1, height: 1, x: 0, y: 0 }),
      show: preview('part'),
    })
    const small = await saved(subject, chain(16))
    expect(small['show']?.[0]?.rgba).toEqual([0, 255, 0, 255])
    // 50 pictures of 4096 x 4096 x 3 numbers.
    const large = await saved(subject, chain(4096))
    expect(large['show']?.[0]?.rgba).toHaveLength(4)
    expect(large['show']?.[0]?.rgba).not.toEqual([0, 255, 0, 255])
  },
  ownWorld,
)
