// What a credential has to look like, so that it can stand in a header.

/** Visible ASCII, without blanks, which nobody could tell from those around it: as the pattern of a JSON Schema. */
export const headerPattern = '^[\\x21-\\x7e]+$'
const pattern = new RegExp(headerPattern)

/** Whether a text can stand in a header. */
export const isHeaderText = (text: string): boolean => pattern.test(text)
