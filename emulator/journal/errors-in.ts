// What the body of a refusal says is wrong, in a few words each: the errors of nodes, else that of the whole.

import { membersOf, type Members, valueOf } from '../lib/loose.ts'

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? '' : (JSON.stringify(value) ?? '')

/** @param body the text of the body. A text that is not JSON is its own error, without the status that it repeats. */
export function errorsIn(body: string, status: number): readonly string[] {
  const value = valueOf(body)
  if (typeof value !== 'object' || value === null)
    return body.length === 0 ? [] : [body.replace(`${status}: `, '').slice(0, 200)]
  const { error, message, detail, node_errors } = value as Members
  const ofNodes = Object.entries(membersOf(node_errors)).flatMap(([id, node]) => {
    const { errors } = membersOf(node)
    const all: readonly unknown[] = Array.isArray(errors) ? errors : []
    return all.map((one) => `${errorText(membersOf(one))} (node ${id})`)
  })
  if (ofNodes.length > 0) return ofNodes
  const own = errorText(membersOf(error)) || text(message) || text(error) || text(detail)
  return own === '' ? [] : [own]
}

function errorText({ message, details, extra_info }: Members): string {
  const { input_name, received_value } = membersOf(extra_info)
  const given = text(received_value)
  // The details of a value list all that would have been allowed.
  const more = input_name && given !== '' ? `${text(input_name)} ${given}` : text(details)
  return [text(message).replace(/\.$/, ''), more.trim()].filter(Boolean).join(': ')
}
