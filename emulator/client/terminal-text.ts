// Makes text from others safe to print on a terminal.

/** Server text without control sequences for terminals. Keeps line ends and tabs. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}
