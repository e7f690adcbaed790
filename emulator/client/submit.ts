// Handing a workflow in, and reading what the server says to it.

import { failure } from './failure.ts'
import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { addressOf, jsonOf, send, textOf, unexpected } from './server.ts'
import type { Server } from './server.ts'

/**
 * An accepted run. `nodeErrors` is not empty where a part of the workflow is invalid and will not
 * run.
 */
export type Submitted = { readonly promptId: string; readonly nodeErrors: Fields }

/**
 * Submits a body. Throws a `refused` failure with readable node errors, `protocol`, or
 * `unreachable`.
 */
export async function submit(
  server: Server,
  body: string,
  signal: AbortSignal,
): Promise<Submitted> {
  const response = await send(addressOf(server, '/prompt'), {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body,
    signal,
  })
  const text = await textOf(response, signal)
  const isAnswer = response.status === 200 || response.status === 400
  if (!isAnswer) throw unexpected(server, 'POST /prompt', response.status, text)
  const answer = fieldsOf(jsonOf(server, 'POST /prompt', text)) ?? {}
  const nodeErrors = fieldsOf(answer['node_errors']) ?? {}
  const promptId = answer['prompt_id']
  if (response.status === 200 && typeof promptId === 'string' && promptId !== '') {
    return { promptId, nodeErrors }
  }
  if (answer['error'] === undefined && Object.keys(nodeErrors).length === 0) {
    throw unexpected(server, 'POST /prompt', response.status, text)
  }
  throw refused(answer['error'], nodeErrors)
}

/**
 * The failure of a workflow that was not accepted: one line for the whole, then one for each node
 * error.
 */
export function refused(error: unknown, nodeErrors: Fields): Error {
  const { type, message, details } = fieldsOf(error) ?? {}
  const lines = nodeErrorLines(nodeErrors)
  const whole = [typeof error === 'string' ? error : message, lines.length > 0 ? '' : details]
  const headline = whole.filter((part) => typeof part === 'string' && part !== '').join(': ')
  const sentence = `The server refused the workflow${headline === '' ? '' : `: ${headline}`}`
  return failure('refused', [sentence, ...lines].join('\n'), {
    type: typeof type === 'string' ? type : 'refused',
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
