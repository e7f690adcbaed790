// What nodes pass on, print and join otherwise in servers of 2026.

import { node } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'
import { errorIn, textsOf } from '../../judge/nodes/shown.ts'

const picture = (color: number, width = 1, height = 1) =>
  node('EmptyImage', { width, height, batch_size: 1, color })

proves('nodes/passed-on', async (subject) => {
  const filename_prefix = subject.unique('passed')
  const save = (inputs: object) => ({ ...inputs, filename_prefix })
  const graph = {
    red: picture(0xff0000),
    first: node('PreviewImage', { images: ['red', 0] }),
    second: node('SaveImage', save({ images: ['first', 0] })),
    third: node('SaveAnimatedPNG', save({ images: ['second', 0], fps: 6, compress_level: 4 })),
    last: node('PreviewImage', { images: ['third', 0] }),
    grey: node('SolidMask', { value: 0.5, width: 1, height: 1 }),
    mask: node('MaskPreview', { mask: ['grey', 0] }),
    latent: node('EmptyLatentImage', { width: 16, height: 16, batch_size: 1 }),
    saved: node('SaveLatent', save({ samples: ['latent', 0] })),
    scaled: node('LatentUpscaleBy', {
      samples: ['saved', 0],
      upscale_method: 'nearest-exact',
      scale_by: 1,
    }),
    text: node('PreviewAny', { source: 'four' }),
    length: node('StringLength', { string: ['text', 0] }),
  }
  const sources = { count: ['length', 0], value: ['last', 0], share: ['mask', 0] }
  expect(await textsOf(subject, graph, sources)).toEqual({
    count: '4',
    value: 'tensor([[[[1., 0., 0.]]]])',
    share: 'tensor([[[0.5000]]])',
  })
})

proves('nodes/latent-scale', async (subject) => {
  const size = { width: 32, height: 32, batch_size: 1 }
  const graph = {
    image: node('EmptyLatentImage', size),
    video: node('EmptyLTXVLatentVideo', { ...size, width: 64, height: 64, length: 9 }),
    sound: node('EmptyLatentAudio', { seconds: 1, batch_size: 1 }),
  }
  const previews = { i: ['image', 0], v: ['video', 0], s: ['sound', 0] }
  const { i, v, s } = await textsOf(subject, graph, previews)
  expect(i).toMatch(/\), 'downscale_ratio_spacial': 8}$/)
  expect(v).toMatch(/\), 'downscale_ratio_spacial': 32}$/)
  expect(s).toMatch(/\), 'type': 'audio', 'downscale_ratio_temporal': 2048}$/)
})

proves('nodes/feathered-edges', async (subject) => {
  const graph = {
    mask: node('SolidMask', { value: 1, width: 3, height: 2 }),
    soft: node('FeatherMask', { mask: ['mask', 0], left: 0, top: 0, right: 2, bottom: 2 }),
  }
  const text = 'tensor([[[1.0000, 1.0000, 0.5000],\n         [0.5000, 0.5000, 0.2500]]])'
  expect(await textsOf(subject, graph, { edges: ['soft', 0] })).toEqual({ edges: text })
})

proves('nodes/alpha-added', async (subject) => {
  const graph = {
    blue: picture(0x0000ff),
    red: picture(0xff0000),
    mask: node('SolidMask', { value: 1, width: 1, height: 1 }),
    clear: node('JoinImageWithAlpha', { image: ['red', 0], alpha: ['mask', 0] }),
    batch: node('ImageBatch', { image1: ['blue', 0], image2: ['clear', 0] }),
    mixed: node('ImageBlend', {
      image1: ['clear', 0],
      image2: ['blue', 0],
      blend_factor: 1,
      blend_mode: 'normal',
    }),
    placed: node('ImageCompositeMasked', {
      destination: ['clear', 0],
      source: ['blue', 0],
      x: 0,
      y: 0,
      resize_source: false,
    }),
  }
  const previews = { b: ['batch', 0], m: ['mixed', 0], p: ['placed', 0] }
  expect(await textsOf(subject, graph, previews)).toEqual({
    b: 'tensor([[[[0., 0., 1., 1.]]],\n\n\n        [[[1., 0., 0., 0.]]]])',
    m: 'tensor([[[[0., 0., 1., 1.]]]])',
    p: 'tensor([[[[0., 0., 1., 1.]]]])',
  })
})

