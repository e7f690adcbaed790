// JSON as plain values without losing what a number cannot hold: such integers, like most 64-bit seeds, are bigints.

import { isFloat, isObject, type Json, readJson } from './json.ts'

/** Reads a text. Throws SyntaxError for invalid JSON. */
export const readExact = (text: string): unknown => plain(readJson(text))

function plain(value: Json): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (isObject(value))
    return Object.fromEntries(Array.from(value, ([name, member]) => [name, plain(member)]))
  return isFloat(value) ? value.float : value
}

/** Writes a value as `JSON.stringify` does, which has no form for bigints. */
export function writeExact(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return written(value) ?? 'null'
  }
}

/** Undefined for a value that JSON leaves out. */
function written(value: unknown): string | undefined {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return `[${value.map((one) => written(one) ?? 'null').join(',')}]`
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value)
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = written(member)
    return text === undefined ? [] : `${JSON.stringify(name)}:${text}`
  })
  return `{${members.join(',')}}`
}
