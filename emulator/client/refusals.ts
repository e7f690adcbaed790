// Turns rejections by a server into failures with readable messages.

import { failure } from './failure.ts'
import { parseLenient } from '../lib/json-text.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import type { Server } from './server.ts'

/** The account lacks permission or balance, or has too many runs waiting. */
const accountRefusals = new Set([402, 403, 429])

/**
 * The failure for a hosted response that rejects `what` was sent: by `{code, message}`, by `{error}`
 * without node errors, or by a text. Undefined for other
 * responses.
 */
export function refusedByHosted(
  { deployment }: Server,
  what: string,
  status: number,
  text: string,
): Error | undefined {
  if (deployment !== 'hosted') return undefined
  const answer = fieldsOf(lenient(text))
  const isOfAccount = accountRefusals.has(status)
  if (!isOfAccount && (status !== 400 || typeof answer?.['message'] !== 'string')) return undefined
  const said = text.trim().slice(0, 300)
  return refused(what, answer?.['error'] ?? answer ?? `HTTP ${status}${said && `: ${said}`}`)
}

function lenient(text: string): unknown {
  try {
    return parseLenient(text)
  } catch {
    return undefined
  }
}

/**
 * The failure for something rejected, such as "the workflow": one line for the whole,
 * then one for each node error.
 */
export function refused(what: string, error: unknown, nodeErrors: Fields = {}): Error {
  const { type, code, message, details } = fieldsOf(error) ?? {}
  const lines = nodeErrorLines(nodeErrors)
  const whole = [typeof error === 'string' ? error : message, lines.length > 0 ? '' : details]
  const headline = whole.filter((part) => typeof part === 'string' && part !== '').join(': ')
  const sentence = `The server refused ${what}${headline === '' ? '' : `: ${headline}`}`
  return failure('refused', [sentence, ...lines].join('\n'), {
    type: [type, code].find((word) => typeof word === 'string') ?? 'refused',
    node_errors: nodeErrors,
  })
}

/**
 * `node 3 (KSampler): Value not in list: sampler_name: ...`, one line for each error of each node.
 */
export function nodeErrorLines(nodeErrors: Fields): string[] {
  return Object.entries(nodeErrors).flatMap(([node, value]) => {
    const { errors, class_type: classType } = fieldsOf(value) ?? {}
    const name = typeof classType === 'string' ? `node ${node} (${classType})` : `node ${node}`
    const list = Array.isArray(errors) && errors.length > 0 ? (errors as unknown[]) : [value]
    return list.map((item) => `  ${name}: ${describe(item)}`)
  })
}

function describe(item: unknown): string {
  const { message, details } = fieldsOf(item) ?? {}
  const parts = [message, details].filter((part) => typeof part === 'string' && part !== '')
  return parts.length > 0
    ? parts.join(': ').replace('.: ', ': ')
    : (JSON.stringify(item) ?? 'invalid')
}
