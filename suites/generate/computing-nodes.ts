// The node types of generated workflows that compute, with what their inputs can be.

/** What links carry. */
export type Kind = 'image' | 'mask' | 'latent' | 'text' | 'int' | 'length' | 'flag' | 'float'

/** An input: a socket, which needs a link; one of some values; or a value or a link of this kind. */
export type InputForm =
  | { readonly socket: Kind; readonly isOptional?: true }
  | { readonly oneOf: readonly unknown[]; readonly link?: Kind }

export type NodeForm = {
  readonly class_type: string
  readonly inputs: Readonly<Record<string, InputForm>>
  readonly outputs: readonly Kind[]
  /** How many a workflow has at most. */
  readonly most?: number
}

const strings = [
  "it's o'neil 😀",
  'Straße 漢😀x',
  " \tL'été 2nd\u00a0",
  '😀x😀',
  '',
  'ABC-abc',
  'Two  words',
]
const parts = ['', 'a', '😀', ' ', 'O', '-', 'X']

const oneOf = (oneOf: readonly unknown[], link?: Kind): InputForm =>
  link === undefined ? { oneOf } : { oneOf, link }
const text = oneOf(strings, 'text')
const part = oneOf(parts, 'text')
const flag = oneOf([false, true], 'flag')
const side = oneOf([1, 2, 3, 4, 5, 7, 9], 'int')
const place = oneOf([0, 1, 2, 3, 6, 12])
const edge = oneOf([0, 1, 2, 3])
const few = oneOf([1, 2, 3])
const share = oneOf([0, 0.25, 0.3, 0.5, 0.7, 1])
const color = oneOf([0, 0xffffff, 0x336699, 0x7f8081, 0xff0010, 0x0100fe])
const method = oneOf(['nearest-exact', 'nearest-exact', 'bilinear', 'area'])
const turn = oneOf(['none', '90 degrees', '180 degrees', '270 degrees'])
const flip = oneOf(['x-axis: vertically', 'y-axis: horizontally'])
const image: InputForm = { socket: 'image' }
const mask: InputForm = { socket: 'mask' }
const latent: InputForm = { socket: 'latent' }
const latentSide = oneOf([16, 24, 32, 64, 72])

type Table = Readonly<Record<string, Omit<NodeForm, 'class_type'>>>

const ofTexts: Table = {
  PrimitiveString: { inputs: { value: oneOf(strings) }, outputs: ['text'] },
  PrimitiveInt: { inputs: { value: oneOf([2, 3, 5, 1, 0, -3]) }, outputs: ['int'], most: 2 },
  PrimitiveFloat: { inputs: { value: oneOf([0.5, 1, -2.25, 0.1, 1e3]) }, outputs: ['float'] },
  PrimitiveBoolean: { inputs: { value: oneOf([true, false]) }, outputs: ['flag'] },
  StringConcatenate: {
    inputs: { string_a: text, string_b: text, delimiter: oneOf(parts) },
    outputs: ['text'],
    most: 2,
  },
  StringSubstring: {
    inputs: {
      string: text,
      start: oneOf([0, 1, 2, -3, 9], 'int'),
      end: oneOf([1, 4, 100, -1, 8], 'int'),
    },
    outputs: ['text'],
  },
  // Texts are long: their length would make pictures large.
  StringLength: { inputs: { string: text }, outputs: ['length'] },
  CaseConverter: {
    inputs: { string: text, mode: oneOf(['UPPERCASE', 'lowercase', 'Capitalize', 'Title Case']) },
    outputs: ['text'],
  },
  StringTrim: {
    inputs: { string: text, mode: oneOf(['Both', 'Left', 'Right']) },
    outputs: ['text'],
  },
  // What replaces is short: texts would otherwise grow with the square of their length.
  StringReplace: {
    inputs: { string: text, find: part, replace: oneOf(parts) },
    outputs: ['text'],
    most: 2,
  },
  StringContains: {
    inputs: { string: text, substring: part, case_sensitive: flag },
    outputs: ['flag'],
  },
  StringCompare: {
    inputs: {
      string_a: text,
      string_b: part,
      mode: oneOf(['Starts With', 'Ends With', 'Equal']),
      case_sensitive: flag,
    },
    outputs: ['flag'],
  },
}

