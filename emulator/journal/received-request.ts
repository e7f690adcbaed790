// A request as a reader of the journal sees it: when it came, its query by name, and its body decoded as far as it can be.

import { readExact } from '../lib/exact-json.ts'
import { formFields } from '../http/multipart.ts'
import { splitTarget } from '../http/requests.ts'
import type { IncomingRequest } from '../machine.ts'
import { decodeUtf8, restoreInput } from './bodies.ts'
import type { Moment, ReceivedRequest } from './received.ts'
import type { RequestInput } from './request-log.ts'

/** The moment of an input in the journal. */
export const momentAt = (epochMs: number, entry: number, nowMs: number): Moment => ({
  entry,
  nowMs,
  timeMs: epochMs + nowMs,
})

/** What a request says, from its input without secrets. */
export function requestView(
  redactedInput: unknown,
): Pick<ReceivedRequest, 'method' | 'path' | 'query' | 'headers' | 'body'> {
  const request = restoreInput(redactedInput) as RequestInput
  const { target, headers } = request
  const [path, query] = splitTarget(target)
  const [method, body] =
    request.kind === 'open' ? ['GET', null] : [request.method, receivedBody(request)]
  return { method, path, query: queryOf(query), headers, body }
}

/** Parameters by name; of a repeated one the last value. */
const queryOf = (query: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(query))

/**
 * JSON as its value, a form as its fields, other text as text, and bytes as their number; null without a body. What is
 * JSON is read as JSON whatever its content type says, as servers do: curl calls any data a form.
 */
function receivedBody(request: Pick<IncomingRequest, 'headers' | 'body'>): unknown {
  if (request.body.length === 0) return null
  const text = decodeUtf8(request.body)
  const json = text === undefined ? undefined : parsed(text)
  if (json !== undefined) return json
  const fields = formFields(request)
  if (fields !== undefined) return { fields }
  return text ?? { bytes: request.body.length }
}

function parsed(text: string): unknown {
  try {
    return readExact(text)
  } catch {
    return undefined
  }
}
