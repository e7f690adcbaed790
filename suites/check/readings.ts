// What a server may read in the body of a request: unpacked, in its charset, as JSON and as a form.

import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

export type Readings = {
  /** The texts that the body may be. */
  readonly texts: readonly string[]
  /** The values that they may be as JSON, */
  readonly values: readonly any[]
  /** and whether the body is packed in a way that cannot be undone here. */
  readonly isSealed: boolean
}

/** The largest body that is unpacked. */
const MAX_UNPACKED_BYTES = 64 * 2 ** 20

/** What is cut off is read as far as it goes. */
const usual = { maxOutputLength: MAX_UNPACKED_BYTES, finishFlush: constants.Z_SYNC_FLUSH }

const unpackers: readonly ((bytes: Uint8Array) => Buffer)[] = [
  (bytes) => gunzipSync(bytes, usual),
  (bytes) => inflateSync(bytes, usual),
  (bytes) => inflateRawSync(bytes, usual),
  (bytes) => brotliDecompressSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }),
]

export function readingsOf(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Readings {
  const headerOf = (name: string): string =>
    Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1] ?? ''
  const bytes = Buffer.from(body as Uint8Array)
  const coding = headerOf('content-encoding').toLowerCase()
  const unpacked = coding === '' || coding === 'identity' ? [] : unpackedAs(bytes)
  const charset = /charset="?([\w.-]+)/i.exec(headerOf('content-type'))?.[1] ?? 'utf-8'
  const texts = [...new Set([bytes, ...unpacked].flatMap((one) => textsOf(one, charset)))]
  return {
    texts,
    values: texts.flatMap(jsonIn),
    isSealed: coding !== '' && coding !== 'identity' && unpacked.length === 0,
  }
}

const unpackedAs = (bytes: Buffer): readonly Buffer[] =>
  unpackers.flatMap((unpack) => {
    try {
      return [unpack(bytes)]
    } catch {
      return []
    }
  })

/** Bytes as UTF-8, and in their charset. */
function textsOf(bytes: Buffer, charset: string): readonly string[] {
  const plain = bytes.toString()
  try {
    return [plain, new TextDecoder(charset).decode(bytes)]
  } catch {
    // A charset that no server knows either.
    return [plain]
  }
}

/** A text as JSON, with the numbers that Python adds to it. */
function jsonIn(text: string): readonly unknown[] {
  const plain = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (one) =>
    one.startsWith('"') ? one : 'null',
  )
  try {
    return [JSON.parse(plain)]
  } catch {
    return []
  }
}

/** The values of the fields of a form with this name. */
export const fieldsOf = ({ texts }: Readings, name: string): readonly string[] =>
  texts.flatMap((text) => {
    const field = new RegExp(
      `[; \\t]name="?${name}"?(?:;[^\\r\\n]*)?\\r\\n(?:[^\\r\\n]+\\r\\n)*\\r\\n([^\\r\\n]*)`,
      'gi',
    )
    return [...text.matchAll(field)].map(([, value = '']) => value)
  })

/** The names of the files in a form. */
export const filesOf = ({ texts }: Readings): readonly string[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/[; \t]filename=(?:"((?:[^"\\]|\\.)*)"|([^;\r\n]*))/gi)].map(
        ([, quoted, plain]) => quoted ?? plain ?? '',
      ),
    ),
  ),
]
