// Nodes for pictures: sizes, numbers, pixels, and exceptions.

import { decode } from 'fast-png'
import { viewPath } from '../../generate/form.ts'
import { type Graph, node } from '../../generate/graphs.ts'
import { put } from '../../judge/own-files.ts'
import { ownWorld, proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import type { Subject } from '../../judge/subject.ts'
import { errorOf } from '../../judge/failures.ts'

type Files = Record<string, { name: string; width: number; height: number; data: number[] }[]>

/** The files that each output node of a graph saves. */
async function saved({ connect, run, get, unique }: Subject, graph: Graph): Promise<Files> {
  const { outputs } = (await run(await connect(unique('me')), graph)).entry
  const files: Files = {}
  for (const [id, { images = [] }] of Object.entries<any>(outputs)) {
    files[id] = []
    for (const image of images) {
      const { width, height, data } = decode((await get(viewPath(image))).bytes)
      files[id].push({ name: image.filename, width, height, data: [...data] })
    }
  }
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
  expect(files['inverted']?.[0]?.data).toEqual([169, 169, 169])
  // What is not saved is not cut: the second time returns the first grey.
  expect(files['twice']?.[0]?.data).toEqual([85, 85, 85])
  expect(files['blended']?.[0]?.data).toEqual([170, 42, 42])
  expect(files['padded']?.[0]?.data.slice(-6)).toEqual([127, 127, 127, 255, 0, 0])
})

proves('nodes/masks', async (subject) => {
  const files = await saved(subject, {
    half: node('SolidMask', { value: 0.5, width: 3, height: 1 }),
    full: node('SolidMask', { value: 1, width: 1, height: 1 }),
    set: node('MaskComposite', {
      destination: ['half', 0],
      source: ['full', 0],
      x: 1,
      y: 0,
      operation: 'subtract',
    }),
    composed: node('MaskPreview', { mask: ['set', 0] }),
    grow: node('GrowMask', { mask: ['set', 0], expand: -1, tapered_corners: true }),
    grown: node('MaskPreview', { mask: ['grow', 0] }),
    feather: node('FeatherMask', { mask: ['half', 0], left: 2, top: 0, right: 0, bottom: 0 }),
    feathered: node('MaskPreview', { mask: ['feather', 0] }),
  })
  const greys = (id: string) => files[id]?.[0]?.data.filter((_, at) => at % 3 === 0)
  expect(greys('composed')).toEqual([127, 0, 127])
  expect(greys('grown')).toEqual([0, 0, 0])
  expect(greys('feathered')).toEqual([63, 127, 127])
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
  if (subject.isOwn) expect(second?.data).not.toEqual(first?.data)
  for (const [at, { data = [] } = {}] of [first, second].entries()) {
    const inverted = files['inverted']?.[at]?.data ?? []
    expect(inverted.length).toBe(data.length)
    const apart = inverted.map((value, place) => 255 - value - (data[place] ?? 0))
    expect([Math.min(...apart) >= 0, Math.max(...apart) <= 1]).toEqual([true, true])
    const flipped = files['flipped']?.[at]?.data ?? []
    expect(flipped.slice(0, 3)).toEqual(data.slice(63 * 3, 64 * 3))
  }
})

/** The exception that ends the run of a graph. */
async function exception({ connect, run, unique }: Subject, graph: Graph): Promise<unknown> {
  const { messages } = await run(await connect(unique('me')), graph)
  const data = errorOf({ messages })
  return data && [data['exception_type'], data['exception_message']]
}

proves('nodes/exceptions', async (subject) => {
  const small = node('PrimitiveInt', { value: -3 })
  const negative = { small, one: node('EmptyImage', { ...picture(0).inputs, width: ['small', 0] }) }
  expect(await exception(subject, { ...negative, show: preview('one') })).toEqual([
    'RuntimeError',
    'Trying to create tensor with negative dimension -3: [1, 2, -3, 1]\n',
  ])
  const literal = { show: node('PreviewImage', { images: 5 }) }
  expect(await exception(subject, literal)).toEqual([
    'TypeError',
    "'int' object is not subscriptable\n",
  ])
  const blurred = {
    tiny: picture(0),
    blur: node('ImageBlur', { image: ['tiny', 0], blur_radius: 9, sigma: 1 }),
    show: preview('blur'),
  }
  expect(await exception(subject, blurred)).toMatchObject(['RuntimeError', /Padding size/])
})

proves('nodes/tensor-text', async ({ connect, run, unique }) => {
  const { entry } = await run(await connect(unique('me')), {
    mask: node('SolidMask', { value: 0.5, width: 2, height: 1 }),
    shown: node('PreviewAny', { source: ['mask', 0] }),
    latent: node('EmptySD3LatentImage', { width: 16, height: 16, batch_size: 1 }),
    cut: node('LatentCut', { samples: ['latent', 0], dim: 'x', index: 0, amount: 1 }),
    crop: node('LatentCut', { samples: ['cut', 0], dim: 'y', index: 0, amount: 1 }),
    printed: node('PreviewAny', { source: ['crop', 0] }),
  })
  expect(entry.outputs['shown']).toEqual({ text: ['tensor([[[0.5000, 0.5000]]])'] })
  const [text] = entry.outputs['printed'].text
  expect(text).toMatch(/^\{'samples': tensor\(\[\[\[\[0\.\]\],\n\n {9}\[\[0\.\]\],/)
})

proves('nodes/latents-saved', async (subject) => {
  const { connect, run, get, unique } = subject
  const session = await connect(unique('me'))
  const { entry } = await run(session, {
    empty: node('EmptySD3LatentImage', { width: 16, height: 16, batch_size: 1 }),
    cut: node('LatentCut', { samples: ['empty', 0], dim: 'x', index: 0, amount: 1 }),
    save: node('SaveLatent', { samples: ['cut', 0], filename_prefix: unique('cut') }),
  })
  const [file] = entry.outputs['save'].latents
  const { bytes } = await get(viewPath(file))
  const length = Number(Buffer.from(bytes).readBigUInt64LE(0))
  const header = JSON.parse(Buffer.from(bytes.subarray(8, 8 + length)).toString())
  expect(header.latent_tensor).toMatchObject({ dtype: 'F32', shape: [1, 16, 2, 1] })
  expect([...bytes.subarray(8 + length)]).toEqual(Array(128).fill(0))
  await put(subject, { name: 'cut.latent', bytes }, {})
  const loaded = await run(session, {
    load: node('LoadLatent', { latent: unique('cut.latent') }),
    show: node('PreviewAny', { source: ['load', 0] }),
  })
  expect(loaded.entry.outputs['show'].text[0]).toMatch(/^\{'samples': tensor\(\[\[\[\[0\.\],/)
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
    expect(near['show']?.[0]?.data).toEqual([0, 255, 0])
    const far = await saved(subject, chain(403))
    expect(far['show']?.[0]?.data).toHaveLength(3)
    expect(far['show']?.[0]?.data).not.toEqual([0, 255, 0])
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
    expect(small['show']?.[0]?.data).toEqual([0, 255, 0])
    // 50 pictures of 4096 x 4096 x 3 numbers.
    const large = await saved(subject, chain(4096))
    expect(large['show']?.[0]?.data).toHaveLength(3)
    expect(large['show']?.[0]?.data).not.toEqual([0, 255, 0])
  },
  ownWorld,
)
