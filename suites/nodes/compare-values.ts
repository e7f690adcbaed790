// Compares values that no client sees, such as latents and sounds, with what the real server recorded.

import { createRead, Instance, paint, Tensor, valuesOf } from '../../dist/emulator/internal.js'
import { isRecordedMap, type Line, type Recorded, type RecordedMap } from './lines.ts'
import { isMadeUp, isNear, sha256 } from './tolerance.ts'

/** What differs, in a few words; null for nothing. */
export type Difference = string | null

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export function compareValue(line: Line, expected: Recorded, own: any, path: string): Difference {
  if (isRecordedMap(expected)) {
    if (expected['tensor'] !== undefined)
      return compareTensor(line, expected['tensor'] as RecordedMap, own, path)
    if (isRecordedMap(expected['dict'])) {
      if (!(own instanceof Map)) return `${path} is not a dict`
      const [names, ownNames] = [
        Object.keys(expected['dict']).toSorted(byText),
        [...own.keys()].toSorted(byText),
      ]
      if (String(names) !== String(ownNames))
        return `${path} has ${ownNames.join()} instead of ${names.join()}`
      for (const name of names) {
        const difference = compareValue(
          line,
          expected['dict'][name],
          own.get(name),
          `${path}.${name}`,
        )
        if (difference !== null) return difference
      }
      return null
    }
    if (Array.isArray(expected['list'] ?? expected['tuple'])) {
      if (!Array.isArray(own)) return `${path} is not a list`
      if (own.length !== expected['length'])
        return `${path} has ${own.length} items instead of ${expected['length']}`
      for (const [at, item] of ((expected['list'] ?? expected['tuple']) as Recorded[]).entries()) {
        const difference = compareValue(line, item, own[at], `${path}[${at}]`)
        if (difference !== null) return difference
      }
      return null
    }
    if (expected['object'] !== undefined) {
      const name = expected['object'] as string
      if (name === 'list') return Array.isArray(own) ? null : `${path} is not a list`
      if (!(own instanceof Instance)) return `${path} is not an object`
      if (own.name !== name) return `${path} is ${own.name} instead of ${name}`
      for (const [field, value] of Object.entries((expected['fields'] ?? {}) as RecordedMap)) {
        const difference = compareValue(line, value, own.fields.get(field), `${path}.${field}`)
        if (difference !== null) return difference
      }
      return null
    }
    if (expected['function'] !== undefined)
      return own instanceof Instance && own.name === expected['function']
        ? null
        : `${path} is not the function`
  }
  if (typeof expected === 'string' && expected.startsWith('whole:'))
    return expected === `whole:${own}` ? null : `${path} ${own}`
  const plain =
    typeof own === 'object' && own !== null && 'float' in own
      ? own.float
      : typeof own === 'bigint'
        ? Number(own)
        : own
  if (typeof plain === 'number' && typeof expected === 'number')
    return Math.abs(plain - expected) <= 1e-6 * Math.abs(expected)
      ? null
      : `${path} ${plain} instead of ${expected}`
  return JSON.stringify(plain) === JSON.stringify(expected)
    ? null
    : `${path} ${JSON.stringify(plain)} instead of ${JSON.stringify(expected).slice(0, 100)}`
}

/** Sums of products in another order differ in the last digits. */
const CLOSE = 2e-5

function compareTensor(line: Line, expected: RecordedMap, own: any, path: string): Difference {
  if (!(own instanceof Tensor)) return `${path} is not a tensor`
  if (String(own.shape) !== String(expected['shape']))
    return `${path} shape ${own.shape.join()} instead of ${expected['shape']}`
  if (own.dtype !== expected['dtype']) return `${path} ${own.dtype} instead of ${expected['dtype']}`
  // Conditioning comes from a model.
  if (/CONDITIONING/.test(path) || own.shape.at(-1) === 1024) return null
  const values = valuesOf(own, createRead(paint))
  const bytes = bytesOf(own.dtype, values)
  if (sha256(bytes) === expected['sha256']) return null
  const given =
    (expected['values'] as (number | string)[] | undefined)?.flatMap(numbersIn) ??
    (expected['bytes'] === undefined
      ? undefined
      : numbersOf(expected['bytes'] as string, own.dtype))
  if (isMadeUp(line)) return null
  if (given === undefined)
    return isNear(line.class_type, line.inputs) ? null : `${path} other numbers`
  let most = 0
  for (const [at, value] of given.entries()) {
    const mine = values[at]!
    if (Object.is(value, mine) || (Number.isNaN(value) && Number.isNaN(mine))) continue
    most = Math.max(most, Math.abs(value - mine) / Math.max(1, Math.abs(value)))
    if (Number.isNaN(most)) return `${path} not a number`
  }
  return most <= CLOSE ? null : `${path} off by ${most}`
}

/** A number, or both parts of a complex one as Python writes it: `(1+2j)`, `0j`. */
function numbersIn(written: number | string): number[] {
  const parts = /^\(?(?:(.+?)(?=[+-][^+-]*(?:e[+-]\d+)?j\)?$))?(.+)j\)?$/.exec(`${written}`)
  return parts === null ? [Number(written)] : [Number(parts[1] ?? 0), Number(parts[2])]
}

const bytesOf = (dtype: string, values: Float32Array): Uint8Array => {
  if (dtype === 'int64')
    return new Uint8Array(BigInt64Array.from([...values].map((one) => BigInt(one))).buffer)
  if (dtype === 'bool') return Uint8Array.from(values)
  return new Uint8Array(values.buffer)
}

function numbersOf(base64: string, dtype: string): number[] {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'))
  if (dtype === 'int64') return [...new BigInt64Array(bytes.buffer)].map(Number)
  if (dtype === 'bool') return [...bytes]
  return [...new Float32Array(bytes.buffer)]
}
