// What is wrong with the input of an asset path, in the form of the validation library of real servers: the same types,
// places and sentences.

import { isFloat, isObject, type Json, type JsonObject } from '../../../lib/json.ts'

/** One thing that is wrong, with its place and the value there. */
export type Issue = {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: Json
  readonly ctx?: Readonly<Record<string, Json>>
}

const MANUAL = 'https://errors.pydantic.dev/2.12/v/'

/** Issues as the list in a refusal. */
export const issueList = (issues: readonly Issue[]): Json =>
  issues.map(({ type, loc, msg, input, ctx }) => {
    const shown: JsonObject = new Map<string, Json>([
      ['type', type],
      ['loc', [...loc]],
      ['msg', msg],
      ['input', input],
    ])
    if (ctx !== undefined) shown.set('ctx', new Map(Object.entries(ctx)))
    return shown.set('url', MANUAL + type)
  })

type Loc = Issue['loc']

export const missing = (name: string, input: Json): Issue => ({
  type: 'missing',
  loc: [name],
  msg: 'Field required',
  input,
})

export const notAnInteger = (loc: Loc, input: Json): Issue => ({
  type: 'int_parsing',
  loc,
  msg: 'Input should be a valid integer, unable to parse string as an integer',
  input,
})

export const tooSmall = (loc: Loc, input: Json, least: number): Issue => ({
  type: 'greater_than_equal',
  loc,
  msg: `Input should be greater than or equal to ${least}`,
  input,
  ctx: { ge: least },
})

export const tooLarge = (loc: Loc, input: Json, most: number): Issue => ({
  type: 'less_than_equal',
  loc,
  msg: `Input should be less than or equal to ${most}`,
  input,
  ctx: { le: most },
})

export function notOneOf(loc: Loc, input: Json, names: readonly string[]): Issue {
  const quoted = names.map((name) => `'${name}'`)
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return {
    type: 'literal_error',
    loc,
    msg: `Input should be ${expected}`,
    input,
    ctx: { expected },
  }
}

export const tooShortText = (loc: Loc, input: Json, least: number): Issue => ({
  type: 'string_too_short',
  loc,
  msg: `String should have at least ${least} character`,
  input,
  ctx: { min_length: least },
})

export const tooLongText = (loc: Loc, input: Json, most: number): Issue => ({
  type: 'string_too_long',
  loc,
  msg: `String should have at most ${most} characters`,
  input,
  ctx: { max_length: most },
})

export const notAFlag = (loc: Loc, input: Json): Issue => ({
  type: 'bool_parsing',
  loc,
  msg: 'Input should be a valid boolean, unable to interpret input',
  input,
})

export const notAText = (loc: Loc, input: Json): Issue => ({
  type: 'string_type',
  loc,
  msg: 'Input should be a valid string',
  input,
})

export const notAnObject = (loc: Loc, input: Json): Issue => ({
  type: 'dict_type',
  loc,
  msg: 'Input should be a valid dictionary',
  input,
})

export const notAList = (loc: Loc, input: Json): Issue => ({
  type: 'list_type',
  loc,
  msg: 'Input should be a valid list',
  input,
})

export const emptyList = (loc: Loc, input: Json): Issue => ({
  type: 'too_short',
  loc,
  msg: 'List should have at least 1 item after validation, not 0',
  input,
  ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
})

/** A body that is not an object. */
export const notAModel = (model: string, input: Json): Issue => ({
  type: 'model_type',
  loc: [],
  msg: `Input should be a valid dictionary or instance of ${model}`,
  input,
  ctx: { class_name: model },
})

/** A value that the server's own check rejects. */
export const wrongValue = (loc: Loc, input: Json, reason: string): Issue => ({
  type: 'value_error',
  loc,
  msg: `Value error, ${reason}`,
  input,
  ctx: { error: reason },
})

/** The text of an optional member; null without one, undefined if it is not a text, which is an issue. */
export function optionalText(body: JsonObject, name: string, issues: Issue[]): string | null {
  const value = body.get(name) ?? null
  if (value === null || typeof value === 'string') return value
  issues.push(notAText([name], value))
  return null
}

/** The object of an optional member; null without one. Anything else is an issue. */
export function optionalObject(body: JsonObject, name: string, issues: Issue[]): JsonObject | null {
  const value = body.get(name) ?? null
  if (value === null || isObject(value)) return value
  issues.push(notAnObject([name], value))
  return null
}

/** Texts in a list of any values, as Python prints them; null for a value that is not a list. */
export const isList = (value: Json | undefined): value is Json[] =>
  Array.isArray(value) && !isFloat(value)
