// JSON as servers in Python write it: what one client submits with NaN, every listing repeats to all others.

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g

/** Reads JSON in which NaN and Infinity may stand, as null. Throws SyntaxError for other texts that JSON does not allow. */
export function pythonJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return JSON.parse(text.replace(STRING_OR_NUMBER, orNull)) as unknown
  }
}

const orNull = (found: string): string => (found.startsWith('"') ? found : 'null')
