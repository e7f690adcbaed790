// Finds the schemas that the files of the spec export by name.

import type { Schema } from '../../spec/language.ts'

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema has a type; no other export of the spec has such a key. */
const isSchema = (value: unknown): value is Schema =>
  isRecord(value) && (typeof value['type'] === 'string' || Array.isArray(value['anyOf']))

/** Name and schema, in the order of the files and of the names in them; shared ones once. */
export function schemasOf(modules: Readonly<Record<string, object>>): [string, Schema][] {
  const named = new Map<string, Schema>()
  for (const module of Object.values(modules)) {
    for (const [name, value] of Object.entries(module)) if (isSchema(value)) named.set(name, value)
  }
  return [...named]
}
