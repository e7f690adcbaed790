// JSON as servers in Python write it: what one client submits with NaN, every listing repeats to all others.

const QUOTE_OR_NUMBER = /\\.|"|-?\b(?:NaN|Infinity)\b/g

/** Reads JSON in which NaN and Infinity may stand, as null. Throws SyntaxError for other texts that JSON does not allow. */
export function pythonJson(text: string): unknown {
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
