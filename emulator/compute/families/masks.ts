// Masks: made from colours, cut, combined, grown.

import { lacksAttribute } from '../../lib/python.ts'
import type { Family, Inputs } from '../values/inputs.ts'
import { combine, slice } from '../values/layout.ts'
import { faded, type Part, partOf, withPart } from '../values/paste.ts'
import { grown } from '../arithmetic/morphology.ts'
import {
  clamp,
  checkReshape,
  checkSides,
  checkStack,
  countOf,
  filled,
  map,
  numbers,
  product,
  reshape,
  Tensor,
} from '../values/tensor.ts'
import { inverted } from './crops.ts'
import { raise } from '../../lib/raised.ts'
import { miscalled, type Use } from '../values/values.ts'

/** A mask as batch, rows and columns. */
function planes(mask: Tensor): Tensor {
  const [rows = 0, columns = 0] = mask.shape.slice(-2)
  checkReshape([rows, columns])
  return reshape(mask, [product(mask.shape.slice(0, -2)), rows, columns])
}

const channels = ['red', 'green', 'blue', 'alpha']

/** One channel of a picture, by its position in Python. */
export function channelOf(image: Tensor, index: number): Tensor {
  const count = image.shape[3] ?? 0
  if (index >= count || index < 0)
    raise('IndexError', `index ${index} is out of bounds for dimension 3 with size ${count}`)
  return new Tensor(image.shape.slice(0, 3), (at, read) => {
    const item = read(image, at)
    return numbers(item.length / count, (place) => item[place * count + index]!)
  })
}

/** Colours of equal value, as 0xRRGGBB. */
const colourMask = (image: Tensor, color: number): Tensor => {
  const count = image.shape[3] ?? 3
  return new Tensor(image.shape.slice(0, 3), (index, read) => {
    const item = read(image, index)
    const byte = (at: number): number => roundEven(Math.fround(clamp(item[at]!) * 255))
    return numbers(item.length / count, (at) => {
      const place = at * count
      const own = byte(place) * 65536 + byte(place + 1) * 256 + byte(place + 2)
      return own === color ? 1 : 0
    })
  })
}

const clampSignatures = [
  'Tensor min = None, Tensor max = None, *, Tensor out = None',
  'Number min = None, Number max = None, *, Tensor out = None',
]

function roundEven(value: number): number {
  const rounded = Math.round(value)
  return value % 1 === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

const isSet = (value: number): boolean => roundEven(value) !== 0

const operations: Readonly<Record<string, (own: number, other: number) => number>> = {
  multiply: (own, other) => own * other,
  add: (own, other) => own + other,
  subtract: (own, other) => own - other,
  and: (own, other) => Number(isSet(own) && isSet(other)),
  or: (own, other) => Number(isSet(own) || isSet(other)),
  xor: (own, other) => Number(isSet(own) !== isSet(other)),
}

function compose({ tensor, number, text }: Inputs): readonly Tensor[] {
  const own = planes(tensor('destination', '.reshape'))
  const other = planes(tensor('source', '.reshape'))
  const [rows = 0, columns = 0] = own.shape.slice(-2)
  const [otherRows = 0, otherColumns = 0] = other.shape.slice(-2)
  const [left, top] = [number('x'), number('y')]
  const [right, bottom] = [Math.min(left + otherColumns, columns), Math.min(top + otherRows, rows)]
  const part: Part = { top, bottom, left, right }
  const visible: Part = { top: 0, bottom: bottom - top, left: 0, right: right - left }
  const change = operations[text('operation')]
  if (change === undefined) return [map(own, clamp)]
  const combined = combine(partOf(own, part), partOf(other, visible), change)
  return [map(withPart(own, part, combined), clamp)]
}

/**
 * Edges that fade in.
 * @param placeFromEnd the place that counts as this one from the end of a side.
 */
export const feathered =
  (placeFromEnd: (at: number, side: number) => number) =>
  ({ tensor, number }: Inputs): readonly Tensor[] => {
    let mask = planes(tensor('mask', '.reshape'))
    const [, rows = 0, columns = 0] = mask.shape
    const rates = (length: number, side: number, fromEnd: boolean): (readonly [number, number])[] =>
      Array.from({ length }, (_, at) => [fromEnd ? placeFromEnd(at, side) : at, (at + 1) / length])
    const widths = {
      left: Math.min(number('left'), columns),
      right: Math.min(number('right'), columns),
    }
    const heights = { top: Math.min(number('top'), rows), bottom: Math.min(number('bottom'), rows) }
    mask = faded(mask, 2, rates(widths.left, columns, false))
    mask = faded(mask, 2, rates(widths.right, columns, true))
    mask = faded(mask, 1, rates(heights.top, rows, false))
    return [faded(mask, 1, rates(heights.bottom, rows, true))]
  }

/** A mask as a grey picture. */
export const maskImage = (mask: Tensor): Tensor => {
  const [rows = 0, columns = 0] = mask.shape.slice(-2)
  checkReshape([1, rows, columns])
  const own = planes(mask)
  return new Tensor([...own.shape, 3], (index, read) => {
    const item = read(own, index)
    return numbers(item.length * 3, (at) => item[Math.floor(at / 3)]!)
  })
}

const maskInput = ({ tensor }: Inputs, use: Use = '.reshape'): Tensor => tensor('mask', use)

export const masks: Family = {
  CropMask: (inputs) => {
    const mask = planes(maskInput(inputs))
    const { number } = inputs
    const [x, y] = [number('x'), number('y')]
    return [slice(slice(mask, 1, y, y + number('height')), 2, x, x + number('width'))]
  },
  // The first place from the end is place 0, as -0 is in Python.
  FeatherMask: feathered((at, side) => (at > 0 ? side - at : 0)),
  GrowMask: (inputs) => {
    const mask = planes(maskInput(inputs))
    checkStack(countOf(mask))
    return [grown(mask, inputs.number('expand'), inputs.flag('tapered_corners'))]
  },
  ImageColorToMask: ({ value, number }) => {
    const image = value('image')
    if (image instanceof Tensor) return [colourMask(image, number('color'))]
    return miscalled(image, 'clamp', 'int, float', clampSignatures)
  },
  ImageToMask: ({ tensor, text }) => [
    channelOf(tensor('image', 'slice'), channels.indexOf(text('channel'))),
  ],
  InvertMask: ({ value }) => [inverted(value('mask'))],
  MaskComposite: compose,
  MaskToImage: (inputs) => [maskImage(maskInput(inputs))],
  SolidMask: ({ number }) => {
    const shape = [1, number('height'), number('width')]
    checkSides(shape)
    return [filled(shape, number('value'))]
  },
  ThresholdMask: ({ value, number }) => {
    const mask = value('mask')
    if (!(mask instanceof Tensor)) return thresholdOf(mask)
    const least = number('value')
    return [map(mask, (one) => (one > Math.fround(least) ? 1 : 0))]
  },
}

function thresholdOf(value: unknown): never {
  if (typeof value === 'number' || typeof value === 'boolean')
    return raise('AttributeError', lacksAttribute('bool', 'float'))
  const type =
    value === null
      ? 'NoneType'
      : typeof value === 'string'
        ? 'str'
        : Array.isArray(value)
          ? 'list'
          : 'dict'
  return raise('TypeError', `'>' not supported between instances of '${type}' and 'float'`)
}
