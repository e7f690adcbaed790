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

/** The text of a document's file, indented by one blank: two would be a fifth of the documents. */
export const documentText = (document: Part) => `${JSON.stringify(document, null, 1)}\n`
