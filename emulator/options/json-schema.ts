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
  readonly additionalProperties?: boolean | Schema
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

/** Where a value does not match its schema, and what it must be instead. Problems never repeat a value: some are keys. */
export type Violation = {
  /** The members and list positions that lead to the place. */
  readonly path: readonly (string | number)[]
  /** The end of a sentence that begins with the place. */
  readonly problem: string
  /** Whether the name of the member is wrong, not its value. */
  readonly isName?: true
}

/** Whether a value matches a schema. Throws for an unknown keyword, which would silently check nothing. */
export const fits = (schema: Schema, value: unknown): boolean =>
  violationsOf(schema, value, []).next().done === true

/** All places where a value does not match a schema, in the order in which they stand in it. */
export const violations = (schema: Schema, value: unknown): readonly Violation[] => [
  ...violationsOf(schema, value, []),
]

type Path = Violation['path']

/** A violation as a sentence without its full stop. */
export const violationText = ({ path, problem }: Violation, whole: string): string =>
  `${pathText(path, whole)} ${problem}`

/** A place as people write it, such as `faults[0].then`. `whole` stands for the value itself. */
export const pathText = (path: Path, whole: string): string =>
  path.length === 0
    ? whole
    : path
        .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
        .join('')

/** Ignores keywords for other types than that of the value. */
function* violationsOf(schema: Schema, value: unknown, path: Path): Generator<Violation> {
  const unknown = Object.keys(schema).find((keyword) => !keywords.has(keyword))
  if (unknown !== undefined) throw new TypeError(`Unsupported JSON Schema keyword: ${unknown}.`)
  const chosen = chosenBranch(schema, value)
  if (chosen !== undefined) yield* violationsOf(chosen, value, path)
  else if (ArrayBuffer.isView(value)) yield { path, problem: bytesProblem(schema) }
  else if (!isAllowed(schema, value)) yield { path, problem: needOf(schema, value) }
  else if (Array.isArray(value)) yield* wrongItems(schema, value, path)
  else if (isPlainObject(value)) yield* wrongMembers(schema, value, path)
}

/** Of several schemas for a list or an object, the only one of that type: what is wrong inside it says more. */
function chosenBranch(schema: Schema, value: unknown): Schema | undefined {
  const { anyOf = [], default: _, description: __, ...checks } = schema
  const type = Array.isArray(value) ? 'array' : isPlainObject(value) ? 'object' : undefined
  const [only, ...others] = anyOf.filter((one) => one.type === type)
  const isAll = Object.keys(checks).length === 0
  return type !== undefined && isAll && others.length === 0 ? only : undefined
}

/** A Buffer has its bytes as members: one sentence says more than one for each. */
const bytesProblem = ({ properties = {} }: Schema): string =>
  'base64' in properties
    ? "is a Buffer: write { base64: buffer.toString('base64') }"
    : 'is a Buffer, which has no place here'

/** Whether a value matches the keywords that concern it as a whole. */
function isAllowed(schema: Schema, value: unknown): boolean {
  const { type, enum: words, anyOf, minItems = 0 } = schema
  if (words !== undefined && !words.includes(value)) return false
  if ('const' in schema && schema.const !== value) return false
  if (anyOf !== undefined && !anyOf.some((one) => fits(one, value))) return false
  if (type !== undefined && ![type].flat().some((one) => isOf(one, value))) return false
  if (typeof value === 'string') return fitsText(schema, value)
  if (typeof value === 'number') return fitsNumber(schema, value)
  return !Array.isArray(value) || value.length >= minItems
}

const fitsText = ({ pattern, minLength = 0 }: Schema, value: string): boolean =>
  value.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))

const fitsNumber = (
  { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity }: Schema,
  value: number,
): boolean => value >= minimum && value > exclusiveMinimum && value <= maximum

function* wrongItems(
  { items }: Schema,
  value: readonly unknown[],
  path: Path,
): Generator<Violation> {
  if (items === undefined) return
  for (const [index, item] of value.entries()) yield* violationsOf(items, item, [...path, index])
}

function* wrongMembers(
  { properties = {}, required = [], additionalProperties = true }: Schema,
  value: Members,
  path: Path,
): Generator<Violation> {
  for (const name of required)
    if (value[name] === undefined) yield { path, problem: `lacks the member ${name}` }
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    const inner = [...path, name]
    if (schema !== undefined) yield* violationsOf(schema, member, inner)
    else if (typeof additionalProperties === 'object')
      yield* violationsOf(additionalProperties, member, inner)
    else if (!additionalProperties) {
      const problem = `is not a known member; ${hintOr(name, Object.keys(properties))}`
      yield { path: inner, problem, isName: true }
    }
  }
}

/** The nearest known name as a question, or all of them. */
function hintOr(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
}

/** What a value must be, as the end of a sentence. */
function needOf(schema: Schema, value: unknown): string {
  const { type, enum: words, description, minItems = 0 } = schema
  const meant =
    words !== undefined && typeof value === 'string' ? nearest(value, words.map(String)) : undefined
  if (meant !== undefined) return `must be one of ${wordsText(schema)}; did you mean ${meant}?`
  if (Array.isArray(value) && value.length < minItems)
    return `must have at least ${minItems === 1 ? 'one item' : `${minItems} items`}`
  const isOneKind = [type].flat().length === 1
  const need = (isOneKind ? requirement(schema) : undefined) ?? kindOf(schema)
  const about = description === undefined ? '' : ` (${description})`
  return need === undefined ? `is not valid here${about}` : `must be ${need}${about}`
}

/** The names of the types that a schema allows, and the texts that it allows. */
function kindOf(schema: Schema): string | undefined {
  const { type, const: only, minLength, pattern, anyOf } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (anyOf !== undefined) {
    const kinds = anyOf.flatMap((one) => requirement(one) ?? kindOf(one) ?? [])
    return kinds.length === anyOf.length ? kinds.join(' or ') : undefined
  }
  if (type === undefined) return undefined
  const text = pattern === undefined ? (minLength ? 'a non-empty text' : 'a text') : undefined
  const named = [type].flat().map((one) => {
    if (one === 'string') return text
    return requirement(Object.assign({}, schema, { type: one })) ?? typeNames[one]
  })
  return named.includes(undefined) ? undefined : named.join(' or ')
}

const typeNames: Readonly<Record<Exclude<TypeName, 'string'>, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
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

const wordsText = ({ enum: words = [] }: Schema): string => words.map(String).join(', ')

/** Describes the required value, if the schema alone is clear enough: enumerations, numbers and ranges. */
export function requirement(schema: Schema): string | undefined {
  const { type, enum: words, minimum, exclusiveMinimum, maximum } = schema
  if (words !== undefined) return `one of ${wordsText(schema)}`
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
