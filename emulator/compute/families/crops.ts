// Pictures and masks cut, padded, turned and stitched.

import type { Family, Inputs } from '../values/inputs.ts'
import { concatenate, flip, rotate, slice, within } from '../values/layout.ts'
import { checkTarget } from '../values/paste.ts'
import { floatOf, type Json, numberOf } from '../../lib/json.ts'
import { divide, scaleImage } from '../arithmetic/scaling.ts'
import { checkSides, countOf, filled, map, numbers, pick, Tensor } from '../values/tensor.ts'
import { raise } from '../../lib/raised.ts'
import { typeName, type Value } from '../values/values.ts'

/** 1 minus the value. */
export function inverted(value: Value): Value {
  if (value instanceof Tensor) return map(value, (one) => 1 - one)
  const plain = typeof value === 'boolean' ? Number(value) : numberOf(value as Json)
  if (plain !== undefined) return floatOf(1 - plain)
  const text = `unsupported operand type(s) for -: 'float' and '${typeName(value)}'`
  return raise('TypeError', text)
}

const quarters: Readonly<Record<string, number>> = {
  '90 degrees': 1,
  '180 degrees': 2,
  '270 degrees': 3,
}

/** Quarter turns by the name of the choice: its first letters count. */
export const turnsOf = (choice: string): number =>
  Object.entries(quarters).find(([name]) => choice.startsWith(name.slice(0, 3).trim()))?.[1] ?? 0

/** How much of the old picture remains visible near an edge that grew. */
function feather(
  [rows, columns]: readonly [number, number],
  width: number,
  grows: { left: boolean; top: boolean; right: boolean; bottom: boolean },
): Float32Array {
  const values = new Float32Array(rows * columns)
  if (width <= 0 || width * 2 >= rows || width * 2 >= columns) return values
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const distance = Math.min(
        grows.top ? y : rows,
        grows.bottom ? rows - y : rows,
        grows.left ? x : columns,
        grows.right ? columns - x : columns,
      )
      if (distance < width) values[y * columns + x] = ((width - distance) / width) ** 2
    }
  return values
}

/** How much of a side is left of a part that starts here. */
const inside = (start: number, length: number, side: number): number => {
  const from = start < 0 ? Math.max(0, start + side) : Math.min(start, side)
  const to = start + length
  return Math.max(0, (to < 0 ? to + side : Math.min(to, side)) - from)
}

/** Grey round the picture, and a mask of what is new. */
function outpaint({ tensor, number }: Inputs): readonly Tensor[] {
  const image = tensor('image', '.size')
  const [count = 0, rows = 0, columns = 0, channels = 1] = image.shape
  const [left, top, right, bottom] = (['left', 'top', 'right', 'bottom'] as const).map((name) =>
    number(name),
  ) as [number, number, number, number]
  const [height, width] = [rows + top + bottom, columns + left + right]
  const target = [count, inside(top, rows, height), inside(left, columns, width), channels]
  checkSides([count, height, width, channels])
  checkTarget(target, image.shape)
  const [shownRows = 0, shownColumns = 0] = target.slice(1)
  // A negative place counts from the end.
  const [fromTop, fromLeft] = [within(top, height), within(left, width)]
  const pasted = (item: Float32Array, of: number, around: number): Float32Array => {
    const canvas = new Float32Array(height * width * of).fill(around)
    for (let y = 0; y < shownRows; y++) {
      const line = item.subarray(y * columns * of, (y * columns + shownColumns) * of)
      canvas.set(line, ((fromTop + y) * width + fromLeft) * of)
    }
    return canvas
  }
  const grows = { left: left !== 0, top: top !== 0, right: right !== 0, bottom: bottom !== 0 }
  return [
    new Tensor([count, height, width, channels], (index, read) =>
      pasted(read(image, index), channels, 0.5),
    ),
    new Tensor([1, height, width], () =>
      pasted(feather([rows, columns], number('feathering'), grows), 1, 1),
    ),
  ]
}

const colours: Readonly<Record<string, readonly [number, number, number]>> = {
  white: [1, 1, 1],
  black: [0, 0, 0],
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
}

const spacingColour = (name: string): readonly number[] => colours[name] ?? [0, 0, 0]

/** A picture on a canvas that is larger along one side, filled with one number. */
function centred(image: Tensor, dimension: 1 | 2, side: number, value: number): Tensor {
  const own = image.shape[dimension] as number
  if (own === side) return image
  const before = Math.floor((side - own) / 2)
  const blank = (length: number): Tensor =>
    filled(
      image.shape.map((one, at) => (at === dimension ? length : one)),
      value,
    )
  return concatenate([blank(before), image, blank(side - own - before)], dimension)
}

