// Reads objects that somebody has given, such as accounts, by their JSON Schema: completed with its defaults.

import { nearest } from '../lib/nearest.ts'
import { fits, isPlainObject, type Schema } from './json-schema.ts'

type Members = Readonly<Record<string, unknown>>

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
