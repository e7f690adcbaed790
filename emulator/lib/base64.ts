// Bytes as text: in base64 for journals, which are JSON, and as letters to look for texts in them.

/** Bytes in base64. */
export const base64 = (bytes: Uint8Array): string => btoa(lettersOf(bytes))

/** Bytes as letters, one for each. */
export function lettersOf(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return letters
}
