// Reads JSON of others by its shape, and never fails.

export type Value = Readonly<Record<string, unknown>>

/** A value as an object; an empty one for anything else. */
export const objectOf = (value: unknown): Value =>
  typeof value === 'object' && value !== null ? (value as Value) : {}

/** JSON text as a value; the text itself if it is not JSON. */
export function valueOf(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
