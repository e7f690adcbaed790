// The hashes of contents: names of files on a hosted server, and of assets; and the signatures of links.

import { blake3 } from '@noble/hashes/blake3.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The BLAKE3 hash of bytes, as 64 hexadecimal digits. */
export const blake3Hex = (bytes: Uint8Array): string => bytesToHex(blake3(bytes))

/** The HMAC-SHA256 of a text under a key, as 64 hexadecimal digits. */
export const hmacHex = (key: string, text: string): string =>
  bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(text)))

/**
 * The SHA-256 of a text, as 64 hexadecimal digits: for long texts that every run hashes, since BLAKE3 is three times
 * slower here.
 */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
