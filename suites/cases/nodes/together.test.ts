// One workflow with the details in which servers differ, compared with what the model of these nodes predicts.

import { type Graph, node } from '../../generate/graphs.ts'
import { workflowFaults } from '../../judge/nodes/generated.ts'
import { me } from '../../judge/own-runs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

const image = (width: number, height: number, color: number, batch_size = 1) =>
  node('EmptyImage', { width, height, batch_size, color })
const mask = (value: number, width: number, height: number) =>
  node('SolidMask', { value, width, height })
const laid = (destination: string, source: string, x: number, y: number) =>
  node('ImageCompositeMasked', {
    destination: [destination, 0],
    source: [source, 0],
    x,
    y,
    resize_source: false,
  })
const composite = (destination: string, source: string, operation: string, x = 0) =>
  node('MaskComposite', {
    destination: [destination, 0],
    source: [source, 0],
    x,
    y: 0,
    operation,
  })
const preview = (id: string) => node('PreviewImage', { images: [id, 0] })
const shownMask = (id: string) => node('MaskPreview', { mask: [id, 0] })
const shown = (id: string) => node('PreviewAny', { source: [id, 0] })
const blend = (blend_mode: string) =>
  node('ImageBlend', { image1: ['base', 0], image2: ['other', 0], blend_factor: 0.3, blend_mode })

/** Pictures that are not the same on all sides, and what is made of them. */
const pictures = (prefix: string): Graph => ({
  three: image(3, 2, 0x336699, 3),
  red: image(2, 1, 0xff0010),
  base: laid('three', 'red', 1, 0),
  'show base': preview('base'),
  plain: image(3, 2, 0xa07f81, 3),
  other: laid('plain', 'red', 0, 1),
  mixed: blend('normal'),
  'show mixed': preview('mixed'),
  overlaid: blend('overlay'),
  'show overlaid': preview('overlaid'),
  pad: node('ImagePadForOutpaint', {
    image: ['base', 0],
    left: 1,
    top: 0,
    right: 0,
    bottom: 2,
    feathering: 0,
  }),
  scale: node('ImageScale', {
    image: ['pad', 0],
    upscale_method: 'nearest-exact',
    width: 7,
    height: 6,
    crop: 'disabled',
  }),
  'show scale': node('SaveImage', {
    images: ['scale', 0],
    filename_prefix: `${prefix}_%width%x%height%`,
  }),
  turn: node('ImageRotate', { image: ['pad', 0], rotation: '90 degrees' }),
  'show turn': preview('turn'),
  crop: node('ImageCrop', { image: ['pad', 0], width: 9, height: 9, x: 2, y: 1 }),
  'show crop': preview('crop'),
  inverted: node('ImageInvert', { image: ['crop', 0] }),
  'show inverted': preview('inverted'),
})

const masks: Graph = {
  half: mask(0.5, 4, 3),
  one: mask(0.7, 1, 1),
  quarter: mask(0.25, 4, 3),
  cut: composite('half', 'one', 'subtract', 1),
  again: composite('cut', 'quarter', 'add'),
  'show again': shownMask('again'),
  grown: node('GrowMask', { mask: ['again', 0], expand: -1, tapered_corners: true }),
  'show grown': shownMask('grown'),
  small: image(4, 3, 0x204060),
  joined: node('JoinImageWithAlpha', { image: ['small', 0], alpha: ['cut', 0] }),
  'show joined': preview('joined'),
}

const texts: Graph = {
  title: node('CaseConverter', { string: "it's o'neil's 2nd", mode: 'Title Case' }),
  'show title': shown('title'),
  part: node('StringSubstring', { string: '😀x😀', start: 0, end: 2 }),
  'show part': shown('part'),
  length: node('StringLength', { string: '😀x😀' }),
  'show length': shown('length'),
  between: node('StringReplace', { string: 'x😀', find: '', replace: '-' }),
  'show between': shown('between'),
}

proves(
  ['nodes/pixels', 'nodes/masks', 'nodes/sizes', 'nodes/texts', 'nodes/together'],
  async (subject) => {
    const graph = { ...pictures(subject.unique('together')), ...masks, ...texts }
    expect(await workflowFaults(subject, await me(subject), graph)).toEqual([])
  },
)
