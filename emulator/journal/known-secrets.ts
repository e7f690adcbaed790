// The credentials that a server knows, and how to find and replace them in texts. The journal contains none of them.

import type { WorldOptions } from '../server/state/options.ts'
import type { KnownSecret } from '../server/state/server.ts'

/** Shorter secrets could be part of any word: they are redacted only where a credential is expected. */
const MIN_KNOWN_LENGTH = 8

type CredentialOptions = Pick<WorldOptions, 'token' | 'accounts'>

/**
 * The token of a server and the keys of its accounts, including partner keys, of 8 characters or more. The longest come
 * first, since one may be part of another.
 */
export const secretsOf = (options: CredentialOptions): readonly KnownSecret[] =>
  knownSecrets(inOrder(options))

/** Secrets with all their spellings, the longest first. */
export const knownSecrets = (texts: readonly string[]): readonly KnownSecret[] =>
  texts
    .toSorted((a, b) => b.length - a.length)
    .map((text) => ({ text, spellings: spellingsOf(text) }))

const inOrder = ({ token, accounts }: CredentialOptions): readonly string[] => [
  ...new Set([token, ...accounts.flatMap(keysOf)].filter(isKnown)),
]

const keysOf = ({ keys, partnerKey }: WorldOptions['accounts'][number]): (string | null)[] => [
  ...keys,
  partnerKey,
]

const isKnown = (secret: string | null): secret is string =>
  secret !== null && secret.length >= MIN_KNOWN_LENGTH

/** Whether a text is one of the keys of an account, of 8 characters or more. */
export const isKeyOf = (account: WorldOptions['accounts'][number], text: string): boolean =>
  isKnown(text) && keysOf(account).includes(text)

/**
 * The text without these secrets, in plain, JSON and URL-encoded form.
 * @param secrets the longest first.
 * @param replace returns the replacement of one.
 */
export function withoutSecrets(
  text: string,
  secrets: readonly KnownSecret[],
  replace: (secret: string) => string,
): string {
  let rest = text
  for (const { text: secret, spellings } of secrets) {
    for (const spelled of spellings) {
      if (rest.includes(spelled)) rest = rest.replaceAll(spelled, () => replace(secret))
    }
  }
  return rest
}

/** Whether a text contains one of these secrets, in any spelling. */
export const holdsSecret = (text: string, secrets: readonly KnownSecret[]): boolean =>
  secrets.some(({ spellings }) => spellings.some((spelled) => text.includes(spelled)))

/** The spellings of a secret, the longest first: in JSON, in Python's output, in both, in an address. */
function spellingsOf(secret: string): readonly string[] {
  const printed = secret.replaceAll('\\', '\\\\')
  const texts = [inJson(inJson(secret)), inJson(printed), inJson(secret), printed, secret]
  return [...new Set([...texts, encodeURIComponent(secret)])]
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Returns a function that replaces each secret in a text by its number, for hashes that must be equal in a replay,
 * whose server has placeholders for secrets.
 */
export function numberSecrets(options: CredentialOptions): (text: string) => string {
  const numbered = inOrder(options)
  const secrets = secretsOf(options)
  return (text) =>
    withoutSecrets(text, secrets, (secret) => `\0secret ${numbered.indexOf(secret)}\0`)
}
