// JSON in ASCII, as Python writes it by default.

/** The same JSON text with characters beyond ASCII as \uXXXX. */
export const asciiJson = (json: string): string =>
  json.replace(
    /[\0\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
