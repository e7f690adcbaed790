// Reads recorded JSON, which can be cut off or anything else.

import { isObject, type JsonDocument, type JsonObject, readDocument } from '../../lib/json.ts'

/** The JSON document in a text; undefined if it is not valid JSON. */
export function documentIn(text: string): JsonDocument | undefined {
  try {
    return readDocument(text)
  } catch {
    return undefined
  }
}

/** The JSON object in a text; undefined for everything else. */
export function objectIn(text: string): JsonObject | undefined {
  const value = documentIn(text)?.value
  return isObject(value) ? value : undefined
}
