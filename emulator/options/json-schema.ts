// Checks option values against their JSON Schemas, so that the schema is the one definition of a valid value. No library:
// the smallest one is thirty times as large as the keywords that options use, and its messages are not written for people.

import { nearest } from '../lib/nearest.ts'

/** The part of JSON Schema that the options use. */
export type Schema = {
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  /** These two do not check anything. */
  readonly default?: unknown
  readonly description?: string
}

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'
type Members = Readonly<Record<string, unknown>>

const keywords: ReadonlySet<string> = new Set<keyof Schema>([
  'type',
  'enum',
  'const',
  'anyOf',
  'pattern',
  'minLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'minItems',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'default',
  'description',
])

/**
 * Whether a value matches a schema. Keywords for other types than that of the value are ignored.
 * Throws for an unknown keyword, which would silently check nothing.
 */
export function fits(schema: Schema, value: unknown): boolean {
  const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword))
  if (unknown !== undefined) throw new TypeError(`Unsupported JSON Schema keyword: ${unknown}.`)
  const { type, enum: words, anyOf } = schema
  if (words !== undefined && !words.includes(value)) return false
  if ('const' in schema && schema.const !== value) return false
  if (anyOf !== undefined && !anyOf.some((one) => fits(one, value))) return false
  if (type !== undefined && ![type].flat().some((one) => isOf(one, value))) return false
  if (typeof value === 'string') return fitsText(schema, value)
  if (typeof value === 'number') return fitsNumber(schema, value)
  if (Array.isArray(value)) return fitsList(schema, value)
  return !isPlainObject(value) || fitsObject(schema, value)
}

const fitsText = ({ pattern, minLength = 0 }: Schema, value: string): boolean =>
  value.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))

const fitsNumber = (
  { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity }: Schema,
  value: number,
): boolean => value >= minimum && value > exclusiveMinimum && value <= maximum

const fitsList = ({ items, minItems = 0 }: Schema, value: readonly unknown[]): boolean =>
  value.length >= minItems && (items === undefined || value.every((item) => fits(items, item)))

function fitsObject(
  { properties = {}, required = [], additionalProperties = true }: Schema,
  value: Members,
): boolean {
  if (required.some((name) => value[name] === undefined)) return false
  return Object.entries(value).every(([name, member]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    return schema === undefined ? additionalProperties : fits(schema, member)
  })
}

function isOf(type: TypeName, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    case 'string':
    case 'boolean':
      return typeof value === type
  }
}

export const isPlainObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Describes the required value, if the schema alone is clear enough: enumerations, numbers and ranges. */
export function requirement(schema: Schema): string | undefined {
  const { type, enum: words, minimum, exclusiveMinimum, maximum } = schema
  if (words !== undefined) return `one of ${words.map(String).join(', ')}`
  const types: ReadonlySet<unknown> = new Set([type].flat())
  const noun = types.has('integer') ? 'a whole number' : 'a number'
  if (types.has('boolean')) return 'true or false'
  if (types.has('string') || !(types.has('integer') || types.has('number'))) return
  if (minimum !== undefined && maximum !== undefined) return `${noun} from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `${noun}, ${minimum} or more`
  if (exclusiveMinimum === undefined) return noun
  return `${noun} above ${exclusiveMinimum}${maximum === undefined ? '' : ` and up to ${maximum}`}`
}

/** Describes the required value of a member, as the end of a sentence; empty if the schema does not say. */
function needed({ enum: words, description }: Schema): string {
  if (words !== undefined) return `, only ${words.map(String).join(', ')}`
  return description === undefined ? '' : ` (${description})`
}

/**
 * The objects in a list, completed with the defaults of their schema, or a message that says which object is wrong and
 * where. Messages never repeat values: some of them are keys.
 * @param noun the name of one object.
 */
export function readObjects(
  { items = {}, minItems = 0 }: Schema,
  value: unknown,
  noun: string,
): readonly Members[] | string {
  if (!Array.isArray(value)) return `use a list of ${noun}s`
  if (value.length < minItems) return `use a list of at least one ${noun}`
  const read: Members[] = []
  for (const [index, given] of value.entries()) {
    const one = readObject(items, given)
    if (typeof one === 'string') return `${noun} ${index + 1} ${one}`
    read.push(one)
  }
  return read
}

/** An object completed with the defaults of its schema, or the end of a sentence that says what is wrong. */
export function readObject(schema: Schema, given: unknown): Members | string {
  if (!isPlainObject(given)) return 'is not an object'
  const { properties = {}, required = [] } = schema
  const defaults = Object.entries(properties).flatMap(([name, member]) =>
    'default' in member ? [[name, member.default] as const] : [],
  )
  const own = Object.entries(given).filter(([, member]) => member !== undefined)
  for (const [name, member] of own) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) {
      const names = Object.keys(properties)
      const meant = nearest(name, names)
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`
      return `has a member other than ${names.join(', ')}${hint}`
    }
    if (!fits(known, member)) return `cannot have that ${name}${needed(known)}`
  }
  const missing = required.find((name) => given[name] === undefined)
  if (missing !== undefined) return `lacks ${missing}`
  return Object.fromEntries([...defaults, ...own])
}
