// Values as Python prints them.

import { asciiJson } from '../lib/ascii-json.ts'
import { type Json, writeJson } from '../lib/json.ts'
import { pythonRepr } from '../lib/python.ts'
import { tensorText } from './print-tensor.ts'
import { type Read, Tensor } from './values/tensor.ts'
import { Instance, isMap, type Value } from './values/values.ts'

/** The text that a preview of a value shows: JSON where it can be, else what `str` returns. */
export function printed(value: Value, read: Read): string {
  if (typeof value === 'string') return value
  return hasTensor(value) ? str(value, read) : jsonOrText(value as Json)
}

function jsonOrText(value: Json): string {
  if (!Array.isArray(value) && !isMap(value)) return pythonRepr(value)
  return asciiJson(writeJson(value))
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
