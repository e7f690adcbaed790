// Decodes bytes like Python, which keeps or skips invalid UTF-8 where a browser's decoder fails.

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes in strict UTF-8, including a byte order mark; undefined if they are invalid. */
export function strictText(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** A header value, a character for each byte, as Python decodes it: bytes that are not UTF-8 become lone surrogates. */
export function headerText(value: string): string {
  if (/^[\x00-\x7f]*$/.test(value)) return value
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0))
  let text = ''
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at)
    text +=
      length === 0
        ? String.fromCharCode(0xdc00 + (bytes[at] as number))
        : strict.decode(bytes.subarray(at, at + length))
    at += length || 1
  }
  return text
}

/** A header value, a character for each byte, as UTF-8 if it is; else as it is. */
export const tokenText = (value: string): string =>
  /^[\x00-\x7f]*$/.test(value)
    ? value
    : (strictText(Uint8Array.from(value, (char) => char.charCodeAt(0))) ?? value)

/** Whether the bytes of a header value are UTF-8. */
export const isUtf8 = (value: string): boolean =>
  /^[\x00-\x7f]*$/.test(value) ||
  strictText(Uint8Array.from(value, (char) => char.charCodeAt(0))) !== undefined

/** The length of the character that starts here; 0 if it is invalid. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (strictText(bytes.subarray(at, at + length)) !== undefined) return length
  }
  return 0
}

type Encoding = { readonly unit: 1 | 2 | 4; readonly isBig: boolean; readonly mark: number }

/**
 * The encoding of JSON and the length of its byte order mark, from that mark or from the zeros among its first bytes.
 */
function encodingOf(bytes: Uint8Array): Encoding {
  const [a, b, c, d] = bytes
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { unit: 4, isBig: true, mark: 4 }
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return { unit: 4, isBig: false, mark: 4 }
  if (a === 0xfe && b === 0xff) return { unit: 2, isBig: true, mark: 2 }
  if (a === 0xff && b === 0xfe) return { unit: 2, isBig: false, mark: 2 }
  if (a === 0xef && b === 0xbb && c === 0xbf) return { unit: 1, isBig: false, mark: 3 }
  if (bytes.length >= 4 && a === 0) return { unit: b === 0 ? 4 : 2, isBig: true, mark: 0 }
  if (bytes.length >= 4 && b === 0)
    return { unit: c === 0 && d === 0 ? 4 : 2, isBig: false, mark: 0 }
  if (bytes.length === 2 && a === 0) return { unit: 2, isBig: true, mark: 0 }
  if (bytes.length === 2 && b === 0) return { unit: 2, isBig: false, mark: 0 }
  return { unit: 1, isBig: false, mark: 0 }
}

/**
 * The text of bytes that are JSON in UTF-8, UTF-16 or UTF-32, including lone surrogates; undefined if they are invalid.
 */
export function jsonText(bytes: Uint8Array): string | undefined {
  const { unit, isBig, mark } = encodingOf(bytes)
  const rest = bytes.subarray(mark)
  if (unit === 1) return strictText(rest) ?? textWithSurrogates(rest)
  if (rest.length % unit !== 0) return undefined
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length)
  const parts: string[] = []
  for (let at = 0; at < rest.length; at += unit) {
    const code = unit === 2 ? view.getUint16(at, !isBig) : view.getUint32(at, !isBig)
    if (code > 0x10ffff) return undefined
    parts.push(String.fromCodePoint(code))
  }
  return parts.join('')
}

/** UTF-8 in which each surrogate has three bytes. */
function textWithSurrogates(bytes: Uint8Array): string | undefined {
  const parts: string[] = []
  let from = 0
  for (let at = 0; at + 2 < bytes.length; at++) {
    const [a, b = 0, c = 0] = bytes.subarray(at, at + 3)
    if (a !== 0xed || b < 0xa0 || b > 0xbf || c < 0x80 || c > 0xbf) continue
    const before = strictText(bytes.subarray(from, at))
    if (before === undefined) return undefined
    parts.push(before, String.fromCharCode(0xd000 | ((b & 0x3f) << 6) | (c & 0x3f)))
    at += 2
    from = at + 1
  }
  const last = strictText(bytes.subarray(from))
  return last === undefined ? undefined : parts.join('') + last
}
