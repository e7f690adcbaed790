// The members of values that a schema describes, and the ways in which each can be wrong.

import type { Schema } from '../../../spec/language.ts'
import { mapped, without } from '../tamper.ts'

/** The way to a member of a value: names, and `*` for each item of a list or member of a record. */
type Way = readonly string[]

/** A value that is wrong in one member, wherever that occurs in it. */
export type WrongMember = {
  /** The member and what is wrong with it, such as `devices.name-is-missing`. */
  readonly name: string
  readonly change: (value: unknown) => unknown
}

/** What is wrong with a member, and how its owner looks then. */
type Fault = readonly [says: string, change: (owner: any, name: string) => unknown]

/** The keywords of a schema that matter here. */
type Described = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly volatile?: true
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
}

/** A value in which the member at the end of a way is changed, wherever the way leads. */
function changedAt(value: any, [step = '', ...rest]: Way, change: Fault[1]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const next = (one: unknown): unknown => changedAt(one, rest, change)
  if (step === '*') return Array.isArray(value) ? value.map(next) : mapped(value, next)
  if (!(step in value)) return value
  return rest.length === 0 ? change(value, step) : { ...value, [step]: next(value[step]) }
}

const setTo = (says: string, change: (value: any) => unknown): Fault => [
  says,
  (owner, name) => ({ ...owner, [name]: change(owner[name]) }),
]

const typesOf = ({ type = [] }: Described): readonly string[] => [type].flat()

/** Values of the type that a schema names, but others than the right one. Nobody knows the right value of a volatile one. */
function otherValues(schema: Described): readonly Fault[] {
  const { enum: words, volatile } = schema
  if (words !== undefined) {
    const next = (value: unknown): unknown => words[(words.indexOf(value) + 1) % words.length]
    const unknown = setTo('is-unknown', () => 'unknown')
    return words.length === 1 ? [unknown] : [setTo('is-another', next), unknown]
  }
  if (volatile) return []
  const faults: Readonly<Record<string, Fault>> = {
    boolean: setTo('is-the-opposite', (value) => value !== true),
    array: setTo('is-empty', () => []),
    object: setTo('is-empty', () => ({})),
    integer: setTo('is-one-more', (value) => Number(value) + 1),
    number: setTo('is-one-more', (value) => Number(value) + 1),
    string: setTo('is-another', (value) => `${value}-`),
  }
  const [fault] = typesOf(schema).flatMap((type) => (faults[type] ? [faults[type]] : []))
  return fault === undefined ? [] : [fault]
}

/** A value that fits no schema of these types. */
function otherType(schema: Described): readonly Fault[] {
  const types = typesOf(schema)
  const value = types.includes('string') ? 7.5 : 'text'
  return types.length === 0 ? [] : [setTo('has-another-type', () => value)]
}

const missing: Fault = ['is-missing', (owner, name) => without(owner, name)]

/** What can be wrong with the member at the end of a way. */
function wrongMember(schema: Schema, way: Way): readonly WrongMember[] {
  const said = way.filter((step) => step !== '*').join('.')
  return [missing, ...otherType(schema), ...otherValues(schema)].map(([says, change]) => ({
    name: `${said}-${says}`,
    change: (value: unknown) => changedAt(value, way, change),
  }))
}

/** What can be wrong with the members that each value of a schema has. Those that it can lack are left out. */
export function wrongMembers(schema: Schema, way: Way = []): readonly WrongMember[] {
  const { properties = {}, required = [], items, additionalProperties }: Described = schema
  const own = Object.entries(properties)
    .filter(([name]) => required.includes(name))
    .flatMap(([name, one]) => {
      const to = way.concat(name)
      return wrongMember(one, to).concat(wrongMembers(one, to))
    })
  const each = items ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
  return Object.keys(each).length === 0 ? own : [...own, ...wrongMembers(each, [...way, '*'])]
}

/** What can be wrong with a list or a record as a whole. */
export function wrongWholes({ type, properties }: Described): readonly WrongMember[] {
  if (type === 'array')
    return [
      { name: 'is-empty', change: () => [] },
      { name: 'lacks-its-first', change: (value) => (value as readonly unknown[]).slice(1) },
    ]
  if (type !== 'object' || properties !== undefined) return []
  return [
    { name: 'is-empty', change: () => ({}) },
    {
      name: 'lacks-its-first',
      change: (value: any) => without(value, Object.keys(value)[0] ?? ''),
    },
  ]
}
