// Placeholders for secrets in a journal: of the same length, so that lengths are equal in a replay.

import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Placeholders of secrets of these lengths have the same length; others have a fixed one. */
const SIZED = { min: 8, max: 200 }
const USUAL_LENGTH = 21

const [opening, word, closing] = ['<', '<secret:', '>']
const pattern = /<(?:secret:)?[0-9a-f]{6,}>/

/** Splits a text at its placeholders, which are at odd positions. */
export const splitAtPlaceholders = (text: string): readonly string[] =>
  text.split(new RegExp(`(${pattern.source})`))

export const isPlaceholder = (text: string): boolean => new RegExp(`^${pattern.source}$`).test(text)

/**
 * Creates keyed placeholders: they reveal whether two secrets are equal, how long one is, and nothing else.
 * @param key whoever knows it can check guesses.
 */
export function placeholders(key: string): (secret: string) => string {
  const keyBytes = utf8ToBytes(key)
  return (secret) => {
    const digest = bytesToHex(hmac(sha256, keyBytes, utf8ToBytes(secret)))
    const isSized = secret.length >= SIZED.min && secret.length <= SIZED.max
    const length = isSized ? secret.length : USUAL_LENGTH
    // A short one has no space for the word, only for distinguishing digits.
    const start = length < USUAL_LENGTH ? opening : word
    const digits = length - start.length - closing.length
    return start + digest.repeat(Math.ceil(digits / digest.length)).slice(0, digits) + closing
  }
}
