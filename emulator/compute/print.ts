// Values as Python prints them; tensors as torch does.

import { type Json, writeJson } from '../lib/json.ts'
import { pythonRepr } from '../lib/python.ts'
import { type Read, Tensor, valuesOf } from './values/tensor.ts'
import { Instance, isMap, type Value } from './values/values.ts'

/** The text that a preview of a value shows: JSON where it can be, else what `str` returns. */
export function printed(value: Value, read: Read): string {
  if (typeof value === 'string') return value
  return hasTensor(value) ? str(value, read) : jsonOrText(value as Json)
}

function jsonOrText(value: Json): string {
  if (!Array.isArray(value) && !isMap(value)) return pythonRepr(value)
  return writeJson(value).replaceAll(
    /[\u007f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function hasTensor(value: Value): boolean {
  if (value instanceof Tensor || value instanceof Instance) return true
  if (isMap(value)) return [...(value as Map<string, Value>).values()].some(hasTensor)
  return Array.isArray(value) && value.some(hasTensor)
}

function str(value: Value, read: Read): string {
  if (value instanceof Tensor) return tensorText(value, read)
  if (value instanceof Instance) return value.printed
  if (isMap(value)) {
    const members = Array.from(
      value as Map<string, Value>,
      ([key, one]) => `${pythonRepr(key)}: ${str(one, read)}`,
    )
    return `{${members.join(', ')}}`
  }
  if (Array.isArray(value)) return `[${value.map((one) => str(one, read)).join(', ')}]`
  return pythonRepr(value)
}

/** More numbers are not printed. */
const MOST_PRINTED = 1000
const LINE = 80
const EDGE = 3

/** A tensor as torch prints it. */
function tensorText(tensor: Tensor, read: Read): string {
  const { shape, dtype } = tensor
  const size = shape.reduce((all, one) => all * one, 1)
  if (size === 0) return `tensor([]${shape.length > 1 ? `, size=(${shape.join(', ')})` : ''})`
  const isCut = size > MOST_PRINTED
  const values = valuesOf(tensor, read)
  const shown = isCut ? edges(values, shape) : values
  const format = dtype === 'float32' ? formatOf(shown) : integerFormat(shown, dtype)
  const suffix =
    dtype === 'float32' || dtype === 'int64' || dtype === 'bool' ? '' : `, dtype=torch.${dtype}`
  return `tensor(${nested(values, shape, 0, 'tensor('.length, format, isCut)}${suffix})`
}

type Format = { readonly write: (value: number) => string; readonly width: number }

/** The numbers that a cut tensor shows. */
function edges(values: Float32Array, shape: readonly number[]): Float32Array {
  const places = (side: number): number[] =>
    Array.from({ length: side }, (_, at) => at).filter(
      (at) => side <= 2 * EDGE || at < EDGE || at >= side - EDGE,
    )
  let indices = [0]
  for (const side of shape)
    indices = indices.flatMap((base) => places(side).map((at) => base * side + at))
  return Float32Array.from(indices, (index) => values[index]!)
}

function integerFormat(values: Float32Array, dtype: string): Format {
  const text = (value: number): string =>
    dtype === 'bool' ? (value === 0 ? 'False' : 'True') : `${value}`
  const width = Math.max(1, ...Array.from(values, (value) => text(value).length))
  return { write: (value) => text(value).padStart(width), width }
}

function formatOf(values: Float32Array): Format {
  const finite = [...values].filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs)
  const others = [...values].filter((value) => !Number.isFinite(value))
  const [least, most] = [Math.min(...finite), Math.max(...finite)]
  const spell = (write: (value: number) => string): Format => {
    // Without other numbers than 0, nothing is aligned.
    const texts = finite.length === 0 ? [] : Array.from(values, (value) => write(value))
    const width = Math.max(1, ...texts.map((text) => text.length))
    return { write: (value) => write(value).padStart(width), width }
  }
  const named = (value: number): string | undefined =>
    Number.isFinite(value) ? undefined : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  const exponent = (value: number): string =>
    value.toExponential(4).replace(/e([+-])(\d)$/, 'e$10$2')
  if (finite.every(Number.isInteger)) {
    if (finite.length > 0 && (most / least > 1000 || most > 1e8))
      return spell((value) => named(value) ?? exponent(value))
    return spell(
      (value) =>
        named(value) ??
        `${Object.is(value, -0) ? '-0' : value}${others.length === values.length ? '' : '.'}`,
    )
  }
  if (most / least > 1000 || most > 1e8 || least < 1e-4)
    return spell((value) => named(value) ?? exponent(value))
  return spell((value) => named(value) ?? fixed(value))
}

/** Four digits after the point, rounded to even like C does. */
const fixed = (value: number): string => (Object.is(value, -0) ? '-0.0000' : value.toFixed(4))

function nested(
  values: Float32Array,
  shape: readonly number[],
  from: number,
  indent: number,
  format: Format,
  isCut: boolean,
): string {
  const [side = 0, ...rest] = shape
  if (rest.length === 0) return row(values, from, side, indent, format, isCut)
  const size = rest.reduce((all, one) => all * one, 1)
  const part = (at: number): string =>
    nested(values, rest, from + at * size, indent + 1, format, isCut)
  const parts: string[] = []
  for (let at = 0; at < side; at++) {
    if (isCut && side > 2 * EDGE && at === EDGE) {
      parts.push('...')
      at = side - EDGE
    }
    parts.push(part(at))
  }
  return `[${parts.join(`,${'\n'.repeat(rest.length)}${' '.repeat(indent + 1)}`)}]`
}

function row(
  values: Float32Array,
  from: number,
  side: number,
  indent: number,
  { write, width }: Format,
  isCut: boolean,
): string {
  const perLine = Math.max(1, Math.floor((LINE - indent) / (width + 2)))
  const texts = Array.from({ length: side }, (_, at) => write(values[from + at]!))
  const shown =
    isCut && side > 2 * EDGE ? [...texts.slice(0, EDGE), ' ...', ...texts.slice(-EDGE)] : texts
  const lines: string[] = []
  for (let at = 0; at < shown.length; at += perLine)
    lines.push(shown.slice(at, at + perLine).join(', '))
  return `[${lines.join(`,\n${' '.repeat(indent + 1)}`)}]`
}
