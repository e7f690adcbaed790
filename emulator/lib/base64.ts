// Converts bytes to text: base64 for journals, and one character per byte for searches.

import { latin1 } from './bytes.ts'

/** Bytes in base64. */
export const base64 = (bytes: Uint8Array): string => btoa(lettersOf(bytes))

/** The same for addresses and headers: without padding, and without letters that they reserve. */
export const base64Url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

/** The bytes of base64, with or without padding; a single letter at the end stands for nothing. */
export function bytesOfBase64(text: string): Uint8Array {
  const letters = text.replace(/=+$/, '')
  return latin1(atob(letters.length % 4 === 1 ? letters.slice(0, -1) : letters))
}

/** Bytes as text, one character for each. */
export function lettersOf(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += 8192) {
    // Reflect takes the array as it is, where a spread copies it number by number.
    letters += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + 8192)) as string
  }
  return letters
}
