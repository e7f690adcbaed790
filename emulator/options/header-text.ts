// Checks whether a text is valid as a credential in a header.

/** Visible ASCII without spaces, as the pattern of a JSON Schema. */
export const headerPattern = '^[\\x21-\\x7e]+$'
const pattern = new RegExp(headerPattern)

/** Whether a text is valid as a credential in a header. */
export const isHeaderText = (text: string): boolean => pattern.test(text)
