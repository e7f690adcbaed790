// Tensors as torch prints them.

import { countOf, type Read, sizeOf, type Tensor } from './values/tensor.ts'

/** Of a longer tensor, only the edges are printed. */
const MOST_PRINTED = 1000
const LINE = 80
const PREFIX = 'tensor('
/** The types that torch does not print: it assumes them. */
const usual = new Set(['float32', 'complex64', 'int64', 'bool'])

/** Writes the number at an index; all in one width. */
type Format = { readonly write: (index: number) => string; readonly width: number }

/** A tensor as `str` returns it, with so many items at each edge of a long one. */
export function tensorText(tensor: Tensor, read: Read, edge: number): string {
  const { shape, dtype } = tensor
  const size = shape.reduce((all, one) => all * one, 1)
  const isCut = size > MOST_PRINTED
  const suffixes: string[] = []
  if (size === 0 && shape.length !== 1) suffixes.push(`size=${tupleText(shape)}`)
  if (size === 0 ? dtype !== 'float32' : !usual.has(dtype)) suffixes.push(`dtype=torch.${dtype}`)
  if (size === 0) return withSuffixes(`${PREFIX}[]`, suffixes)
  const values = numbersOf(tensor, read)
  const shown = isCut ? edges(shape, edge) : Array.from({ length: size }, (_, at) => at)
  const format = formatOf(values, shown, dtype)
  const numbers =
    shape.length === 0
      ? format.write(0)
      : nested(shape, 0, PREFIX.length, format, isCut ? edge : Infinity)
  return withSuffixes(`${PREFIX}${numbers}`, suffixes)
}

/** Finds a number of a tensor. Only the items that are shown are read. */
type Values = (index: number) => number

function numbersOf(tensor: Tensor, read: Read): Values {
  const { fill } = tensor
  if (fill !== undefined) return () => Math.fround(fill)
  if (countOf(tensor) === 1) {
    const all = read(tensor, 0)
    return (index) => all[index]!
  }
  const size = sizeOf(tensor)
  const items = new Map<number, Float32Array>()
  return (index) => {
    const at = Math.floor(index / size)
    const item = items.get(at) ?? read(tensor, at)
    items.set(at, item)
    return item[index - at * size]!
  }
}

