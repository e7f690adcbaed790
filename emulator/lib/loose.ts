// Reads JSON of others by its shape, and never fails.

/** JSON that others sent. */
// oxlint-disable-next-line typescript/no-explicit-any -- a cast at each member of it would check nothing.
export type ForeignJson = any

export type Members = Readonly<Record<string, unknown>>

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

/** The items of a list; none of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A text, or a number as text; empty for any other value. */
export const nameOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : ''

const QUOTE_OR_NUMBER = /\\.|"|-?\b(?:NaN|Infinity)\b/g

/**
 * Reads JSON as servers in Python write it, in which NaN and Infinity may stand, as null: what one client submits with them,
 * every listing repeats to all others. Throws SyntaxError for other texts that JSON does not allow.
 */
export function pythonJson(text: string): ForeignJson {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return JSON.parse(withNull(text)) as unknown
  }
}

/** A string can have millions of escapes, too many for an expression that matches it as a whole. */
function withNull(text: string): string {
  let isOutside = true
  return text.replace(QUOTE_OR_NUMBER, (found) => {
    if (found === '"') isOutside = !isOutside
    return isOutside && /[NI]/.test(found) ? 'null' : found
  })
}

const decoder = new TextDecoder()

/** The JSON value of a text or a body; undefined if it is none. */
export function jsonIn(text: string | Uint8Array): ForeignJson {
  try {
    return pythonJson(typeof text === 'string' ? text : decoder.decode(text))
  } catch {
    return undefined
  }
}

/** The members of a JSON object in a text or a body; none of anything else. */
export const membersIn = (text: string | Uint8Array): Members => membersOf(jsonIn(text))

/** JSON text as a value; the text itself if it is not JSON. */
export function valueOf(text: unknown): unknown {
  const value: unknown = typeof text === 'string' ? jsonIn(text) : text
  return value === undefined ? text : value
}
