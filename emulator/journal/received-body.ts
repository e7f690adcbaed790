// The body of a request as a reader of the journal sees it: decoded as far as it can be.

import { decodeUtf8 } from './bodies.ts'
import type { IncomingRequest } from '../machine.ts'
import { formFields } from '../http/multipart.ts'

/**
 * JSON as its value, a form as its fields, other text as text, and bytes as their number; null without a body. What is
 * JSON is read as JSON whatever its content type says, as servers do: curl calls any data a form.
 */
export function receivedBody(request: Pick<IncomingRequest, 'headers' | 'body'>): unknown {
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
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