/** White in further channels, such as an opaque alpha. */
const withChannels = (image: Tensor, channels: number): Tensor => {
  const missing = channels - (image.shape[3] ?? 0)
  if (missing === 0) return image
  return concatenate([image, filled([...image.shape.slice(0, 3), missing], 1)], 3)
}

/** The last picture again, until there are so many. */
const extended = (image: Tensor, count: number): Tensor =>
  countOf(image) === 0
    ? image
    : pick(
        image,
        Array.from({ length: count }, (_, at) => Math.min(at, countOf(image) - 1)),
      )

function stitch({ tensor, number, text, flag, has, value }: Inputs): readonly Value[] {
  if (!has('image2')) return [value('image1')]
  const first = tensor('image1', '.shape')
  const direction = text('direction', 'right')
  const isSide = direction === 'left' || direction === 'right'
  let [one, other] = [first, tensor('image2', '.shape')]
  const count = Math.max(countOf(one), countOf(other))
  ;[one, other] = [extended(one, count), extended(other, count)]
  const [, rows = 0, columns = 0] = one.shape
  const [, otherRows = 0, otherColumns = 0] = other.shape
  if (flag('match_image_size', true)) {
    const aspect = divide(otherColumns, otherRows)
    if (!isSide && aspect === 0) raise('ZeroDivisionError', 'float division by zero')
    const [width, height] = isSide
      ? [Math.trunc(rows * aspect), rows]
      : [columns, Math.trunc(columns / aspect)]
    other = scaleImage(other, width, height, 'lanczos')
  } else {
    const across = isSide ? 1 : 2
    const side = Math.max(one.shape[across] as number, other.shape[across] as number)
    // Only white is kept here: other colours are black, and so is their alpha.
    const value = text('spacing_color', 'white') === 'white' ? 1 : 0
    ;[one, other] = [centred(one, across, side, value), centred(other, across, side, value)]
  }
  const channels = Math.max(one.shape[3] ?? 0, other.shape[3] ?? 0)
  ;[one, other] = [withChannels(one, channels), withChannels(other, channels)]
  const parts = direction === 'left' || direction === 'up' ? [other, one] : [one, other]
  const spacing = number('spacing_width')
  const along = isSide ? 2 : 1
  if (spacing > 0) {
    const width = spacing + (spacing % 2)
    const shape = one.shape.map((side, at) =>
      at === along ? width : at === 3 - along ? Math.max(side, other.shape[at] ?? 0) : side,
    )
    // Only the fourth channel is opaque: one more leaves both black.
    const alpha = channels === 4 ? [1] : [0, 0]
    const colour = [...spacingColour(text('spacing_color', 'white')), ...alpha]
    parts.splice(1, 0, coloured(shape, colour))
  }
  return [concatenate(parts, along)]
}

const coloured = (shape: readonly number[], colour: readonly number[]): Tensor => {
  const channels = shape[3] as number
  const size = shape.slice(1).reduce((all, side) => all * side, 1)
  return new Tensor(shape, () => numbers(size, (at) => colour[at % channels] ?? 0))
}

/** Colours of a whole number 0xRRGGBB. */
const colourOf = (color: number): readonly number[] => [
  ((color >> 16) & 255) / 255,
  ((color >> 8) & 255) / 255,
  (color & 255) / 255,
]

export const crops: Family = {
  EmptyImage: ({ number }) => {
    const shape = [number('batch_size', 1), number('height'), number('width')]
    checkSides([...shape, 1])
    return [coloured([...shape, 3], colourOf(number('color')))]
  },
  ImageInvert: ({ value }) => [inverted(value('image'))],
  ImageCrop: ({ tensor, number }) => {
    const image = tensor('image', '.shape')
    const [, rows = 0, columns = 0] = image.shape
    const [x, y] = [Math.min(number('x'), columns - 1), Math.min(number('y'), rows - 1)]
    return [slice(slice(image, 1, y, y + number('height')), 2, x, x + number('width'))]
  },
  ImagePadForOutpaint: outpaint,
  ImageFlip: ({ tensor, text }) => {
    const image = tensor('image', 'argument:flip')
    const method = text('flip_method')
    if (method.startsWith('x')) return [flip(image, 1)]
    return [method.startsWith('y') ? flip(image, 2) : image]
  },
  ImageRotate: ({ tensor, text }) => [
    rotate(tensor('image', 'argument:rot90'), turnsOf(text('rotation')), 2, 1),
  ],
  ImageStitch: stitch,
}
