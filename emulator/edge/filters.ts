// Filters of what a machine has received and sent: rejects members and values that nothing can match.

import { expectation, frameFilter, messageFilter, requestFilter } from '../../spec/control.ts'
import { type Schema, violations, violationText } from '../options/json-schema.ts'
import { usageError } from '../options/usage.ts'
import { unusable } from './control.ts'

const filters = {
  requests: requestFilter,
  verify: expectation,
  messages: messageFilter,
  frames: frameFilter,
} as const satisfies Readonly<Record<string, Schema>>

/** Throws a usage error if the method does not take a filter. */
export function requireFilter(method: keyof typeof filters, filter: unknown): void {
  const problem = problemOf(filters[method], filter)
  if (problem !== undefined) throw usageError(`In the filter, ${problem}`)
}

/** A filter from query parameters, which must match these schemas. */
export function queryFilter(
  properties: Readonly<Record<string, Schema>>,
  query: Readonly<Record<string, string>>,
): object {
  const filter = Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, valueOf(properties[name], text)]),
  )
  const problem = problemOf({ type: 'object', additionalProperties: false, properties }, filter)
  if (problem !== undefined) throw unusable(`In the query, ${problem}`)
  return filter
}

const valueOf = (schema: Schema | undefined, text: string): unknown =>
  schema?.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text

function problemOf(schema: Schema, filter: unknown): string | undefined {
  const [wrong] = violations(schema, filter)
  if (wrong === undefined) return undefined
  const text = violationText(wrong, 'it')
  return text.endsWith('?') ? text : `${text}.`
}
