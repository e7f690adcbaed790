// Writes schemas for people: in the notation of types, short, with links to the ones that have a name.

import { areas, errors } from '../../spec/index.ts'
import type { ReplyBody, Schema } from '../../spec/language.ts'
import { code, link } from './markdown.ts'

type Names = ReadonlyMap<Schema, string>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
const isPlainName = (key: string) => /^[A-Za-z_]\w*$/.test(key)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function objectText(schema: Schema, textOf: (schema: Schema) => string): string {
  const required = list(schema['required'])
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : []
  const members = properties.map(([key, value]) => {
    const name = isPlainName(key) ? key : `'${key}'`
    return `${name}${required.includes(key) ? '' : '?'}: ${isSchema(value) ? textOf(value) : '?'}`
  })
  const others = schema['additionalProperties']
  if (isSchema(others)) members.push(`[key]: ${textOf(others)}`)
  return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`
}

function arrayText(schema: Schema, textOf: (schema: Schema) => string): string {
  const places = list(schema['prefixItems']).filter(isSchema)
  if (places.length > 0) return `[${places.map(textOf).join(', ')}]`
  if (!isSchema(schema['items'])) return 'array'
  const item = textOf(schema['items'])
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`
}

function typeText(type: unknown, schema: Schema, textOf: (schema: Schema) => string): string {
  if (type === 'object') return objectText(schema, textOf)
  if (type === 'array') return arrayText(schema, textOf)
  if (schema['contentMediaType'] === 'application/octet-stream') return 'file'
  return String(type)
}

/** The schema as a type; below the outermost level named schemas appear by name. */
export function shapeOf(schema: Schema, names: Names = new Map()): string {
  const inner = (part: Schema) => names.get(part) ?? shapeOf(part, names)
  if (Object.keys(schema).length === 0) return 'any'
  const options = 'const' in schema ? [schema['const']] : list(schema['enum'])
  if (options.length > 0) return options.map((option) => JSON.stringify(option)).join(' | ')
  const alternatives = list(schema['anyOf']).filter(isSchema)
  if (alternatives.length > 0) return [...new Set(alternatives.map(inner))].join(' | ')
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  return types.map((type) => typeText(type, schema, inner)).join(' | ')
}

/** A schema has a type; no other export of the spec has such a key. */
const isNamedSchema = (entry: [string, unknown]): entry is [string, Schema] => {
  const [, value] = entry
  return isSchema(value) && (typeof value['type'] === 'string' || Array.isArray(value['anyOf']))
}

/** The schemas that modules export, by name, in the order of the modules and of the names in them; shared ones once. */
export const schemasOf = (modules: Readonly<Record<string, object>>): [string, Schema][] => [
  ...new Map(
    Object.values(modules)
      .flatMap((module): [string, unknown][] => Object.entries(module))
      .filter(isNamedSchema),
  ),
]

/** All schemas that have a name. */
export const shapes = schemasOf({ ...areas, errors })
const shapeNames: Names = new Map(shapes.map(([name, schema]) => [schema, name]))

/** A row in the table of all shapes. */
export const shapeLine = (schema: Schema) => code(shapeOf(schema, shapeNames))

/** The schema as a link to its name, or written out. */
export function shapeCell(schema: Schema): string {
  const name = shapeNames.get(schema)
  return name === undefined ? shapeLine(schema) : link(name, `shape-${name}`)
}

/** What a reply carries, for a table. */
export function replyCell(body: ReplyBody | undefined): string {
  if (body === undefined) return '–'
  return typeof body === 'string' ? body : shapeCell(body)
}
