// The model of masks.

import {
  changed,
  clamped,
  f32,
  fails,
  type Image,
  type Mask,
  type Ops,
  part,
  roundEven,
  sliced,
  unknown,
} from './values.ts'

const isSet = (value: number): boolean => roundEven(value) !== 0

export type Operation = (own: number, other: number) => number

export const operations: Readonly<Record<string, Operation>> = {
  multiply: (own, other) => own * other,
  add: (own, other) => own + other,
  subtract: (own, other) => own - other,
  and: (own, other) => (isSet(own) && isSet(other) ? 1 : 0),
  or: (own, other) => (isSet(own) || isSet(other) ? 1 : 0),
  xor: (own, other) => (isSet(own) === isSet(other) ? 0 : 1),
}

/** A mask with another one set into it. Both parts are slices of Python. */
export function composed(
  own: Mask,
  other: Mask,
  x: number,
  y: number,
  operation: Operation,
  cut = clamped,
): Mask {
  const right = Math.min(x + other.width, own.width)
  const bottom = Math.min(y + other.height, own.height)
  const seen = part(other, [0, bottom - y], [0, right - x])
  const [top, end] = sliced(y, bottom, own.height)
  const [left, edge] = sliced(x, right, own.width)
  const fitting = (given: number, wanted: number): boolean => given === wanted || given === 1
  if (!fitting(seen.height, end - top) || !fitting(seen.width, edge - left)) fails('RuntimeError')
  if (other.count !== own.count && other.count !== 1) fails('RuntimeError')
  if (own.items === null || seen.items === null) return unknown(own)
  const items = own.items.map((item, index) => {
    const values = [...item]
    for (let row = top; row < end; row++)
      for (let column = left; column < edge; column++) {
        const at = row * own.width + column
        const from =
          (seen.height === 1 ? 0 : row - top) * seen.width + (seen.width === 1 ? 0 : column - left)
        const source = seen.items?.[other.count === 1 ? 0 : index]?.[from] ?? 0
        values[at] = f32(operation(values[at] ?? 0, source))
      }
    return values.map(cut)
  })
  return { ...own, items }
}

/** Edges that fade; those on the right and below are counted from the end, where 0 is the first again. */
function feathered(mask: Mask, sides: Readonly<Record<string, number>>): Mask {
  let own = mask
  const fade = (length: number, side: number, isColumn: boolean, isEnd: boolean): void => {
    for (let at = 0; at < Math.min(length, side); at++) {
      const place = isEnd && at > 0 ? side - at : at
      const rate = f32((at + 1) / Math.min(length, side))
      own = changed(own, (value, index) =>
        (isColumn ? index % mask.width : Math.floor(index / mask.width)) === place
          ? value * rate
          : value,
      )
    }
  }
  fade(sides['left'] ?? 0, mask.width, true, false)
  fade(sides['right'] ?? 0, mask.width, true, true)
  fade(sides['top'] ?? 0, mask.height, false, false)
  fade(sides['bottom'] ?? 0, mask.height, false, true)
  return own
}

/** One step of growing or shrinking: the largest or the smallest of the neighbours. */
function grownOnce(mask: Mask, isTapered: boolean, choose: (...values: number[]) => number): Mask {
  const step = (item: readonly number[]): readonly number[] =>
    item.map((_, at) => {
      const [y, x] = [Math.floor(at / mask.width), at % mask.width]
      const near: number[] = []
      for (const down of [-1, 0, 1])
        for (const across of [-1, 0, 1]) {
          const [row, column] = [y + down, x + across]
          const isInside = row >= 0 && row < mask.height && column >= 0 && column < mask.width
          if (isInside && !(isTapered && down !== 0 && across !== 0))
            near.push(item[row * mask.width + column] ?? 0)
        }
      return choose(...near)
    })
  return { ...mask, items: mask.items && mask.items.map(step) }
}

const channels = ['red', 'green', 'blue', 'alpha']

/** One channel of a picture. */
export function channelOf(image: Image, channel: number): Mask {
  const { height, width, count } = image
  if (channel >= image.channels) fails('IndexError')
  const only = (item: readonly number[]): readonly number[] =>
    item.filter((_, at) => at % image.channels === channel)
  return { kind: 'mask', height, width, count, items: image.items && image.items.map(only) }
}

/** A mask as a grey picture. */
export function greyOf({ height, width, count, items }: Mask): Image {
  if (height * width * count === 0) fails('RuntimeError')
  const grey = (item: readonly number[]): readonly number[] =>
    item.flatMap((value) => [value, value, value])
  return { kind: 'image', height, width, count, channels: 3, items: items && items.map(grey) }
}

export const maskNodes: Ops = {
  SolidMask: ({ number }) => {
    const [height, width] = [number('height'), number('width')]
    if (height < 0 || width < 0) fails('RuntimeError')
    const item = Array<number>(height * width).fill(f32(number('value')))
    return [{ kind: 'mask', height, width, count: 1, items: [item] }]
  },
  InvertMask: ({ mask }) => [changed(mask('mask'), (value) => 1 - value)],
  CropMask: ({ mask, number }) => {
    const [x, y] = [number('x'), number('y')]
    return [part(mask('mask'), [y, y + number('height')], [x, x + number('width')])]
  },
  MaskComposite: ({ mask, number, text }) => {
    const operation = operations[text('operation')] as Operation
    return [composed(mask('destination'), mask('source'), number('x'), number('y'), operation)]
  },
  FeatherMask: ({ mask, number }) => {
    const sides = ['left', 'right', 'top', 'bottom'].map((side) => [side, number(side)])
    return [feathered(mask('mask'), Object.fromEntries(sides))]
  },
  GrowMask: ({ mask, number, flag }) => {
    let own = mask('mask')
    const expand = number('expand')
    for (let at = 0; at < Math.abs(expand); at++)
      own = grownOnce(own, flag('tapered_corners'), expand < 0 ? Math.min : Math.max)
    return [own]
  },
  ThresholdMask: ({ mask, number }) => {
    const least = f32(number('value'))
    return [changed(mask('mask'), (value) => (value > least ? 1 : 0))]
  },
  ImageToMask: ({ image, text }) => [channelOf(image('image'), channels.indexOf(text('channel')))],
  ImageColorToMask: ({ image, number }) => {
    const given = image('image')
    const byte = (value = 0): number => roundEven(f32(clamped(value) * 255))
    const look = (item: readonly number[]): readonly number[] =>
      Array.from({ length: given.height * given.width }, (_, at) => {
        const [red, green, blue] = item.slice(at * given.channels, at * given.channels + 3)
        const color = byte(red) * 65536 + byte(green) * 256 + byte(blue)
        return color === number('color') ? 1 : 0
      })
    const { height, width, count, items } = given
    return [{ kind: 'mask', height, width, count, items: items && items.map(look) }]
  },
  MaskToImage: ({ mask }) => [greyOf(mask('mask'))],
}
