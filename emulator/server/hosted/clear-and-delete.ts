// Reads the bodies that change the queue or the history on hosted: only `clear` and `delete` are allowed.

import { isObject, type Json } from '../../lib/json.ts'
import { badRequest, type Reply } from '../../http/replies.ts'
import { bodyJson, type Request } from '../../http/requests.ts'

/** The body of a change of queue or history on hosted; undefined if it is malformed. */
export function readChange(
  request: Request,
): { readonly clear: boolean; readonly ids: readonly string[] } | undefined {
  const body = readClosed(request, ['clear', 'delete'])
  const clear = body?.get('clear') ?? false
  const ids = body?.get('delete') ?? []
  if (body === undefined || typeof clear !== 'boolean' || !isTexts(ids)) return undefined
  return { clear, ids }
}

/** The refusal of such a body. */
export const badChange: Reply = badRequest('The body has clear, delete or both, and no other key.')

/** The JSON object in a body with no other keys than these; undefined if the body is anything else. */
export function readClosed(
  request: Request,
  keys: readonly string[],
): ReadonlyMap<string, Json> | undefined {
  const body = bodyJson(request)
  return isObject(body) && [...body.keys()].every((key) => keys.includes(key)) ? body : undefined
}

/** Whether a value is a list of texts. */
export const isTexts = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