const ofPictures: Table = {
  EmptyImage: {
    inputs: { width: side, height: side, batch_size: oneOf([1, 1, 2, 3]), color },
    outputs: ['image'],
  },
  ImageInvert: { inputs: { image }, outputs: ['image'] },
  ImageFlip: { inputs: { image, flip_method: flip }, outputs: ['image'] },
  ImageRotate: { inputs: { image, rotation: turn }, outputs: ['image'] },
  ImageCrop: {
    inputs: { image, width: side, height: few, x: place, y: place },
    outputs: ['image'],
  },
  ImagePadForOutpaint: {
    inputs: { image, left: edge, top: edge, right: edge, bottom: edge, feathering: few },
    outputs: ['image', 'mask'],
    most: 2,
  },
  ImageCompositeMasked: {
    inputs: {
      destination: image,
      source: image,
      x: place,
      y: place,
      resize_source: oneOf([false]),
      mask: { socket: 'mask', isOptional: true },
    },
    outputs: ['image'],
  },
  ImageBatch: { inputs: { image1: image, image2: image }, outputs: ['image'], most: 2 },
  RepeatImageBatch: { inputs: { image, amount: few }, outputs: ['image'], most: 1 },
  ImageFromBatch: {
    inputs: { image, batch_index: oneOf([0, 1, 2, 5]), length: few },
    outputs: ['image'],
  },
  RebatchImages: {
    inputs: { images: image, batch_size: oneOf([1, 2, 3], 'int') },
    outputs: ['image'],
    most: 1,
  },
  ImageBlend: {
    inputs: {
      image1: image,
      image2: image,
      blend_factor: share,
      blend_mode: oneOf(['normal', 'multiply', 'screen', 'overlay', 'soft_light', 'difference']),
    },
    outputs: ['image'],
  },
  ImageScale: {
    inputs: {
      image,
      upscale_method: method,
      width: oneOf([0, 1, 3, 8, 10]),
      height: oneOf([2, 5, 7, 0]),
      crop: oneOf(['disabled', 'center']),
    },
    outputs: ['image'],
  },
  ImageScaleBy: {
    inputs: { image, upscale_method: method, scale_by: oneOf([1.5, 2, 0.7, 1.3]) },
    outputs: ['image'],
    most: 1,
  },
  ImageScaleToMaxDimension: {
    inputs: { image, upscale_method: method, largest_size: oneOf([4, 9, 13]) },
    outputs: ['image'],
  },
  GetImageSize: { inputs: { image }, outputs: ['int', 'int', 'int'], most: 1 },
  JoinImageWithAlpha: { inputs: { image, alpha: mask }, outputs: ['image'], most: 1 },
  SplitImageWithAlpha: { inputs: { image }, outputs: ['image', 'mask'] },
}

const ofMasks: Table = {
  SolidMask: { inputs: { value: share, width: side, height: side }, outputs: ['mask'] },
  InvertMask: { inputs: { mask }, outputs: ['mask'] },
  CropMask: { inputs: { mask, x: edge, y: edge, width: few, height: few }, outputs: ['mask'] },
  MaskComposite: {
    inputs: {
      destination: mask,
      source: mask,
      x: oneOf([0, 0, 1, 2, 5]),
      y: oneOf([0, 0, 1, 3]),
      operation: oneOf(['multiply', 'add', 'subtract', 'and', 'or', 'xor']),
    },
    outputs: ['mask'],
  },
  FeatherMask: {
    inputs: { mask, left: edge, top: edge, right: edge, bottom: edge },
    outputs: ['mask'],
  },
  GrowMask: {
    inputs: { mask, expand: oneOf([1, 2, -1, 0]), tapered_corners: oneOf([true, false]) },
    outputs: ['mask'],
  },
  ThresholdMask: { inputs: { mask, value: share }, outputs: ['mask'] },
  ImageToMask: {
    inputs: { image, channel: oneOf(['red', 'green', 'blue', 'red', 'alpha']) },
    outputs: ['mask'],
  },
  ImageColorToMask: { inputs: { image, color }, outputs: ['mask'] },
  MaskToImage: { inputs: { mask }, outputs: ['image'] },
}

const ofLatents: Table = {
  EmptyLatentImage: {
    inputs: { width: latentSide, height: latentSide, batch_size: oneOf([1, 2, 3], 'int') },
    outputs: ['latent'],
  },
  EmptySD3LatentImage: {
    inputs: { width: latentSide, height: latentSide, batch_size: few },
    outputs: ['latent'],
  },
  LatentUpscale: {
    inputs: {
      samples: latent,
      upscale_method: oneOf(['nearest-exact', 'bilinear']),
      width: oneOf([0, 64, 80]),
      height: oneOf([72, 0, 100]),
      crop: oneOf(['disabled']),
    },
    outputs: ['latent'],
  },
  LatentUpscaleBy: {
    inputs: {
      samples: latent,
      upscale_method: oneOf(['nearest-exact', 'area']),
      scale_by: oneOf([1.5, 2, 0.5]),
    },
    outputs: ['latent'],
    most: 2,
  },
  LatentFlip: { inputs: { samples: latent, flip_method: flip }, outputs: ['latent'] },
  LatentRotate: { inputs: { samples: latent, rotation: turn }, outputs: ['latent'] },
  LatentFromBatch: {
    inputs: { samples: latent, batch_index: oneOf([0, 1, 4]), length: few },
    outputs: ['latent'],
  },
  RepeatLatentBatch: {
    inputs: { samples: latent, amount: few },
    outputs: ['latent'],
    most: 1,
  },
  LatentConcat: {
    inputs: { samples1: latent, samples2: latent, dim: oneOf(['x', '-x', 'y', '-y']) },
    outputs: ['latent'],
    most: 2,
  },
  LatentCut: {
    inputs: {
      samples: latent,
      dim: oneOf(['x', 'y']),
      index: oneOf([0, 1, -2, 9]),
      amount: oneOf([1, 2, 30]),
    },
    outputs: ['latent'],
  },
}

/** All of them, in the order in which numbers choose. */
export const nodeForms: readonly NodeForm[] = Object.entries({
  ...ofTexts,
  ...ofPictures,
  ...ofMasks,
  ...ofLatents,
}).map(([class_type, form]) => Object.assign({ class_type }, form))
