// Shared by the OpenAPI and the AsyncAPI documents: schemas by name, servers, and the format of a document.

import type { Schema } from '../../spec/language.ts'
import { gatewayAddress, profiles } from '../../spec/index.ts'
import { shapes } from './shapes.ts'

/** A part of a document: plain JSON. */
export type Part = { readonly [key: string]: unknown }

const names: ReadonlyMap<unknown, string> = new Map(shapes.map(([name, schema]) => [schema, name]))

/** A copy without the members that only our own tools understand, and with references to named schemas. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaPart)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([key, one]) => key !== 'volatile' || one !== true)
  return Object.fromEntries(members.map(([key, one]) => [key, schemaPart(one)]))
}

function schemaPart(value: unknown): unknown {
  const name = names.get(value)
  return name === undefined ? plain(value) : { $ref: `#/components/schemas/${name}` }
}

/** A schema in a document: a reference to its name, or written out. */
export const schemaIn = (schema: Schema): Part => schemaPart(schema) as Part

/** The schemas that a part of a document refers to, directly or through others, by name. */
export function schemasUsedBy(part: unknown): Part {
  const used = new Map<string, unknown>()
  const visit = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue
      const schema = plain(shapes.find(([one]) => one === name)?.[1])
      used.set(name, schema)
      visit(JSON.stringify(schema))
    }
  }
  visit(JSON.stringify(part))
  return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The variables in the address of each deployment, and of the gateway. */
export const addressVariables = {
  local: { host: { default: '127.0.0.1' }, port: { default: String(profiles.local.port) } },
  hosted: { host: { default: 'hosted.example' } },
  gateway: {
    host: { default: gatewayAddress.host },
    port: { default: String(gatewayAddress.port) },
  },
} as const

/** The text of a file, indented by one blank, with short values on one line: the package contains these files. */
export const documentText = (document: Part) => `${jsonText(document, '')}\n`

/** The width of a line up to which a value stays on one. */
const MAX_WIDTH = 160

/** A value as JSON: each member on its line, unless all of them fit on one. */
function jsonText(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= MAX_WIDTH)
    return line
  const inner = `${indent} `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const key = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `
      return `${inner}${key}${jsonText(member, inner)}`
    })
  return `${open}\n${members.join(',\n')}\n${indent}${close}`
}
