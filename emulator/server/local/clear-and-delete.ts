// Reads the bodies that change the queue or the history: `clear` and `delete`.

import { isObject, type Json, readJson } from '../../lib/json.ts'
import { bodyText, type Request } from '../../http/requests.ts'
import { isTruthy } from '../../lib/python.ts'

/** What to remove: all, and these ids. */
export type Change = {
  readonly clear: boolean
  readonly ids: readonly string[]
  /** How many ids come before the first array or object, which has no hash in Python. */
  readonly unhashableAt?: number
}

/**
 * The body of a change of queue or history: whether to remove all, and which ids. Arrays and texts change nothing.
 * Undefined if the real server crashes on the body, such as a text that contains the name of a member.
 */
export function readChange(request: Request): Change | undefined {
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
  if (Array.isArray(ids)) {
    const isText = (id: Json): id is string => typeof id === 'string'
    const bad = ids.findIndex((id) => Array.isArray(id) || isObject(id))
    const texts = { clear, ids: ids.filter(isText) }
    return bad < 0
      ? texts
      : Object.assign(texts, { unhashableAt: ids.slice(0, bad).filter(isText).length })
  }
  if (isObject(ids)) return { clear, ids: [...ids.keys()] }
  // Python iterates a text by characters; other values cannot be iterated.
  return typeof ids === 'string' ? { clear, ids: Array.from(ids) } : undefined
}
