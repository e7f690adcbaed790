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
export function fits(schema: Schema, value: unknown): boolean {
  requireKnownKeywords(schema)
  const chosen = chosenBranch(schema, value)
  if (chosen !== undefined) return fits(chosen, value)
  if (ArrayBuffer.isView(value) || !isAllowed(schema, value)) return false
  if (Array.isArray(value)) return hasRightItems(schema, value)
  return !isPlainObject(value) || hasRightMembers(schema, value)
}

const hasRightItems = ({ items }: Schema, value: readonly unknown[]): boolean =>
  items === undefined || value.every((item) => fits(items, item))

function hasRightMembers(schema: Schema, value: Members): boolean {
  const { properties = {}, required = [], additionalProperties: others = true } = schema
  for (const name of required) if (value[name] === undefined) return false
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    const own = Object.hasOwn(properties, name) ? properties[name] : others
    if (own === false || (typeof own === 'object' && !fits(own, member))) return false
  }
  return true
}

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
  requireKnownKeywords(schema)
  const chosen = chosenBranch(schema, value)
  if (chosen !== undefined) yield* violationsOf(chosen, value, path)
  else if (ArrayBuffer.isView(value)) yield { path, problem: bytesProblem(schema) }
  else if (!isAllowed(schema, value)) yield { path, problem: needOf(schema, value) }
  else if (Array.isArray(value)) yield* wrongItems(schema, value, path)
  else if (isPlainObject(value)) yield* wrongMembers(schema, value, path)
}

function requireKnownKeywords(schema: Schema): void {
  for (const keyword in schema)
    if (!keywords.has(keyword)) throw new TypeError(`Unsupported JSON Schema keyword: ${keyword}.`)
}

/** Of several schemas for a list or an object, the only one of that type: what is wrong inside it says more. */
function chosenBranch(schema: Schema, value: unknown): Schema | undefined {
  if (schema.anyOf === undefined) return undefined
  const { anyOf, default: _, description: __, ...checks } = schema
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
  const isOfType = typeof type === 'string' ? isOf(type, value) : hasOneOf(type, value)
  if (!isOfType) return false
  if (typeof value === 'string') return fitsText(schema, value)
  if (typeof value === 'number') return fitsNumber(schema, value)
  return !Array.isArray(value) || value.length >= minItems
}

const hasOneOf = (types: readonly TypeName[] | undefined, value: unknown): boolean =>
  types === undefined || types.some((one) => isOf(one, value))

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
  // Most of the many items of a file are right: a look at each is quick, the search for what is wrong is not.
  for (const [index, item] of value.entries())
    if (!fits(items, item)) yield* violationsOf(items, item, [...path, index])
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
