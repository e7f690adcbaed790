// Finds and changes what stands in base64 within a text: in either alphabet, with or without padding, at any place of a word,
// spelled as in JSON and in addresses too.

import { decodeUtf8 } from '../journal/bodies.ts'
import { base64, lettersOf } from '../lib/base64.ts'
import { latin1 } from '../lib/bytes.ts'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { MIN_KNOWN_LENGTH } from './known-values.ts'

/** What to make of decoded parts. */
export type ChangeDecoded = {
  /** Changes a part that is a text. */
  readonly text: (decoded: string) => string
  /** Changes the letters of bytes that are not a text, of one part or of many. */
  readonly letters: (decoded: string) => string
}

/** The fewest letters that stand for a value which is looked for. */
const MIN_LETTERS = Math.ceil((MIN_KNOWN_LENGTH * 8) / 6)
// A text in JSON in JSON has a few slashes before a letter; more could be searched for long.
const letters = String.raw`[\w+/-]+|\\{1,8}\/|%2[BbFf]|\\{1,8}u002[BbFf]`
const end = String.raw`=|%3[Dd]|\\{1,8}u003[Dd]`
/** A run of letters of base64, and its padding. Each escape costs the engine stack, so that a run has not more of them. */
const run = new RegExp(`((?:${letters}){1,200000})((?:${end}){0,2})`, 'g')

/** A run without the escapes of JSON and of addresses. */
const lettersIn = (spelled: string): string =>
  /[%\\]/.test(spelled)
    ? spelled.replace(/%2b|\\+u002b/gi, '+').replace(/%2f|\\+u002f|\\+\//gi, '/')
    : spelled

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The six bits of each letter, of both alphabets. */
const bitsOf = new Uint8Array(128)
for (const [at, code] of latin1(alphabet).entries()) bitsOf[code] = at
bitsOf['-'.charCodeAt(0)] = 62
bitsOf['_'.charCodeAt(0)] = 63

/** An encoded text can begin behind any letter of a run: the bytes of four letters depend on where they begin. */
const starts = [0, 1, 2, 3] as const

/** Decodes the letters from a place on into `bytes`; returns their end. */
function decode(letters: string, from: number, bytes: Uint8Array, to: number): number {
  const bitsAt = (at: number): number => bitsOf[letters.charCodeAt(at)] ?? 0
  let at = to
  for (let index = from; index < letters.length; index += 4) {
    const bits =
      (bitsAt(index) << 18) |
      (bitsAt(index + 1) << 12) |
      (bitsAt(index + 2) << 6) |
      bitsAt(index + 3)
    bytes[at++] = bits >> 16
    bytes[at++] = bits >> 8
    bytes[at++] = bits
  }
  // The last letters can be fewer than four.
  return to + Math.floor(((letters.length - from) * 6) / 8)
}

/** The bytes as a text; undefined if they are not UTF-8, or contain control characters. The first bytes of most show it. */
function textIn(bytes: Uint8Array): string | undefined {
  let following = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (following > 0) {
      if (byte >> 6 !== 0b10) return
      following--
    } else if (byte < 32) {
      if (byte !== 9 && byte !== 10 && byte !== 13) return
    } else if (byte >= 128) {
      if (byte < 0xc2 || byte > 0xf4) return
      following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    }
  }
  return decodeUtf8(bytes)
}

/** The text with what it has in base64 changed. */
export function changeEncoded(text: string, change: ChangeDecoded): string {
  if (!isAnyChanged(text, change)) return text
  return text.replace(run, (whole: string, spelled: string, padding: string) => {
    if (spelled.length < MIN_LETTERS) return whole
    const letters = lettersIn(spelled)
    for (const start of starts) {
      const bytes = decodedFrom(letters, start)
      const decoded = textIn(bytes)
      const before = decoded ?? lettersOf(bytes)
      const after = decoded === undefined ? change.letters(before) : change.text(before)
      if (after === before) continue
      const encoded = base64(decoded === undefined ? latin1(after) : utf8ToBytes(after))
      return spelledLike(spelled, letters.slice(0, start) + encoded, padding)
    }
    return whole
  })
}

function decodedFrom(letters: string, start: number): Uint8Array {
  const bytes = new Uint8Array(letters.length + 3)
  return bytes.subarray(0, decode(letters, start, bytes, 0))
}

/** Whether a part would change. Nearly none does: the bytes of all parts are looked at together. */
function isAnyChanged(text: string, change: ChangeDecoded): boolean {
  let all = new Uint8Array(1024)
  let length = 0
  for (const [, spelled = ''] of text.matchAll(run)) {
    if (spelled.length < MIN_LETTERS) continue
    const letters = lettersIn(spelled)
    const most = starts.length * (letters.length + 4)
    if (all.length < length + most) {
      const larger = new Uint8Array(2 * all.length + most)
      larger.set(all)
      all = larger
    }
    for (const start of starts) {
      const from = length
      length = decode(letters, start, all, from)
      const decoded = textIn(all.subarray(from, length))
      if (decoded !== undefined && change.text(decoded) !== decoded) return true
      // No part goes on in the next one.
      all[length++] = 0
    }
  }
  const letters = lettersOf(all.subarray(0, length))
  return change.letters(letters) !== letters
}

/** Letters in the alphabet, with the padding and the escapes of others. */
function spelledLike(like: string, encoded: string, padding: string): string {
  const own = encoded.replace(/=+$/, '')
  const isForAddresses = /[-_]/.test(like) && !/[+/]|%2[BbFf]/.test(like)
  const letters = isForAddresses ? own.replaceAll('+', '-').replaceAll('/', '_') : own
  const escaped = like.includes('%')
    ? letters.replaceAll('+', '%2B').replaceAll('/', '%2F')
    : letters
  const [one] = new RegExp(end).exec(padding) ?? []
  return escaped + (one === undefined ? '' : one.repeat(encoded.length - own.length))
}
