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
export const textValues = (text: string): TextValue[] =>
  Array.from(tokensOf(text)).flatMap(({ path, start, end }) =>
    text[start] === '"'
      ? { path, value: JSON.parse(text.slice(start, end)) as string, start, end }
      : [],
  )

/** The text of the object that these keys lead to, as written; of a repeated key, the last one. */
export function objectText(text: string, keys: readonly string[]): string | undefined {
  const wanted = JSON.stringify(keys)
  const ends = Array.from(tokensOf(text)).filter(({ path }) => JSON.stringify(path) === wanted)
  const [open, close] = ends.slice(-2)
  return open && close && text[open.start] === '{' ? text.slice(open.start, close.end) : undefined
}

/** A text value, or one end of an object or a list: the keys that lead to it, and where it stands. */
type Token = Omit<TextValue, 'value'>

function* tokensOf(text: string): Generator<Token> {
  const open: { isArray: boolean; key: string | null; atKey: boolean }[] = []
  const token = (start: number, end: number): Token => ({
    path: open.map((level) => level.key),
    start,
    end,
  })
  for (let at = 0; at < text.length; at++) {
    const inner = open.at(-1)
    const char = text[at]
    if (char === '{' || char === '[') {
      yield token(at, at + 1)
      open.push({ isArray: char === '[', key: null, atKey: char === '{' })
    } else if (char === '}' || char === ']') {
      open.pop()
      yield token(at, at + 1)
    } else if (char === ',' && inner !== undefined) {
      inner.atKey = !inner.isArray
    } else if (char === '"') {
      const end = endOfLiteral(text, at)
      if (inner?.atKey === true) {
        inner.key = JSON.parse(text.slice(at, end)) as string
        inner.atKey = false
      } else yield token(at, end)
      at = end - 1
    }
  }
}

function endOfLiteral(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