const tupleText = (shape: readonly number[]): string =>
  shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`

/** Suffixes stand on the last line where it has room for them. */
function withSuffixes(text: string, suffixes: readonly string[]): string {
  let whole = text
  let last = text.length - text.lastIndexOf('\n') + 1
  for (const suffix of suffixes) {
    const isFull = last + suffix.length + 2 > LINE
    whole += isFull ? `,\n${' '.repeat(PREFIX.length)}${suffix}` : `, ${suffix}`
    last = isFull ? PREFIX.length + suffix.length : last + suffix.length + 2
  }
  return `${whole})`
}

/** The indices that a cut tensor shows. */
function edges(shape: readonly number[], edge: number): readonly number[] {
  const places = (side: number): number[] =>
    Array.from({ length: Math.min(side, 2 * edge) }, (_, at) =>
      side <= 2 * edge || at < edge ? at : side - 2 * edge + at,
    )
  let indices = [0]
  for (const side of shape)
    indices = indices.flatMap((base) => places(side).map((at) => base * side + at))
  return indices
}

function formatOf(values: Values, shown: readonly number[], dtype: string): Format {
  if (dtype === 'complex64') return complexFormat(values, shown)
  if (dtype.startsWith('float')) return floatFormat(values, shown, 1, 0)
  const text = (index: number): string =>
    dtype !== 'bool' ? `${values(index)}` : values(index) === 0 ? 'False' : 'True'
  const width = Math.max(...shown.map((index) => text(index).length))
  return { write: (index) => text(index).padStart(width), width }
}

/** The real and the imaginary parts have separate widths. */
function complexFormat(values: Values, shown: readonly number[]): Format {
  const real = floatFormat(values, shown, 2, 0)
  const imaginary = floatFormat(values, shown, 2, 1)
  const write = (index: number): string => {
    const part = imaginary.write(index).trimStart()
    const sign = part.startsWith('-') ? '' : '+'
    return `${real.write(index)}${sign}${part}j`
  }
  return { write, width: real.width + imaginary.width + 1 }
}

const MOST_DIGITS = 1e8
const LEAST_DIGITS = 1e-4
const MOST_RATIO = 1000

/** Floats as integers with a point, with four digits behind it, or with an exponent. */
function floatFormat(
  values: Values,
  shown: readonly number[],
  step: number,
  offset: number,
): Format {
  const valueAt = (index: number): number => values(index * step + offset)
  const counted = shown.map(valueAt).filter((value) => Number.isFinite(value) && value !== 0)
  const sizes = counted.map(Math.abs)
  const least = sizes.reduce((low, size) => Math.min(low, size), Infinity)
  const most = sizes.reduce((high, size) => Math.max(high, size), 0)
  const areWhole = counted.every(Number.isInteger)
  const isScientific =
    most / least > MOST_RATIO || most > MOST_DIGITS || (!areWhole && least < LEAST_DIGITS)
  const spell = (value: number): string => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
    const size = Math.abs(value)
    const digits = isScientific ? exponent(size) : areWhole ? `${size}.` : fixed(size)
    return value < 0 || Object.is(value, -0) ? `-${digits}` : digits
  }
  const width = counted.reduce((wide, value) => Math.max(wide, spell(value).length), 1)
  return { write: (index) => spell(valueAt(index)).padStart(width), width }
}

const DIGITS = 4

/** Four digits after the point. A number in the middle between two is rounded to even, as C does. */
function fixed(size: number): string {
  const scaled = size * 10 ** DIGITS
  const isMiddle = scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0
  return (isMiddle ? Math.floor(scaled) / 10 ** DIGITS : size).toFixed(DIGITS)
}

/** As many digits as a float can have. */
const ALL_DIGITS = 100

function exponent(size: number): string {
  const [all = '', power = ''] = size.toExponential(ALL_DIGITS).split('e')
  const isMiddle = /^\d\.\d{3}[02468]50*$/.test(all)
  const digits = isMiddle ? all.slice(0, 2 + DIGITS) : size.toExponential(DIGITS).split('e')[0]
  const rounded = isMiddle ? power : (size.toExponential(DIGITS).split('e')[1] as string)
  return `${digits}e${rounded[0]}${rounded.slice(1).padStart(2, '0')}`
}

function nested(
  shape: readonly number[],
  from: number,
  indent: number,
  format: Format,
  edge: number,
): string {
  const [side = 0, ...rest] = shape
  if (rest.length === 0) return row(side, from, indent, format, edge)
  const size = rest.reduce((all, one) => all * one, 1)
  const parts: string[] = []
  for (let at = 0; at < side; at++) {
    if (side > 2 * edge && at === edge) {
      parts.push('...')
      at = side - edge
    }
    parts.push(nested(rest, from + at * size, indent + 1, format, edge))
  }
  return `[${parts.join(`,${'\n'.repeat(rest.length)}${' '.repeat(indent + 1)}`)}]`
}

function row(
  side: number,
  from: number,
  indent: number,
  { write, width }: Format,
  edge: number,
): string {
  const perLine = Math.max(1, Math.floor((LINE - indent) / (width + 2)))
  const texts = (first: number, end: number): string[] =>
    Array.from({ length: end - first }, (_, at) => write(from + first + at))
  const shown =
    side > 2 * edge ? [...texts(0, edge), ' ...', ...texts(side - edge, side)] : texts(0, side)
  const lines: string[] = []
  for (let at = 0; at < shown.length; at += perLine)
    lines.push(shown.slice(at, at + perLine).join(', '))
  return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`
}
