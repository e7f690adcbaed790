// The body of a request as a reader of the journal sees it: decoded as far as it can be.

import { decodeUtf8 } from './bodies.ts'
import type { IncomingRequest } from '../machine.ts'
import { formFields } from '../http/multipart.ts'

/** JSON as its value, a form as its fields, other text as text, and bytes as their number; null without a body. */
export function receivedBody(request: Pick<IncomingRequest, 'headers' | 'body'>): unknown {
  if (request.body.length === 0) return null
  const fields = formFields(request)
  if (fields !== undefined) return { fields }
  const text = decodeUtf8(request.body)
  if (text === undefined) return { bytes: request.body.length }
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
