// Plain data as text that keeps references, cycles and the kinds of values: the state of a world is more than JSON can say,
// and workers have no serialiser of their engine.

import { base64, bytesOfBase64 } from '../../lib/base64.ts'

/** Bytes from this number on lie beside the text, where they are stored once. */
const BESIDE_BYTES = 4096

/** Values that JSON has no word for. */
const words = new Map<unknown, string>([
  [undefined, 'undefined'],
  [NaN, 'NaN'],
  [Infinity, 'Infinity'],
  [-Infinity, '-Infinity'],
])
const wordValues = new Map(Array.from(words, ([value, word]) => [word, value]))

/** A list that stands for what JSON does not have: its kind, then the places of its members, or a text. */
type Row = readonly [kind: MembersKind, ...number[]] | TextRow
type MembersKind = 'array' | 'map' | 'set'
type TextRow = readonly [kind: 'word' | 'bigint' | 'bytes' | 'beside', text: string]

/**
 * Writes a value as JSON: a list of all values in it, in which members are named by their places. It does not call itself:
 * chains of references can be long.
 * @param beside stores large bytes, and returns the name by which `readPlain` finds them.
 */
export function writePlain(value: unknown, beside: (bytes: Uint8Array) => string): string {
  const places = new Map<unknown, number>()
  const values: unknown[] = []
  const placeOf = (one: unknown): number => {
    // A map takes both zeros for one.
    const key = Object.is(one, -0) ? minusZero : one
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, values.length)
    return values.push(one) - 1
  }
  placeOf(value)
  const rows: string[] = []
  for (let at = 0; at < values.length; at++) rows.push(rowText(values[at], placeOf, beside))
  return `[${rows.join()}]`
}

const minusZero = Symbol('-0')

function rowText(
  value: unknown,
  placeOf: (value: unknown) => number,
  beside: (bytes: Uint8Array) => string,
): string {
  const row = (...members: TextRow): string => JSON.stringify(members)
  // Clients send lists of any length: too long for the arguments of a call.
  const list = (kind: MembersKind, places: readonly number[]): string =>
    JSON.stringify(([kind] as (string | number)[]).concat(places))
  if (typeof value === 'bigint') return row('bigint', `${value}`)
  if (Object.is(value, -0)) return row('word', '-0')
  const word = words.get(value)
  if (word !== undefined) return row('word', word)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return list('array', value.map(placeOf))
  if (value instanceof Set) return list('set', Array.from(value, placeOf))
  if (value instanceof Map) return list('map', [...value].flat().map(placeOf))
  if (value instanceof Uint8Array)
    return value.length < BESIDE_BYTES ? row('bytes', base64(value)) : row('beside', beside(value))
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${placeOf(member)}`,
  )
  return `{${members.join()}}`
}

/**
 * Reads what `writePlain` has written.
 * @param beside returns large bytes by their name.
 */
export function readPlain(text: string, beside: (name: string) => Uint8Array): unknown {
  const rows = JSON.parse(text) as readonly (Row | object | string | number | boolean | null)[]
  const values = rows.map((row) => (isObject(row) ? emptyOf(row, beside) : row))
  for (const [at, row] of rows.entries()) if (isObject(row)) fill(values[at], row, values)
  return values[0]
}

const isObject = (row: unknown): row is Row | Readonly<Record<string, number>> =>
  typeof row === 'object' && row !== null

/** The value of a row, without its members. */
function emptyOf(
  row: Row | Readonly<Record<string, number>>,
  beside: (name: string) => Uint8Array,
): unknown {
  if (!isRow(row)) return {}
  if (row[0] === 'array') return []
  if (row[0] === 'map') return new Map()
  if (row[0] === 'set') return new Set()
  const [kind, text] = row as TextRow
  if (kind === 'bigint') return BigInt(text)
  if (kind === 'bytes') return bytesOfBase64(text)
  if (kind === 'beside') return beside(text)
  return text === '-0' ? -0 : wordValues.get(text)
}

const isRow = (row: object): row is Row => Array.isArray(row)

const ordinary = { writable: true, enumerable: true, configurable: true }

function fill(
  value: unknown,
  row: Row | Readonly<Record<string, number>>,
  values: readonly unknown[],
): void {
  if (!isRow(row)) {
    const members = value as Record<string, unknown>
    for (const [name, place] of Object.entries(row))
      if (name !== '__proto__') members[name] = values[place]
      // A client can name a member so: to set it would do something else.
      else Object.defineProperty(members, name, { value: values[place], ...ordinary })
    return
  }
  const members = row.slice(1).map((place) => values[place as number])
  if (Array.isArray(value)) for (const member of members) value.push(member)
  else if (value instanceof Set) for (const member of members) value.add(member)
  else if (value instanceof Map)
    for (let at = 0; at < members.length; at += 2) value.set(members[at], members[at + 1])
}
