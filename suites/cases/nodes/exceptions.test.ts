// Inputs that nodes cannot use, with the exceptions of Python and its libraries; and how Python prints objects.

import { encode } from 'fast-png'
import { changed, type Graph, node, textToImage } from '../../generate/graphs.ts'
import { errorIn, textsOf } from '../../judge/nodes/shown.ts'
import { passing, put } from '../../judge/own-files.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const picture = node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: 0xff8040 })
const number = (value: number) => node('PrimitiveInt', { value })
const show = (source: string) => node('PreviewAny', { source: [source, 0] })
const saveVideo = (filename_prefix: string) =>
  node('SaveVideo', { video: ['video', 0], filename_prefix, format: 'auto', codec: 'auto' })

proves('nodes/exceptions', async (subject) => {
  const failures: readonly (readonly [Graph, type: string, message: string])[] = [
    [
      {
        low: number(-3),
        less: node('EmptyImage', { ...picture.inputs, width: ['low', 0] }),
        show: node('PreviewImage', { images: ['less', 0] }),
      },
      'RuntimeError',
      'Trying to create tensor with negative dimension -3: [1, 8, -3, 1]',
    ],
    [
      {
        picture,
        blur: node('ImageBlur', { image: ['picture', 0], blur_radius: 9, sigma: 1 }),
        show: node('PreviewImage', { images: ['blur', 0] }),
      },
      'RuntimeError',
      'Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (9, 9) at dimension 3 of input [1, 3, 8, 8]',
    ],
    [
      { show: node('PreviewImage', { images: { __value__: [1, 2] } }) },
      'AttributeError',
      "'int' object has no attribute 'shape'",
    ],
    [
      {
        picture,
        clear: node('SolidMask', { value: 0.5, width: 8, height: 8 }),
        joined: node('JoinImageWithAlpha', { image: ['picture', 0], alpha: ['clear', 0] }),
        video: node('CreateVideo', { images: ['joined', 0], fps: 24 }),
        save: saveVideo(subject.unique('clear')),
      },
      'ValueError',
      'Unexpected numpy array shape `(8, 8, 4)`',
    ],
    [
      {
        two: node('EmptyImage', { width: 8, height: 8, batch_size: 2, color: 0 }),
        speed: node('PrimitiveFloat', { value: -0.72 }),
        save: node('SaveAnimatedWEBP', {
          images: ['two', 0],
          filename_prefix: subject.unique('backwards'),
          fps: ['speed', 0],
          lossless: true,
          quality: 80,
          method: 'default',
        }),
      },
      'RuntimeError',
      'ERROR adding frame: timestamps must be non-decreasing.',
    ],
    [
      {
        both: node('LatentBatch', { samples1: { __value__: [1] }, samples2: { __value__: [1] } }),
        show: show('both'),
      },
      'TypeError',
      'list indices must be integers or slices, not str',
    ],
    [
      {
        picture,
        few: node('ImageQuantize', { image: ['picture', 0], colors: 8, dither: null }),
        show: node('PreviewImage', { images: ['few', 0] }),
      },
      'AttributeError',
      "'NoneType' object has no attribute 'startswith'",
    ],
    [
      {
        picture,
        level: number(-2),
        save: node('SaveAnimatedPNG', {
          images: ['picture', 0],
          filename_prefix: subject.unique('level'),
          fps: 6,
          compress_level: ['level', 0],
        }),
      },
      'OSError',
      'codec configuration error when writing image file',
    ],
    [
      {
        video: node('CreateVideo', { images: 1.5, fps: 24 }),
        // It takes anything, and its frames are read later.
        parts: node('GetVideoComponents', { video: ['video', 0] }),
        show: node('PreviewAny', { source: ['parts', 2] }),
        save: saveVideo(subject.unique('number')),
      },
      'AttributeError',
      "'float' object has no attribute 'shape'",
    ],
    [
      {
        picture,
        back: node('PrimitiveFloat', { value: -2.5 }),
        video: node('CreateVideo', { images: ['picture', 0], fps: ['back', 0] }),
        save: saveVideo(subject.unique('back')),
      },
      'av.error.ArgumentError',
      'Invalid argument: \'avcodec_open2("libx264", {})\' returned 22',
    ],
    [
      {
        picture,
        low: number(-64),
        flat: node('ImageCrop', {
          image: ['picture', 0],
          width: 8,
          height: ['low', 0],
          x: 0,
          y: 0,
        }),
        save: node('SaveAnimatedWEBP', {
          images: ['flat', 0],
          filename_prefix: subject.unique('flat'),
          fps: 6,
          lossless: true,
          quality: 80,
          method: 'default',
        }),
      },
      'MemoryError',
      "can't allocate picture frame",
    ],
    [
      {
        low: number(-64),
        mask: node('SolidMask', { value: 1, width: 8, height: 8 }),
        flat: node('CropMask', { mask: ['mask', 0], x: 0, y: 0, width: 8, height: ['low', 0] }),
        latent: node('EmptyLatentImage', { width: 16, height: 16, batch_size: 1 }),
        masked: node('SetLatentNoiseMask', { samples: ['latent', 0], mask: ['flat', 0] }),
        show: show('masked'),
      },
      'RuntimeError',
      'cannot reshape tensor of 0 elements into shape [-1, 1, 0, 8] because the unspecified dimension size -1 can be any value and is ambiguous',
    ],
    [
      {
        none: number(0),
        empty: node('EmptyImage', { width: 8, height: 8, batch_size: ['none', 0], color: 0 }),
        mask: node('ImageToMask', { image: ['empty', 0], channel: 'red' }),
        show: node('MaskPreview', { mask: ['mask', 0] }),
      },
      'IndexError',
      'index 0 is out of bounds for dimension 0 with size 0',
    ],
    [
      {
        latent: node('EmptyLatentImage', { width: 64, height: 64, batch_size: 1 }),
        amount: number(-57),
        part: node('LatentCut', {
          samples: ['latent', 0],
          dim: 'y',
          index: 0,
          amount: ['amount', 0],
        }),
        show: show('part'),
      },
      'RuntimeError',
      'narrow(): length must be non-negative.',
    ],
  ]
  for (const [graph, exception_type, message] of failures) {
    const exception_message = `${message}\n`
    expect(await errorIn(subject, graph)).toMatchObject({ exception_type, exception_message })
  }
  // The largest seed has no next one, which this sampler needs.
  const graph = changed(textToImage(), '3', { sampler_name: 'ddim', seed: 0 })
  const text = JSON.stringify(subject.placed(graph))
  const largest = text.replace('"seed":0', '"seed":18446744073709551615')
  const session = await subject.connect(subject.unique('me'))
  const body = `{"client_id": ${JSON.stringify(session.clientId)}, "prompt": ${largest}}`
  await subject.request('POST', '/prompt', body, { 'Content-Type': 'application/json' })
  const { data } = await subject.reach(session, ({ type }) => type === 'execution_error')
  expect(data['exception_message']).toBe('Overflow when unpacking long long\n')
})

