// The shapes that reveal a secret. Redaction and the scanner share these tables.

import { isPlaceholder } from '../journal/placeholders.ts'
import type { NameRules } from '../journal/secret-names.ts'
import { decodePart } from '../http/requests.ts'

/**
 * The type of a hidden input, such as `AUTH_TOKEN_COMFY_ORG` or a list of it: the catalogue has it under the name of the
 * secret.
 */
export const isTypeName = (value: string): boolean =>
  /^(?:\["?)?[A-Z]+(?:_[A-Z]+)+(?:"?\])?$/.test(value)

/** A shape that reveals a secret wherever it occurs. */
type Shape = {
  readonly what: string
  /** Every such text contains one of these: looking for them first is many times faster. */
  readonly marks: readonly string[]
  /** Group 1 is the secret. */
  readonly shape: RegExp
}

const shapes: readonly Shape[] = [
  { what: 'a bearer token', marks: ['Bearer'], shape: /\bBearer\s+([\w.~+/-]{8,}=*)/g },
  {
    what: 'a JSON web token',
    marks: ['eyJ'],
    shape: /\b(eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]{6,})/g,
  },
  {
    what: 'an API key',
    marks: ['sk-', 'sk_', 'pk-', 'pk_', 'rk-', 'rk_'],
    shape: /\b((?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,})/g,
  },
  { what: 'an API key', marks: ['comfyui-'], shape: /\b(comfyui-(?=\w*\d)\w{16,})/g },
  { what: 'a key of a cloud', marks: ['AKIA', 'ASIA'], shape: /\b((?:AKIA|ASIA)[0-9A-Z]{16})\b/g },
  { what: 'a key of a cloud', marks: ['AIza'], shape: /\b(AIza[\w-]{35})/g },
  {
    what: 'a token of a code host',
    marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-'],
    shape: /\b(gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  },
  { what: 'a token of a chat', marks: ['xox'], shape: /\b(xox[abeoprs]-[\w-]{10,})/g },
  {
    what: 'a token of a model host',
    marks: ['hf_', 'r8_'],
    shape: /\b(hf_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,})/g,
  },
  { what: 'a secret of webhooks', marks: ['whsec_'], shape: /\b(whsec_[\w+/=-]{16,})/g },
  {
    what: 'a private key',
    marks: ['PRIVATE KEY'],
    shape: /(-----BEGIN [A-Z ]*PRIVATE KEY-----[\w+/=\s\\-]*)/g,
  },
  {
    what: 'a password in an address',
    marks: ['://'],
    // Bytes that are not a text have control characters soon.
    shape: /:\/\/[^\s/:@"'<>\0-\x1f\x7f-\x9f]*:([^\s/:@"'<>\0-\x1f\x7f-\x9f]{3,})@/g,
  },
]

const mayHave = (text: string, { marks }: Shape): boolean =>
  marks.some((mark) => text.includes(mark))

/** A parameter of a query, in any text: an address can stand anywhere. */
const parameterShape = /([?&]|\\u0026|%3F|%26)([\w.~-]{1,60})=([^&\s"'\\<>#]+)/g

/** Replaces what has the shape of a secret. */
export function replaceShapes(text: string, replace: (secret: string) => string): string {
  let rest = text
  for (const one of shapes) {
    if (!mayHave(rest, one)) continue
    rest = rest.replace(one.shape, (whole: string, secret: string) =>
      isPlaceholder(decodePart(secret)) ? whole : whole.replace(secret, () => replace(secret)),
    )
  }
  return rest
}

/** What in a text has the shape of a secret; undefined if nothing has. */
export const shapeIn = (text: string): string | undefined =>
  shapes.find(
    (one) =>
      mayHave(text, one) &&
      [...text.matchAll(one.shape)].some(([, secret = '']) => !isPlaceholder(decodePart(secret))),
  )?.what

/** Replaces the values of secret parameters in the addresses that a text contains. */
export const replaceParameters = (
  text: string,
  { isSecretName }: NameRules,
  replace: (secret: string) => string,
): string =>
  text.replace(parameterShape, (whole: string, start: string, name: string, value: string) => {
    const secret = decodePart(value)
    if (!isSecretName(decodePart(name), 'query') || isPlaceholder(secret)) return whole
    return `${start}${name}=${encodeURIComponent(replace(secret))}`
  })

/** Whether a text looks random: long, without spaces, of letters and digits, and no two alike. */
export function looksRandom(text: string): boolean {
  if (!/^[\w+/=.~-]{20,}$/.test(text) || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return false
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits >= 3.2 && !/\.[a-z]\w{1,4}$/i.test(text)
}
