// Values as Python prints them.

import { asciiJson } from '../lib/ascii-json.ts'
import { isObject, type Json, writeJson } from '../lib/json.ts'
import { pythonRepr } from '../lib/python.ts'
import { tensorText } from './print-tensor.ts'
import { type Read, Tensor } from './values/tensor.ts'
import { Instance, isMap, type Value } from './values/values.ts'

/** How a server prints values. */
export type PrintStyle = {
  /** How many items of a long tensor are printed at each edge. */
  readonly edge: 3 | 6
  /** Whether JSON has a line for each item. */
  readonly isIndented: boolean
  /** Whether JSON contains characters beyond ASCII, and not their escapes. */
  readonly hasCharacters: boolean
}

const usualStyle: PrintStyle = { edge: 3, isIndented: false, hasCharacters: false }

/** The text that a preview of a value shows: JSON where it can be, else what `str` returns. */
export function printed(value: Value, read: Read, style: PrintStyle = usualStyle): string {
  if (typeof value === 'string' || hasTensor(value)) return str(value, read, style)
  return jsonOrText(value as Json, style)
}

function jsonOrText(value: Json, { isIndented, hasCharacters }: PrintStyle): string {
  if (!Array.isArray(value) && !isMap(value)) return pythonRepr(value)
  const text = isIndented ? indented(value, '') : writeJson(value)
  return hasCharacters ? text : asciiJson(text)
}

const INDENT = '    '

/** JSON as Python writes it with `indent=4` [nodes/printed-lines]. */
function indented(value: Json, outer: string): string {
  const inner = outer + INDENT
  const lines = (open: string, items: readonly string[], close: string): string =>
    items.length === 0
      ? open + close
      : `${open}\n${inner}${items.join(`,\n${inner}`)}\n${outer}${close}`
  if (Array.isArray(value))
    return lines(
      '[',
      value.map((one) => indented(one, inner)),
      ']',
    )
  if (!isObject(value)) return writeJson(value)
  const members = Array.from(value, ([key, one]) => `${writeJson(key)}: ${indented(one, inner)}`)
  return lines('{', members, '}')
}

function hasTensor(value: Value): boolean {
  if (value instanceof Tensor || value instanceof Instance) return true
  if (isMap(value)) return [...(value as Map<string, Value>).values()].some(hasTensor)
  return Array.isArray(value) && value.some(hasTensor)
}

/** What `str` returns. */
export const str = (value: Value, read: Read, style: PrintStyle): string =>
  typeof value === 'string' ? value : repr(value, read, style)

function repr(value: Value, read: Read, style: PrintStyle): string {
  if (value instanceof Tensor) return tensorText(value, read, style.edge)
  if (value instanceof Instance) return value.printed
  if (isMap(value)) {
    const members = Array.from(
      value as Map<string, Value>,
      ([key, one]) => `${pythonRepr(key)}: ${repr(one, read, style)}`,
    )
    return `{${members.join(', ')}}`
  }
  if (Array.isArray(value)) return `[${value.map((one) => repr(one, read, style)).join(', ')}]`
  return pythonRepr(value)
}
