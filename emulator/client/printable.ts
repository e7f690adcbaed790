// Text that others chose, as a terminal can show it.

/** Text of a server without what could steer a terminal. Line ends and tabs stay. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
