// Reads numbers and words of untrusted bytes: beyond the end, they are 0 and empty.

export type Reader = {
  readonly length: number
  /** A whole number of so many bytes, the highest first. */
  readonly big: (at: number, length: number) => number
  /** The same, the lowest first. */
  readonly little: (at: number, length: number) => number
  /** So many bytes as Latin-1 characters. */
  readonly word: (at: number, length: number) => string
}

export function readerOf(bytes: Uint8Array): Reader {
  const big = (at: number, length: number): number => {
    let value = 0
    for (let next = at; next < at + length; next++) value = value * 256 + (bytes[next] ?? 0)
    return value
  }
  const little = (at: number, length: number): number => {
    let value = 0
    for (let next = at + length - 1; next >= at; next--) value = value * 256 + (bytes[next] ?? 0)
    return value
  }
  const word = (at: number, length: number): string =>
    String.fromCharCode(...bytes.subarray(at, at + length))
  return { length: bytes.length, big, little, word }
}
