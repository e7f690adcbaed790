// What pictures and masks become, by the libraries that the real server uses: torch 2.13.0, Pillow 13.0.0, kornia 0.9.0
// and scipy 1.17.1 on Python 3.11 computed these rows. Each row is a case that the recorded lines do not show.

import { expect, test } from 'vitest'
import { createRead, paint, valueOfOutput, valuesOf } from '../../dist/emulator/internal.js'
import type { RecordedMap } from './lines.ts'
import { int, node } from './rows.ts'
import { createNodeServer } from './server.ts'

type Row = {
  readonly why: string
  readonly class_type: string
  readonly inputs: RecordedMap
  /** The exception of the node, or the shape of each picture or mask and the bytes that are saved of them, in base64. */
  readonly error?: string
  readonly shapes?: readonly (readonly number[])[]
  readonly bytes?: string
}

const picture = (w: number, h: number, pattern = 'noise') => ({ picture: { w, h, pattern } })
const mask = (w: number, h: number, pattern = 'noise') => ({ mask: { w, h, pattern } })
const noPictures = node('ImageFromBatch', {
  image: picture(2, 2),
  batch_index: 0,
  length: int(0),
})

const rows: readonly Row[] = [
  {
    why: 'columns before rows when they lose more than twice as much',
    class_type: 'ImageScale',
    inputs: {
      image: picture(4, 7),
      upscale_method: 'lanczos',
      width: 3,
      height: 3,
      crop: 'disabled',
    },
    shapes: [[1, 3, 3, 3]],
    bytes: 'aaVtjUCir3pwioygZI22noJepHVtppBJqGgp',
  },
  {
    why: 'a solid picture stays solid',
    class_type: 'ImageScale',
    inputs: {
      image: picture(3, 2, 'solid:128,255,167'),
      upscale_method: 'bilinear',
      width: 5,
      height: 3,
      crop: 'disabled',
    },
    shapes: [[1, 3, 5, 3]],
    bytes: 'gP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+ngP+n',
  },
  {
    why: 'cubic weights',
    class_type: 'ImageScale',
    inputs: {
      image: picture(3, 3),
      upscale_method: 'bicubic',
      width: 4,
      height: 4,
      crop: 'disabled',
    },
    shapes: [[1, 4, 4, 3]],
    bytes: 'AN2QGELZYwyam2ICZXExrYuFtHS7dTyseYRN371QyYmhRg3/HP/Qi7VgkzxgMADQ',
  },
  {
    why: 'averages of rows and columns together',
    class_type: 'ImageScale',
    inputs: { image: picture(5, 4), upscale_method: 'area', width: 2, height: 3, crop: 'disabled' },
    shapes: [[1, 3, 2, 3]],
    bytes: 'eWuHf5yNhHaSc2WsZYGeZ1mg',
  },
  {
    why: 'nothing is left after a cut',
    class_type: 'ImageBatch',
    inputs: { image1: picture(2, 21), image2: picture(6, 7) },
    error:
      'RuntimeError: Input and output sizes should be greater than 0, but got input (H: 7, W: 0) output (H: 21, W: 2)',
  },
  {
    why: 'a height of 0',
    class_type: 'ImageScale',
    inputs: {
      image: node('ImageCrop', { image: picture(3, 3), x: 0, y: 0, width: 2, height: int(0) }),
      upscale_method: 'bicubic',
      width: 3,
      height: 3,
      crop: 'disabled',
    },
    error:
      'RuntimeError: Input and output sizes should be greater than 0, but got input (H: 0, W: 2) output (H: 3, W: 3)',
  },
  {
    why: 'no pictures',
    class_type: 'ImageScale',
    inputs: { image: noPictures, upscale_method: 'lanczos', width: 3, height: 3, crop: 'disabled' },
    error: 'RuntimeError: stack expects a non-empty TensorList',
  },
  {
    why: 'a negative number of pixels',
    class_type: 'ImageScaleToTotalPixels',
    inputs: {
      image: picture(2, 2),
      upscale_method: 'area',
      megapixels: node('PrimitiveFloat', { value: -0.25 }),
    },
    error: 'ValueError: math domain error',
  },
  {
    why: 'black is transparent beside a smaller picture',
    class_type: 'ImageStitch',
    inputs: {
      image1: node('JoinImageWithAlpha', { image: picture(1, 3), alpha: mask(1, 3) }),
      direction: 'right',
      match_image_size: false,
      spacing_width: 0,
      spacing_color: 'black',
      image2: node('JoinImageWithAlpha', { image: picture(1, 1), alpha: mask(1, 1) }),
    },
    shapes: [[1, 3, 2, 4]],
    bytes: 'AMeO/wAAAACXXiVnAMeO/y71vNEAAAAA',
  },
  {
    why: 'a negative margin of a picture of one row',
    class_type: 'ImagePadForOutpaint',
    inputs: { image: picture(3, 1), left: 1, top: 2, right: 0, bottom: int(-2), feathering: 0 },
    shapes: [[1, 1, 4, 3]],
    bytes: 'f39/f39/f39/f39/',
  },
  {
    why: 'edges as steep as their neighbours',
    class_type: 'Canny',
    inputs: { image: picture(10, 8, 'square'), low_threshold: 0.4, high_threshold: 0.8 },
    shapes: [[1, 8, 10, 3]],
    bytes:
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA////////////////////////AAAAAAAAAAAAAAAA////AAAAAAAAAAAAAAAA////AAAAAAAAAAAAAAAA////AAAAAAAAAAAAAAAA////AAAAAAAAAAAAAAAA////////////////////////AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  },
  {
    why: 'edges of a line',
    class_type: 'Canny',
    inputs: { image: picture(5, 2), low_threshold: 0.1, high_threshold: 0.2 },
    error:
      'RuntimeError: Argument #6: Padding size should be less than the corresponding input dimension, but got: padding (2, 2) at dimension 2 of input [1, 1, 2, 5]',
  },
  {
    why: 'thresholds by the colours that there are',
    class_type: 'ImageQuantize',
    inputs: { image: picture(4, 3), colors: 200, dither: 'bayer-8' },
    shapes: [[1, 3, 4, 3]],
    bytes: 'AMeOSRDXklkg26Jpl14l/8aNZy71z5ZdLvW8tXxDPAPKw4pR',
  },
  {
    why: 'boxes of equal numbers of pixels',
    class_type: 'ImageQuantize',
    inputs: { image: picture(16, 9, 'gradient'), colors: 128, dither: 'bayer-4' },
    shapes: [[1, 9, 16, 3]],
    bytes:
      'AAAAEQALIgAWMwAhRAAsXgA9XgA9dwBNiABYmQBjqgBuuwB5zACE3QCP7gCa/wClAB8HER8SIh8dMx8oRB8zXh9EXh9Edx9UiB9foh9woh9wux+AzB+L3R+W7h+h/x+sAD8OET8ZIj8kMz8vRD86VT9FZj9Qdz9biD9mmT9xqj98uz+HzD+S3T+d7j+o/z+zAF8VEV8gIl8rM182RF9BXl9SXl9Sd19iiF9tol9+ol9+u1+OzF+Z3V+k7l+v/1+6AH8cEX8nIn8yM389RH9IVX9TZn9ed39piH90mX9/qn+KxH+bxH+b3X+r7n+2/3/BAJ8jGp80Gp80M59ERJ9PXp9gXp9gd59wiJ97op+Mop+MxJ+ixJ+i3Z+y7p+9/5/IAL8qEb81Ir9AM79LRL9WVb9hZr9sd793iL+Cmb+Nqr+Yu7+jzL+u3b+57r/E/7/PAN8xEd88It9HM99SRN9dVd9oZt9zd99+iN+Jot+aot+axN+wxN+w3d/A99/R99/RAP84Ef9DIv9OM/9ZRP9kXv91Xv91d/+FiP+Qov+hov+hxP+3xP+33f/H7v/S///d',
  },
  {
    why: 'colours are cut to 0 and 1',
    class_type: 'ImageYUVToRGB',
    inputs: { Y: picture(3, 2), U: picture(3, 2, 'square'), V: picture(3, 2, 'checker') },
    shapes: [[1, 2, 3, 3]],
    bytes: 'AKD/AJT//wD/AI3/E/X//wD/',
  },
  {
    why: 'no masks',
    class_type: 'GrowMask',
    inputs: {
      mask: node('ImageToMask', { image: noPictures, channel: 'red' }),
      expand: 1,
      tapered_corners: true,
    },
    error: 'RuntimeError: stack expects a non-empty TensorList',
  },
  {
    why: 'masks without columns',
    class_type: 'FeatherMask',
    inputs: {
      mask: node('CropMask', { mask: mask(3, 3), x: 3, y: 0, width: 2, height: 2 }),
      left: 1,
      top: 1,
      right: 1,
      bottom: 1,
    },
    error:
      'RuntimeError: cannot reshape tensor of 0 elements into shape [-1, 2, 0] because the unspecified dimension size -1 can be any value and is ambiguous',
  },
  {
    why: 'a mask grows without corners',
    class_type: 'GrowMask',
    inputs: { mask: mask(9, 7, 'square'), expand: 3, tapered_corners: true },
    shapes: [[1, 7, 9]],
    bytes: '////////////////////////////////////////////////////////////////////////////////////',
  },
  {
    why: 'a kernel without size',
    class_type: 'Morphology',
    inputs: { image: picture(3, 3), operation: 'erode', kernel_size: int(0) },
    error: 'IndexError: index 0 is out of bounds for dimension 0 with size 0',
  },
  {
    why: 'an even kernel',
    class_type: 'Morphology',
    inputs: { image: picture(5, 4), operation: 'close', kernel_size: 4 },
    shapes: [[1, 4, 5, 3]],
    bytes: '//X1//X12/X12/XY2/7Y//X1//X1z/X1z/XYz/7YxfX1w9j1w9jrw4rYw4rYxfX5w9j5w9jrw4rrw4rr',
  },
  {
    why: 'a blur of as many pixels as there are',
    class_type: 'ImageBlur',
    inputs: { image: picture(4, 5), blur_radius: 4, sigma: 1.0 },
    error:
      'RuntimeError: Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (4, 4) at dimension 3 of input [1, 3, 5, 4]',
  },
  {
    why: 'a sharp picture',
    class_type: 'ImageSharpen',
    inputs: { image: picture(5, 4), sharpen_radius: 2, sigma: 0.7, alpha: 0.2 },
    shapes: [[1, 4, 5, 3]],
    bytes: 'AP+UAAD/nRsA/9geAP/6uCkA//+QJAD//70AAP//AP///4AAAAD//70AAAD//6QAMwD/AP+w/6UAGAD/',
  },
  {
    why: 'pictures repeated a negative number of times',
    class_type: 'RepeatImageBatch',
    inputs: { image: picture(2, 2), amount: int(-1) },
    error: 'RuntimeError: Trying to create tensor with negative dimension -1: [-1, 2, 2, 3]',
  },
  {
    why: 'groups of a negative number of pictures',
    class_type: 'RebatchImages',
    inputs: { images: picture(2, 2), batch_size: int(-1) },
    shapes: [],
    bytes: '',
  },
  {
    why: 'no source to repeat',
    class_type: 'ImageCompositeMasked',
    inputs: { destination: picture(2, 2), source: noPictures, x: 0, y: 0, resize_source: false },
    error: 'ZeroDivisionError: division by zero',
  },
  {
    why: 'a text that is turned',
    class_type: 'ImageRotate',
    inputs: { image: 'x', rotation: '90 degrees' },
    error: "TypeError: rot90(): argument 'input' (position 1) must be Tensor, not str",
  },
  {
    why: 'a dict that is inverted',
    class_type: 'ImageInvert',
    inputs: { image: { a: 1 } },
    error: "TypeError: unsupported operand type(s) for -: 'float' and 'dict'",
  },
  {
    why: 'a node after an empty list',
    class_type: 'ImageFlip',
    inputs: {
      image: node('RebatchImages', { images: picture(2, 2), batch_size: int(-1) }),
      flip_method: 'x-axis: vertically',
    },
    error: 'IndexError: list index out of range',
  },
]

const { run } = createNodeServer()

/** The numbers of a picture or a mask as a file has them. */
function bytesOf(value: any): Uint8Array {
  return Uint8Array.from(valuesOf(value, createRead(paint)), (one) =>
    Math.min(255, Math.max(0, Math.fround(255 * one))),
  )
}

test.each(rows)('$why: $class_type', ({ class_type, inputs, error, shapes, bytes }) => {
  const { failure, outputs, refused } = run(class_type, inputs)
  expect(refused).toBeUndefined()
  // The node after a list without pictures fails.
  if (failure !== undefined && failure.node_type !== 'Sink') {
    expect(`${failure.exception_type}: ${failure.exception_message.trim()}`).toBe(error)
    return
  }
  expect(error).toBeUndefined()
  const values = (outputs?.[0] ?? []).map(({ of }) => valueOfOutput(of)) as any[]
  expect(values.map(({ shape }) => shape)).toEqual(shapes)
  expect(Buffer.concat(values.map(bytesOf)).toString('base64')).toBe(bytes)
})
