// Makes JSON Schemas in a short notation: what they return is plain data, whose types say what the schema says. A bundle
// leaves out the calls whose results it does not use (see rolldown.config.ts).

import type { Schema } from './language.ts'

export const any = {} as const
export const text = { type: 'string' } as const
/** A text that is not empty. */
export const name = { type: 'string', minLength: 1 } as const
export const boolean = { type: 'boolean' } as const
export const number = { type: 'number' } as const
export const integer = { type: 'integer' } as const
export const count = { type: 'integer', minimum: 0 } as const
/** A place counted from 1, or how many of something that exists. */
export const positive = { type: 'integer', minimum: 1 } as const
export const nothing = { type: 'null' } as const
/** An object of any members. */
export const anyObject = { type: 'object' } as const
export const textOrNull = { type: ['string', 'null'] } as const

type Optional<S> = { readonly optional: S }
type Members = Readonly<Record<string, Schema | Optional<Schema>>>
type Properties<M> = { readonly [K in keyof M]: M[K] extends Optional<infer S> ? S : M[K] }
type RequiredOf<M> = { [K in keyof M]: M[K] extends Optional<Schema> ? never : K }[keyof M]

/** A member that an object can lack. */
export const optional = <const S extends Schema>(schema: S): Optional<S> => ({ optional: schema })

const propertiesOf = <M extends Members>(members: M): Properties<M> =>
  Object.fromEntries(
    Object.entries(members).map(([key, one]) => [key, 'optional' in one ? one['optional'] : one]),
  ) as Properties<M>

const requiredOf = <M extends Members>(members: M): readonly RequiredOf<M>[] =>
  Object.keys(members).filter(
    (key) => !('optional' in members[key]!),
  ) as unknown[] as RequiredOf<M>[]

/** An object with these members, and possibly others. */
export const object = <const M extends Members>(members: M) =>
  ({ type: 'object', properties: propertiesOf(members), required: requiredOf(members) }) as const

/** An object with these members alone. */
export const closed = <const M extends Members>(members: M) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: requiredOf(members),
    properties: propertiesOf(members),
  }) as const

/** An object that can lack each of these members, and have others. */
export const partial = <const P extends Readonly<Record<string, Schema>>>(properties: P) =>
  ({ type: 'object', properties }) as const

/** An object that can lack each of these members, and has no others. */
export const options = <const P extends Readonly<Record<string, Schema>>>(properties: P) =>
  ({ type: 'object', additionalProperties: false, properties }) as const

/** An object with any keys. */
export const record = <const S extends Schema>(additionalProperties: S) =>
  ({ type: 'object', additionalProperties }) as const

export const list = <const S extends Schema>(items: S) => ({ type: 'array', items }) as const

/** One of these values. */
export const oneOf = <const Values extends readonly unknown[]>(...values: Values) =>
  ({ enum: values }) as const

/** What fits one of these schemas. */
export const anyOf = <const All extends readonly Schema[]>(...schemas: All) =>
  ({ anyOf: schemas }) as const

/** A value of the type of a schema, or null. */
export const nullable = <const S extends Schema>(schema: S) =>
  ({ ...schema, type: [schema['type'] as S['type'], 'null'] }) as const

/** A value that differs from one session to the next, although nothing else does. */
export const volatile = <const S extends Schema>(schema: S) =>
  ({ ...schema, volatile: true }) as const
