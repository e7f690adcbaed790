// Generates values that match a JSON Schema, for the keywords that the documents of the protocol use.

import * as fc from 'fast-check'

type Part = Readonly<Record<string, any>>

/** Values that fit the schema. Texts are often one of `words`; references are looked up in `document`. */
export function valuesOf(
  schema: Part,
  document: Part,
  words: readonly string[],
): fc.Arbitrary<any> {
  const of = (part: Part) => valuesOf(part, document, words)
  if (typeof schema['$ref'] === 'string') return of(resolve(schema['$ref'], document))
  if (Array.isArray(schema['examples'])) {
    const { examples, ...rest } = schema
    return fc.oneof(fc.constantFrom(...examples), of(rest))
  }
  if (schema['const'] !== undefined) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map(of))
  const types = [schema['type'] ?? []].flat() as (keyof typeof makers)[]
  if (types.length === 0) return fc.jsonValue()
  return fc.oneof(...types.map((type) => makers[type](schema, of, words)))
}

export const resolve = (ref: string, document: Part): Part =>
  ref
    .split('/')
    .slice(1)
    .reduce((part, key) => part[key], document)

type Maker = (
  schema: Part,
  of: (part: Part) => fc.Arbitrary<any>,
  words: readonly string[],
) => fc.Arbitrary<any>

/** One of the known texts, if there are any, more often than another. */
const oftenOf = (known: readonly string[], others: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  known.length === 0
    ? others
    : fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: others },
      )

const makers = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum, maximum }) => fc.integer({ min: minimum, max: maximum }),
  number: ({ minimum = -1e9 }) => fc.double({ min: minimum, max: 1e9, noNaN: true }),
  string: ({ minLength = 0, pattern }, _, words) => {
    const fits = (text: string) => text.length >= minLength
    if (pattern === undefined) {
      const texts = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(fits)
      return oftenOf(words.filter(fits), texts)
    }
    const matches = new RegExp(pattern)
    const known = words.filter((word) => fits(word) && matches.test(word))
    return oftenOf(known, fc.stringMatching(matches).filter(fits))
  },
  array: ({ items = {} }, of) => fc.array(of(items), { maxLength: 3 }),
  object: ({ properties = {}, required = [], additionalProperties }, of, words) => {
    const named = Object.fromEntries(
      Object.entries<Part>(properties).map(([key, part]) => [key, of(part)]),
    )
    const known = fc.record(named, { requiredKeys: required })
    if (typeof additionalProperties !== 'object') return known
    const others = fc.dictionary(fc.constantFrom(...words, '1', '2'), of(additionalProperties), {
      maxKeys: 3,
    })
    return fc.tuple(others, known).map(([more, own]) => Object.assign(more, own))
  },
} as const satisfies Readonly<Record<string, Maker>>
