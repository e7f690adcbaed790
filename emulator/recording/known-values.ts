// Finds values that were once seen as secrets in texts, in all their spellings. A session can have thousands of them, one
// per signed link, so that a text is read once for all: by a rolling hash over the first letters.

import { utf8ToBytes } from '@noble/hashes/utils.js'
import { knownSecrets } from '../journal/known-secrets.ts'
import { lettersOf } from '../lib/base64.ts'

/** Shorter values could be part of any word: they are replaced only where a secret is expected. */
export const MIN_KNOWN_LENGTH = 8

const FACTOR = 31
/** The weight of the first letter of those that are hashed. */
const FIRST = Array.from({ length: MIN_KNOWN_LENGTH - 1 }).reduce<number>(
  (power) => Math.imul(power, FACTOR),
  1,
)
const SLOTS = 1 << 16

export type KnownValues = {
  /** Adds a secret of at least `MIN_KNOWN_LENGTH` characters. */
  readonly add: (secret: string) => void
  readonly count: () => number
  /** The text with each known secret replaced. */
  readonly replaceIn: (text: string, replace: (secret: string) => string) => string
}

type Spelling = { readonly spelled: string; readonly secret: string }

export function createKnownValues(): KnownValues {
  const secrets = new Set<string>()
  /** The spellings by their first letters, the longest first. */
  const byStart = new Map<string, Spelling[]>()
  /** Whether a spelling can begin with letters of this hash. */
  const slots = new Uint8Array(SLOTS)
  const add = (secret: string): void => {
    if (secret.length < MIN_KNOWN_LENGTH || secrets.has(secret)) return
    secrets.add(secret)
    for (const spelled of spellingsOf(secret)) {
      const start = spelled.slice(0, MIN_KNOWN_LENGTH)
      const others = byStart.get(start) ?? []
      byStart.set(
        start,
        [...others, { spelled, secret }].toSorted((a, b) => b.spelled.length - a.spelled.length),
      )
      slots[slotOf(hashAt(start, 0))] = 1
    }
  }
  const findAt = (text: string, at: number): Spelling | undefined =>
    byStart
      .get(text.slice(at, at + MIN_KNOWN_LENGTH))
      ?.find(({ spelled }) => text.startsWith(spelled, at))

  const replaceIn: KnownValues['replaceIn'] = (text, replace) => {
    const last = text.length - MIN_KNOWN_LENGTH
    if (secrets.size === 0 || last < 0) return text
    const parts: string[] = []
    let copied = 0
    let at = 0
    let hash = hashAt(text, 0)
    while (at <= last) {
      const found = slots[slotOf(hash)] === 1 ? findAt(text, at) : undefined
      if (found !== undefined) {
        parts.push(text.slice(copied, at), replace(found.secret))
        at += found.spelled.length
        copied = at
        hash = at <= last ? hashAt(text, at) : 0
        continue
      }
      const next = text.charCodeAt(at + MIN_KNOWN_LENGTH)
      hash = Math.imul(hash - Math.imul(text.charCodeAt(at), FIRST), FACTOR) + next
      at++
    }
    return copied === 0 ? text : parts.join('') + text.slice(copied)
  }
  return { add, count: () => secrets.size, replaceIn }
}

const slotOf = (hash: number): number => (hash ^ (hash >>> 16)) & (SLOTS - 1)

function hashAt(text: string, at: number): number {
  let hash = 0
  for (let index = at; index < at + MIN_KNOWN_LENGTH; index++)
    hash = Math.imul(hash, FACTOR) + text.charCodeAt(index)
  return hash
}

/** In JSON, in Python's output, in an address, and as the letters of its bytes. */
function spellingsOf(secret: string): ReadonlySet<string> {
  const own = knownSecrets([secret]).flatMap(({ spellings }) => spellings)
  const lowered = own.map((one) => one.replace(/%[\dA-F]{2}/g, (part) => part.toLowerCase()))
  const plussed = encodeURIComponent(secret).replaceAll('%20', '+')
  return new Set([...own, ...lowered, plussed, lettersOf(utf8ToBytes(secret))])
}
