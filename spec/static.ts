// Derives the type of a schema's values, of which nothing remains at run time. It reads the keywords that decide a type
// (const, enum, anyOf, oneOf, type, items, properties, required, additionalProperties) and ignores all others.

/** The values of each type that a schema can name, where its other keywords do not say more. */
type Named = {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
  readonly array: unknown[]
  readonly object: object
}

type Members<P, Required> = {
  [Name in keyof P as Name extends Required ? Name : never]: Static<P[Name]>
} & { [Name in keyof P as Name extends Required ? never : Name]?: Static<P[Name]> }

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never

// One object type instead of an intersection, so that editors and errors show its members.
type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Members<P, RequiredOf<S>> extends infer All
    ? { -readonly [Name in keyof All]: All[Name] }
    : never
  : S extends { readonly additionalProperties: infer Value extends object }
    ? Record<string, Static<Value>>
    : object

type ArrayOf<S> = S extends { readonly items: infer Item } ? Static<Item>[] : unknown[]

type TypeOf<S, Name> = Name extends 'object'
  ? ObjectOf<S>
  : Name extends 'array'
    ? ArrayOf<S>
    : Name extends keyof Named
      ? Named[Name]
      : unknown

/** The type of the values that a schema allows. */
export type Static<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends
          | { readonly anyOf: readonly (infer One)[] }
          | { readonly oneOf: readonly (infer One)[] }
      ? Static<One>
      : S extends { readonly type: readonly (infer Name)[] }
        ? TypeOf<S, Name>
        : S extends { readonly type: infer Name }
          ? TypeOf<S, Name>
          : unknown
