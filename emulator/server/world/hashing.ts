// What a hosted server hashes with: names after content, and the signatures of links.
// Only a hosted server loads this module and, with it, BLAKE3 and HMAC; SHA-256 is loaded by every server.

import { blake3 } from '@noble/hashes/blake3.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The BLAKE3 hash of some bytes, as 64 hexadecimal digits. */
export const blake3Hex = (bytes: Uint8Array): string => bytesToHex(blake3(bytes))

/** The HMAC-SHA256 of a text under a key, as 64 hexadecimal digits. */
export const hmacHex = (key: string, text: string): string =>
  bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text)))

/** The SHA-256 of a text, as 64 hexadecimal digits: of what is long and hashed for each run, since BLAKE3 takes three times as long here. */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
