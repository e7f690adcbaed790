// Makes, concatenates and compares byte arrays.

/** All parts, one after the other. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Whether two arrays have the same content. */
export const equalBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** The bytes of a text of Latin-1 characters. */
export function latin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** A text in UTF-8. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A whole number in so many bytes, the highest first. */
export const big = (value: number, length: number): Uint8Array => little(value, length).reverse()

/** A whole number in so many bytes, the lowest first. */
export const little = (value: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => Math.floor(value / 256 ** at) & 255)
