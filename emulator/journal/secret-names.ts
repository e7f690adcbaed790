// The names under which secrets stand, in journals and recordings.

import { secretKeys } from '../../spec/server/access.ts'

/** Where a name stands: some name secrets in one place only. */
export type NamePlace = 'header' | 'query' | 'member'

/** The end of a name under which a secret stands, in lower case with underscores. */
const secretName =
  /(?:^|_)(?:tokens?|secret|password|passwd|passphrase|api_?key|access_?key|private_?key|secret_?key|access_?key_?id|signature(?:_\d+)?|credentials?|authorization|auth|cookie|sig|hmac|bearer|jwt)$|^api_key_|^auth_token_|^secret_value$/

/** The same where a name says less: in headers and in queries a key is a credential. */
const keyName = /(?:^|_)key$/
const secretInQuery = /^(?:policy|key_pair_id|se_?sig)$/

/** Headers whose names end like those of credentials and that are none. */
const plainHeaders: ReadonlySet<string> = new Set([
  'sec-websocket-key',
  'idempotency-key',
  'surrogate-key',
])

/** Parts of names under which a long random text is probably a secret: what the scanner looks at beyond the others. */
const doubtful = /token|secret|passw|credential|signature|cookie|auth|bearer|key|session|private/

const inWords = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')

/** Names that the user adds to the names of secrets, or takes from them; in any spelling of words. */
export type OwnNames = { readonly redact: readonly string[]; readonly keep: readonly string[] }
export const noOwnNames: OwnNames = { redact: [], keep: [] }

/** Decides about names. */
export type NameRules = {
  /** Whether the value under this name is a secret, whatever it looks like. */
  readonly isSecretName: (name: string, place: NamePlace) => boolean
  /** Whether a value under this name is one if it looks random. */
  readonly isDoubtful: (name: string) => boolean
}

export function nameRules({ redact, keep }: OwnNames = noOwnNames): NameRules {
  const [redacted, kept] = [redact, keep].map((names) => new Set(names.map(inWords)))
  const isSecretName: NameRules['isSecretName'] = (name, place) => {
    const words = inWords(name)
    if (kept?.has(words) === true) return false
    if (redacted?.has(words) === true || secretKeys.some((one) => one === name)) return true
    if (place === 'header' && plainHeaders.has(name.toLowerCase())) return false
    if (place !== 'member' && keyName.test(words)) return true
    // A member `tokens` is a number, or a list of words.
    if (place === 'member' && words.endsWith('tokens')) return false
    return secretName.test(words) || (place === 'query' && secretInQuery.test(words))
  }
  const isDoubtful: NameRules['isDoubtful'] = (name) => {
    const words = inWords(name)
    return (
      doubtful.test(words) && !plainHeaders.has(name.toLowerCase()) && kept?.has(words) !== true
    )
  }
  return { isSecretName, isDoubtful }
}
