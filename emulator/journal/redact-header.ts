// Removes credentials from a request or response header, by its name: for journals and recordings.

import { decodePart } from '../http/requests.ts'
import type { NameRules } from './secret-names.ts'

export type HeaderRedaction = Pick<NameRules, 'isSecretName'> & {
  /** The placeholder of a secret. */
  readonly one: (secret: string) => string
  /** A text without the secrets that are known, or that their shape reveals. */
  readonly text: (text: string) => string
}

/** The value of a header without its secrets. What is around them stays: a scheme, the names of cookies. */
export function redactHeader(name: string, value: string, redaction: HeaderRedaction): string {
  const { isSecretName, one, text } = redaction
  const lower = name.toLowerCase()
  if (lower === 'cookie') return cookies(value, one)
  if (lower === 'set-cookie') return cookies(value, one, 1)
  if (lower.endsWith('authorization')) {
    const { scheme, secret } = credentialsOf(value)
    return scheme + one(secret)
  }
  return lower !== 'www-authenticate' && isSecretName(name, 'header') ? one(value) : text(value)
}

/** The two parts of an authorization: the scheme with its blanks, empty without one, and the secret. */
export function credentialsOf(value: string): { readonly scheme: string; readonly secret: string } {
  const [, scheme = '', secret = value] = /^([A-Za-z-]+\s+)(.+)$/.exec(value) ?? []
  return { scheme, secret }
}

const cookies = (value: string, one: (secret: string) => string, most = Infinity): string =>
  value
    .split(';')
    .map((pair, index) => {
      if (index >= most) return pair
      const [, start = '', secret = pair] = /^(\s*[^=]*=\s*"?)([^"]*)/.exec(pair) ?? []
      return start + one(decodePart(secret)) + pair.slice(start.length + secret.length)
    })
    .join(';')
