// Submits a workflow, and reads the server's response.

import { fieldsOf } from './json.ts'
import type { Fields } from './json.ts'
import { refused, refusedByHosted } from './refusals.ts'
import { addressOf, jsonOf, sendPatiently, readBody, unexpected } from './server.ts'
import type { Server } from './server.ts'

/**
 * An accepted run. `nodeErrors` is not empty if a part of the workflow is invalid and will not
 * run.
 */
export type Submission = { readonly promptId: string; readonly nodeErrors: Fields }

/**
 * Submits a body. Throws a `refused` failure with readable node errors, `protocol`, or
 * `unreachable`.
 */
export async function submit(
  server: Server,
  body: string,
  signal: AbortSignal,
): Promise<Submission> {
  const response = await sendPatiently(server, addressOf(server, '/prompt'), {
    method: 'POST',
    headers: { ...server.headers, 'content-type': 'application/json' },
    body,
    signal,
  })
  const text = await readBody(response, signal)
  const refusal = refusedByHosted(server, 'the workflow', response.status, text)
  if (refusal !== undefined) throw refusal
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
  throw refused('the workflow', answer['error'], nodeErrors)
}
