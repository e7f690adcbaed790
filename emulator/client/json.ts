// Reads JSON from others: leniently by shape, or as text in which every literal
// keeps its position.

export type Fields = Readonly<Record<string, unknown>>

/** The value as an object with fields; undefined for arrays, null and everything else. */
export function fieldsOf(value: unknown): Fields | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Fields) : undefined
}

/**
 * A text value in a JSON text: the keys that lead to it (null for an array item) and the position of
 * its literal.
 */
export type TextValue = {
  readonly path: readonly (string | null)[]
  readonly value: string
  readonly start: number
  readonly end: number
}

/** All text values of a JSON text, in order. The text must be valid JSON. */
export function textValues(text: string): TextValue[] {
  const found: TextValue[] = []
  const open: { isArray: boolean; key: string | null; atKey: boolean }[] = []
  for (let at = 0; at < text.length; at++) {
    const inner = open.at(-1)
    const char = text[at]
    if (char === '{' || char === '[') {
      open.push({ isArray: char === '[', key: null, atKey: char === '{' })
    } else if (char === '}' || char === ']') {
      open.pop()
    } else if (char === ',' && inner !== undefined) {
      inner.atKey = !inner.isArray
    } else if (char === '"') {
      const end = endOfLiteral(text, at)
      const value = JSON.parse(text.slice(at, end)) as string
      if (inner?.atKey === true) {
        inner.key = value
        inner.atKey = false
      } else {
        found.push({ path: open.map((level) => level.key), value, start: at, end })
      }
      at = end - 1
    }
  }
  return found
}

function endOfLiteral(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