proves('files/prefix-surrogate', async (subject) => {
  const save = node('SaveImage', { images: ['picture', 0], filename_prefix: 'half \ud800' })
  const { exception_type, exception_message } = await errorIn(subject, { picture, save })
  expect(exception_type).toBe('UnicodeEncodeError')
  expect(exception_message).toMatch(
    /^'utf-8' codec can't encode character '\\ud800' in position \d+: surrogates not allowed\n$/,
  )
})

proves('messages/error-inputs-order', async (subject) => {
  const sharp = node('ImageSharpen', {
    alpha: 1,
    image: ['picture', 0],
    sharpen_radius: ['radius', 0],
    sigma: 1,
  })
  const graph = {
    picture,
    radius: number(99),
    sharp,
    show: node('PreviewImage', { images: ['sharp', 0] }),
  }
  const { current_inputs } = await errorIn(subject, graph)
  expect(Object.keys(current_inputs)).toEqual(['alpha', 'image', 'sharpen_radius', 'sigma'])
})

proves('messages/error-inputs', async (subject) => {
  // A picture that a node has loaded is printed like any tensor.
  const bytes = encode({ width: 1, height: 1, data: new Uint8Array(3), channels: 3 })
  const { name } = (await put(subject, { name: 'black.png', bytes }, passing)).json()
  const graph = {
    load: node('LoadImage', { image: `${subject.unique(name)} [temp]` }),
    colors: number(-1),
    few: node('ImageQuantize', { image: ['load', 0], colors: ['colors', 0], dither: 'none' }),
    show: node('PreviewImage', { images: ['few', 0] }),
  }
  const { current_inputs } = await errorIn(subject, graph)
  expect(current_inputs).toEqual({
    image: ['tensor([[[[0., 0., 0.]]]])'],
    colors: [-1],
    dither: ['none'],
  })
  // A value that the node before has passed on.
  const passed = {
    stitch: node('ImageStitch', {
      image1: { a: [1], b: null },
      direction: 'right',
      match_image_size: false,
      spacing_width: 4,
      spacing_color: 'red',
    }),
    save: node('SaveAnimatedPNG', {
      images: ['stitch', 0],
      filename_prefix: 'x',
      fps: 1,
      compress_level: 3,
    }),
  }
  const { current_inputs: given } = await errorIn(subject, passed)
  expect(given.images).toEqual(["{'a': [1], 'b': None}"])
})

proves('nodes/object-text', async (subject) => {
  const graph: Graph = {
    picture,
    video: node('CreateVideo', { images: ['picture', 0], fps: 24 }),
    operation: node('LatentOperationTonemapReinhard', { multiplier: 1 }),
    noise: node('DisableNoise'),
  }
  const sources = { video: ['video', 0], operation: ['operation', 0], noise: ['noise', 0] }
  const at = (text: string) => expect.stringMatching(new RegExp(`^<${text} at 0x[0-9a-f]+>$`))
  expect(await textsOf(subject, graph, sources)).toEqual({
    video: at('comfy_api.latest._input_impl.video_types.VideoFromComponents object'),
    operation: at('function LatentOperationTonemapReinhard.execute.<locals>.tonemap_reinhard'),
    noise: at('/.*/comfy_extras/nodes_custom_sampler.Noise_EmptyNoise object'),
  })
})
