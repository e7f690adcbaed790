// What the body of a refusal says is wrong, in a few words each: the errors of nodes, else that of the whole.

import { objectOf, type Value, valueOf } from '../lib/loose.ts'

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? '' : (JSON.stringify(value) ?? '')

/** @param body the text of the body. A text that is not JSON is its own error, without the status that it repeats. */
export function errorsIn(body: string, status: number): readonly string[] {
  const value = valueOf(body)
  if (typeof value !== 'object' || value === null)
    return body.length === 0 ? [] : [body.replace(`${status}: `, '').slice(0, 200)]
  const { error, message, detail, node_errors } = value as Value
  const ofNodes = Object.entries(objectOf(node_errors)).flatMap(([id, node]) => {
    const { errors } = objectOf(node)
    const all: readonly unknown[] = Array.isArray(errors) ? errors : []
    return all.map((one) => `${errorText(objectOf(one))} (node ${id})`)
  })
  if (ofNodes.length > 0) return ofNodes
  const own = errorText(objectOf(error)) || text(message) || text(error) || text(detail)
  return own === '' ? [] : [own]
}

function errorText({ message, details, extra_info }: Value): string {
  const { input_name, received_value } = objectOf(extra_info)
  const given = text(received_value)
  // The details of a value list all that would have been allowed.
  const more = input_name && given !== '' ? `${text(input_name)} ${given}` : text(details)
  return [text(message).replace(/\.$/, ''), more.trim()].filter(Boolean).join(': ')
}
