// Request bodies in a journal: as text, or as base64 if they are not UTF-8.

import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '../lib/base64.ts'

/** The representation of a body in a journal line. */
export type LineBody = { readonly body: string } | { readonly bodyBase64: string }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as text; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export const lineBody = (bytes: Uint8Array): LineBody => {
  const body = decodeUtf8(bytes)
  return body === undefined ? { bodyBase64: base64(bytes) } : { body }
}

/** Restores an input from its journal line: the body of a request becomes bytes again. */
export function restoreInput(value: unknown): unknown {
  const input = value as { kind: string; body?: string; bodyBase64?: string }
  if (input.kind !== 'request') return input
  const { body = '', bodyBase64, ...rest } = input
  const bytes =
    bodyBase64 === undefined
      ? utf8ToBytes(body)
      : Uint8Array.from(atob(bodyBase64), (char) => char.charCodeAt(0))
  return { ...rest, body: bytes }
}
