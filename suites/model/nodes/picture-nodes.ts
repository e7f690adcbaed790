// The model of pictures: made, turned, cut, padded, put together.

import {
  changed,
  fails,
  f32,
  type Image,
  type Mask,
  type Op,
  type Ops,
  part,
  redrawn,
  unknown,
  unpredicted,
} from './values.ts'
import { channelOf } from './mask-nodes.ts'

/** Further items of a picture or a mask, from the first again. */
export const repeated = <Kind extends Image | Mask>(of: Kind, count: number): Kind => {
  const { items } = of
  const next = items && Array.from({ length: count }, (_, at) => items[at % of.count] ?? [])
  return { ...of, count, items: next }
}

/** Several pictures of one size, one behind the other. */
export function joined(images: readonly Image[]): Image {
  const [first] = images as readonly [Image, ...Image[]]
  const isSame = ({ height, width, channels }: Image): boolean =>
    height === first.height && width === first.width && channels === first.channels
  if (!images.every(isSame)) fails('RuntimeError')
  const count = images.reduce((sum, one) => sum + one.count, 0)
  const isKnown = images.every(({ items }) => items !== null)
  return { ...first, count, items: isKnown ? images.flatMap(({ items }) => items ?? []) : null }
}

const solid: Op = ({ number }) => {
  const [height, width, count] = [number('height'), number('width'), number('batch_size')]
  if (height < 0 || width < 0 || count < 0) fails('RuntimeError')
  const color = number('color')
  const shares = [color >> 16, color >> 8, color].map((one) => f32((one & 255) / 255))
  const item = Array.from({ length: height * width * 3 }, (_, at) => shares[at % 3] ?? 0)
  const items = Array.from({ length: count }, () => item)
  return [{ kind: 'image', height, width, channels: 3, count, items }]
}

/** A quarter turn clockwise. */
const turned = (image: Image): Image =>
  redrawn(image, image.width, image.height, (y, x) => [image.height - 1 - x, y])

const quarters: Readonly<Record<string, number>> = {
  none: 0,
  '90 degrees': 1,
  '180 degrees': 2,
  '270 degrees': 3,
}

/** The mask of what was padded: it fades in from the edges that were moved. */
function padding(image: Image, { left, top, right, bottom }: Sides, feathering: number): Mask {
  const { height, width } = image
  const [rows, columns] = [height + top + bottom, width + left + right]
  const isFaded = feathering > 0 && feathering * 2 < height && feathering * 2 < width
  const item = Array.from({ length: rows * columns }, (_, at) => {
    const [y, x] = [Math.floor(at / columns) - top, (at % columns) - left]
    if (y < 0 || y >= height || x < 0 || x >= width) return 1
    const near = Math.min(
      top === 0 ? height : y,
      bottom === 0 ? height : height - y,
      left === 0 ? width : x,
      right === 0 ? width : width - x,
    )
    const share = (feathering - near) / feathering
    return isFaded && near < feathering ? f32(share * share) : 0
  })
  return { kind: 'mask', height: rows, width: columns, count: 1, items: [item] }
}

type Sides = Readonly<Record<'left' | 'top' | 'right' | 'bottom', number>>

const padded: Op = ({ image, number }) => {
  const given = image('image')
  const { height, width, channels, items } = given
  const sides = {
    left: number('left'),
    top: number('top'),
    right: number('right'),
    bottom: number('bottom'),
  }
  const { left, top, right, bottom } = sides
  if (Math.min(left, top, right, bottom) < 0) return fails('RuntimeError')
  const [rows, columns] = [height + top + bottom, width + left + right]
  const pad = (item: readonly number[]): readonly number[] =>
    Array.from({ length: rows * columns * channels }, (_, at) => {
      const pixel = Math.floor(at / channels)
      const [y, x] = [Math.floor(pixel / columns) - top, (pixel % columns) - left]
      if (y < 0 || y >= height || x < 0 || x >= width) return 0.5
      return item[(y * width + x) * channels + (at % channels)] ?? 0
    })
  const picture: Image = {
    ...given,
    height: rows,
    width: columns,
    items: items && items.map(pad),
  }
  return [picture, padding(given, sides, number('feathering'))]
}

/** A part that begins inside the picture and ends at its edge at the latest. */
const cropped: Op = ({ image, number }) => {
  const given = image('image')
  const x = Math.min(number('x'), given.width - 1)
  const y = Math.min(number('y'), given.height - 1)
  return [part(given, [y, y + number('height')], [x, x + number('width')])]
}

