// The HMACs of Node. A key is prepared once: on some versions of Node that takes longer than to sign.

import type { createHmac, createSecretKey, KeyObject } from 'node:crypto'
import { lettersOf } from '../../lib/base64.ts'
import type { Hmac } from '../../gateway/post/sign.ts'

/** How many prepared keys to keep. */
const MAX_KEYS = 1000

type Crypto = {
  readonly createHmac: typeof createHmac
  readonly createSecretKey: typeof createSecretKey
}

export function nodeHmac(crypto: Crypto): Hmac {
  const prepared = new Map<string, KeyObject>()
  const keyOf = (bytes: Uint8Array): KeyObject => {
    const letters = lettersOf(bytes)
    let key = prepared.get(letters)
    if (key === undefined) {
      if (prepared.size >= MAX_KEYS) prepared.clear()
      prepared.set(letters, (key = crypto.createSecretKey(bytes)))
    }
    return key
  }
  return (algorithm, key, message) =>
    crypto.createHmac(algorithm, keyOf(key)).update(message).digest()
}
