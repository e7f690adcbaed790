// What of a value matches its schema: the rest can still be checked, so that an error does not hide others.

import { fits, isPlainObject, type Schema, type Violation } from './json-schema.ts'

type Path = Violation['path']

/** A part of a value, and the place in the whole of a place in the part. */
export type ValidPart = { readonly value: unknown; readonly placeOf: (path: Path) => Path }

/** The value without the members and items that do not match; undefined if nothing is left. */
export function validPart(schema: Schema, value: unknown): ValidPart | undefined {
  if (fits(schema, value)) return { value, placeOf: (path) => path }
  if (Array.isArray(value) && schema.type === 'array') return validItems(schema.items ?? {}, value)
  return isPlainObject(value) && schema.type === 'object' ? validMembers(schema, value) : undefined
}

function validItems(schema: Schema, items: readonly unknown[]): ValidPart {
  const kept = items.flatMap((item, index) => {
    const part = validPart(schema, item)
    return part === undefined ? [] : { index, part }
  })
  return {
    value: kept.map(({ part }) => part.value),
    placeOf: ([at, ...inner]) => {
      const found = kept[at as number]
      return found === undefined ? [] : [found.index, ...found.part.placeOf(inner)]
    },
  }
}

function validMembers(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
): ValidPart | undefined {
  const { properties = {}, required = [], additionalProperties: others = true } = schema
  const parts = new Map<string, ValidPart>()
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : others
    const schema = typeof own === 'object' ? own : {}
    const part = own === false ? undefined : validPart(schema, member)
    if (part !== undefined) parts.set(name, part)
  }
  if (!required.every((name) => parts.has(name))) return undefined
  return {
    value: Object.fromEntries(Array.from(parts, ([name, part]) => [name, part.value])),
    placeOf: ([name, ...inner]) =>
      name === undefined ? [] : [name, ...(parts.get(String(name))?.placeOf(inner) ?? inner)],
  }
}