/** A picture laid on another, through a mask. */
function laid(own: Image, source: Image, mask: Mask | null, x: number, y: number): Image {
  const [left, top] = [Math.min(x, own.width), Math.min(y, own.height)]
  if (own.channels !== 3 || source.channels !== 3) return unpredicted()
  const isFitting = mask === null || (mask.width === source.width && mask.height === source.height)
  if (own.items === null || source.items === null || mask?.items === null || !isFitting)
    return unknown(own)
  const [upper, through] = [repeated(source, own.count), mask && repeated(mask, own.count)]
  const items = own.items.map((item, index) =>
    item.map((value, at) => {
      const pixel = Math.floor(at / 3)
      const [row, column] = [Math.floor(pixel / own.width) - top, (pixel % own.width) - left]
      if (row < 0 || row >= source.height || column < 0 || column >= source.width) return value
      const from = row * source.width + column
      const share = through?.items?.[index]?.[from] ?? 1
      const other = upper.items?.[index]?.[from * 3 + (at % 3)] ?? 0
      return f32(f32(share * other) + f32(f32(1 - share) * value))
    }),
  )
  return { ...own, items }
}

/** Pictures with the alpha that a mask leaves, as many as there are of both. */
const withAlpha: Op = ({ image, mask }) => {
  const [own, alpha] = [image('image'), mask('alpha')]
  if (own.count === 0 || alpha.count === 0) return unpredicted()
  const count = Math.min(own.count, alpha.count)
  const isFitting = alpha.width === own.width && alpha.height === own.height
  const isKnown = own.items !== null && alpha.items !== null && isFitting
  const items = Array.from({ length: count }, (_, index) =>
    Array.from({ length: own.height * own.width }, (__, at) => {
      const colours = own.items?.[index]?.slice(at * own.channels, at * own.channels + 3) ?? []
      return [...colours, f32(1 - (alpha.items?.[index]?.[at] ?? 0))]
    }).flat(),
  )
  return [{ ...own, count, channels: 4, items: isKnown ? items : null }]
}

const withoutAlpha: Op = ({ image }) => {
  const given = image('image')
  if (given.count === 0) return fails('RuntimeError')
  const { height, width, count, channels, items } = given
  const colours = (item: readonly number[]): readonly number[] =>
    item.filter((_, at) => at % channels < 3)
  const none = Array.from({ length: count }, () => Array<number>(height * width).fill(0))
  const alpha: Mask =
    channels > 3
      ? changed(channelOf(given, 3), (value) => 1 - value)
      : { kind: 'mask', height, width, count, items: none }
  return [{ ...given, channels: 3, items: items && items.map(colours) }, alpha]
}

export const pictureNodes: Ops = {
  EmptyImage: solid,
  ImageInvert: ({ image }) => [changed(image('image'), (value) => 1 - value)],
  ImageFlip: ({ image, text }) => {
    const given = image('image')
    const { height, width } = given
    const isVertical = text('flip_method').startsWith('x')
    return [
      redrawn(given, height, width, (y, x) =>
        isVertical ? [height - 1 - y, x] : [y, width - 1 - x],
      ),
    ]
  },
  ImageRotate: ({ image, text }) => {
    let own = image('image')
    for (let at = 0; at < (quarters[text('rotation')] ?? 0); at++) own = turned(own)
    return [own]
  },
  ImageCrop: cropped,
  ImagePadForOutpaint: padded,
  ImageCompositeMasked: ({ image, mask, number, has, flag }) => {
    if (flag('resize_source')) return [unknown(image('destination'))]
    const through = has('mask') ? mask('mask') : null
    return [laid(image('destination'), image('source'), through, number('x'), number('y'))]
  },
  ImageBatch: ({ image }) => {
    const [one, other] = [image('image1'), image('image2')]
    if (one.channels !== other.channels) return fails('RuntimeError')
    const { height, width } = one
    const isSame = other.height === height && other.width === width
    return [joined([one, isSame ? other : { ...other, height, width, items: null }])]
  },
  RepeatImageBatch: ({ image, number }) => {
    const given = image('image')
    const amount = number('amount')
    return amount < 0 ? fails('RuntimeError') : [repeated(given, given.count * amount)]
  },
  ImageFromBatch: ({ image, number }) => {
    const given = image('image')
    const first = Math.min(given.count - 1, number('batch_index'))
    const count = Math.min(given.count - first, number('length'))
    return [{ ...given, count, items: given.items && given.items.slice(first, first + count) }]
  },
  GetImageSize: ({ image }) => {
    const { width, height, count } = image('image')
    return [width, height, count]
  },
  JoinImageWithAlpha: withAlpha,
  SplitImageWithAlpha: withoutAlpha,
}