proves('nodes/masks-repeated', async (subject) => {
  const many = (color: number, batch_size: number) =>
    node('EmptyImage', { width: 1, height: 1, batch_size, color })
  const mask = (of: string) => node('ImageToMask', { image: [of, 0], channel: 'red' })
  const joined = (image: string, alpha: string) =>
    node('JoinImageWithAlpha', { image: [image, 0], alpha: [alpha, 0] })
  const graph = {
    one: many(0, 1),
    two: many(0, 2),
    'one mask': mask('one'),
    'two masks': mask('two'),
    pictures: joined('two', 'one mask'),
    masks: joined('one', 'two masks'),
    'pictures size': node('GetImageSize', { image: ['pictures', 0] }),
    'masks size': node('GetImageSize', { image: ['masks', 0] }),
  }
  const previews = { p: ['pictures size', 2], m: ['masks size', 2] }
  expect(await textsOf(subject, graph, previews)).toEqual({ p: '2', m: '2' })
})

proves('nodes/resolution-steps', async (subject) => {
  const graph: Record<string, ReturnType<typeof node>> = { image: picture(0, 251, 97) }
  const previews: Record<string, unknown> = {}
  for (const step of [1, 7, 64, 256]) {
    graph[`to ${step}`] = node('ImageScaleToTotalPixels', {
      image: ['image', 0],
      upscale_method: 'nearest-exact',
      megapixels: 0.05,
      resolution_steps: step,
    })
    graph[`size ${step}`] = node('GetImageSize', { image: [`to ${step}`, 0] })
    previews[`width ${step}`] = [`size ${step}`, 0]
    previews[`height ${step}`] = [`size ${step}`, 1]
  }
  expect(Object.values(await textsOf(subject, graph, previews)).map(Number)).toEqual([
    368, 142, 371, 140, 384, 128, 256, 256,
  ])
})

proves('nodes/pixels-of-nothing', async (subject) => {
  const error = await errorIn(subject, {
    image: picture(0, 32, 8),
    left: node('PrimitiveInt', { value: -31 }),
    empty: node('ImageCrop', { image: ['image', 0], width: 32, height: 8, x: ['left', 0], y: 0 }),
    scaled: node('ImageScaleToTotalPixels', {
      image: ['empty', 0],
      upscale_method: 'area',
      megapixels: 0.02,
      resolution_steps: 1,
    }),
    show: node('PreviewImage', { images: ['scaled', 0] }),
  })
  expect(error).toMatchObject({
    exception_type: 'ZeroDivisionError',
    exception_message: 'float division by zero\n',
  })
})

const nested = { a: [1, 2.5, null, true], b: {}, c: [], d: { e: 'x' } }

proves('nodes/printed-lines', async (subject) => {
  const previews = { object: { __value__: nested }, text: 'as it is', number: 3 }
  expect(await textsOf(subject, {}, previews)).toEqual({
    object: JSON.stringify(nested, null, 4),
    text: 'as it is',
    number: '3',
  })
})

proves('nodes/printed-characters', async (subject) => {
  const previews = { list: { __value__: ['grün'] } }
  expect(await textsOf(subject, {}, previews)).toEqual({ list: '[\n    "grün"\n]' })
})

proves('nodes/printed-edges', async (subject) => {
  const graph = { mask: node('SolidMask', { value: 0, width: 1001, height: 1 }) }
  expect(await textsOf(subject, graph, { edges: ['mask', 0] })).toEqual({
    edges: 'tensor([[[0., 0., 0., 0., 0., 0.,  ..., 0., 0., 0., 0., 0., 0.]]])',
  })
})
