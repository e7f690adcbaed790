// Converts bytes to text: base64 for journals, and one character per byte for searches.

/** Bytes in base64. */
export const base64 = (bytes: Uint8Array): string => btoa(lettersOf(bytes))

/** Bytes as text, one character for each. */
export function lettersOf(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return letters
}
