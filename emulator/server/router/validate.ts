// Checks the input of a model against its schema [router-runs/fields]: an entry for each field, in the form of FastAPI.

import { isMatch } from '../../lib/match.ts'

/** The part of JSON Schema that is checked; what else a schema has says something to its readers alone. */
type Schema = {
  readonly type?: unknown
  readonly enum?: unknown
  readonly const?: unknown
  readonly anyOf?: unknown
  readonly properties?: unknown
  readonly required?: unknown
  readonly items?: unknown
  readonly minItems?: unknown
  readonly maxItems?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly minLength?: unknown
  readonly maxLength?: unknown
  readonly additionalProperties?: unknown
}

type Loc = readonly (string | number)[]

/** What is wrong with one field. */
export type FieldError = {
  readonly loc: Loc
  readonly msg: string
  readonly type: string
  readonly ctx?: object
  readonly input?: unknown
}

/** The most entries of a refusal: a list of a thousand wrong items needs no thousand. */
const MOST = 100

/** What is wrong with an input; `isStrict` rejects what the schema does not declare at the top. */
export function fieldErrors(schema: unknown, input: unknown, isStrict: boolean): FieldError[] {
  const found: FieldError[] = []
  check(schemaOf(schema), input, ['body'], found)
  if (isStrict && isRecord(input)) {
    const { properties, additionalProperties } = schemaOf(schema)
    const declared = isRecord(properties) ? properties : undefined
    const isOpen = additionalProperties === true || isRecord(additionalProperties)
    for (const name of declared === undefined || isOpen ? [] : Object.keys(input))
      if (!Object.hasOwn(declared ?? {}, name))
        found.push({
          loc: ['body', name],
          msg: 'Extra inputs are not permitted',
          type: 'extra_forbidden',
        })
  }
  return found.slice(0, MOST)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schemaOf = (value: unknown): Schema => (isRecord(value) ? value : {})

type Type = readonly [type: string, msg: string, fits: (value: unknown) => boolean]

/** What each type takes, with the words of its error. */
const types: Readonly<Record<string, Type>> = {
  string: ['string_type', 'Input should be a valid string', (one) => typeof one === 'string'],
  integer: ['int_type', 'Input should be a valid integer', Number.isInteger],
  number: ['float_type', 'Input should be a valid number', (one) => typeof one === 'number'],
  boolean: ['bool_type', 'Input should be a valid boolean', (one) => typeof one === 'boolean'],
  array: ['list_type', 'Input should be a valid list', Array.isArray],
  object: ['dict_type', 'Input should be a valid dictionary', isRecord],
  null: ['none_required', 'Input should be None', (one) => one === null],
}

function check(schema: Schema, value: unknown, loc: Loc, found: FieldError[]): void {
  if (found.length >= MOST) return
  const wrong = wrongType(schema, value) ?? wrongValue(schema, value)
  if (wrong !== undefined) return void found.push(Object.assign({ loc }, wrong, short(value)))
  if (Array.isArray(value)) {
    const items = schemaOf(schema.items)
    value.forEach((item, at) => check(items, item, [...loc, at], found))
  } else if (isRecord(value)) checkMembers(schema, value, loc, found)
}

/** A rejected value, unless it is long. */
const short = (value: unknown): { readonly input?: unknown } =>
  typeof value === 'object' && value !== null
    ? {}
    : typeof value === 'string' && value.length > 200
      ? {}
      : { input: value }

function checkMembers(
  { properties, required }: Schema,
  value: Readonly<Record<string, unknown>>,
  loc: Loc,
  found: FieldError[],
): void {
  for (const name of Array.isArray(required) ? (required as readonly string[]) : [])
    if (!Object.hasOwn(value, name))
      found.push({ loc: [...loc, name], msg: 'Field required', type: 'missing' })
  for (const [name, member] of isRecord(properties) ? Object.entries(properties) : [])
    if (Object.hasOwn(value, name)) check(schemaOf(member), value[name], [...loc, name], found)
}

type Wrong = Omit<FieldError, 'loc' | 'input'>

function wrongType({ type, anyOf }: Schema, value: unknown): Wrong | undefined {
  if (Array.isArray(anyOf)) {
    const fits = anyOf.some((one) => {
      const found: FieldError[] = []
      check(schemaOf(one), value, [], found)
      return found.length === 0
    })
    if (!fits) return { msg: 'Input should match one of the schemas', type: 'union_type' }
  }
  const names = (Array.isArray(type) ? type : [type]) as readonly unknown[]
  const named = names.map((one) => types[String(one)]).filter((one) => one !== undefined)
  const [first] = named
  if (first === undefined || named.some(([, , fits]) => fits(value))) return undefined
  return { msg: first[1], type: first[0] }
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function wrongValue(schema: Schema, value: unknown): Wrong | undefined {
  const { enum: words, minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const allowed = Array.isArray(words) ? words : 'const' in schema ? [schema.const] : undefined
  if (allowed !== undefined && !allowed.some((one) => isMatch(value, one) && isMatch(one, value))) {
    const expected = allowed
      .map((one) => (typeof one === 'string' ? `'${one}'` : String(one)))
      .join(' or ')
    return { msg: `Input should be ${expected}`, type: 'literal_error', ctx: { expected } }
  }
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum)
      return bound('greater_than_equal', 'greater', 'ge', minimum)
    if (typeof maximum === 'number' && value > maximum)
      return bound('less_than_equal', 'less', 'le', maximum)
  }
  if (typeof value === 'string')
    return wrongLength(
      'string_',
      'String should have',
      'character',
      value.length,
      minLength,
      maxLength,
    )
  if (Array.isArray(value))
    return wrongLength('', 'List should have', 'item', value.length, minItems, maxItems)
  return undefined
}

const bound = (type: string, word: string, name: string, limit: number): Wrong => ({
  msg: `Input should be ${word} than or equal to ${limit}`,
  type,
  ctx: { [name]: limit },
})

function wrongLength(
  kind: string,
  says: string,
  noun: string,
  length: number,
  least: unknown,
  most: unknown,
): Wrong | undefined {
  if (typeof least === 'number' && length < least)
    return {
      msg: `${says} at least ${plural(least, noun)}`,
      type: `${kind}too_short`,
      ctx: { min_length: least },
    }
  if (typeof most === 'number' && length > most)
    return {
      msg: `${says} at most ${plural(most, noun)}`,
      type: `${kind}too_long`,
      ctx: { max_length: most },
    }
  return undefined
}
