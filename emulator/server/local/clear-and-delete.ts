// Reads the bodies that change the queue or the history: `clear` and `delete`.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { isTruthy } from '../../lib/python.ts'

/**
 * The body of a change of queue or history: whether to remove all, and which ids. Arrays and texts change nothing.
 * Undefined if the real server crashes on the body, such as a text that contains the name of a member.
 */
export function readChange(
  request: Request,
): { clear: boolean; ids: readonly string[] } | undefined {
  let body: Json
  try {
    body = readJson(bodyText(request))
  } catch {
    return undefined
  }
  if (Array.isArray(body) || typeof body === 'string') {
    const trips = body.includes('clear') || body.includes('delete')
    return trips ? undefined : { clear: false, ids: [] }
  }
  if (!isObject(body)) return undefined
  const clear = isTruthy(body.get('clear'))
  const ids = body.get('delete')
  if (ids === undefined) return { clear, ids: [] }
  if (Array.isArray(ids))
    return { clear, ids: ids.filter((id): id is string => typeof id === 'string') }
  if (isObject(ids)) return { clear, ids: [...ids.keys()] }
  // Python iterates a text by characters; other values cannot be iterated.
  return typeof ids === 'string' ? { clear, ids: Array.from(ids) } : undefined
}
