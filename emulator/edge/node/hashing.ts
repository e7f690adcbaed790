// The hashes of a hosted server, computed by Node and by WebAssembly: the same results as the library's, many times as fast.

import { createHash, createHmac } from 'node:crypto'
import { createBLAKE3 } from 'hash-wasm'
import type { Hashing } from '../../server/state/world.ts'

/** Compiles the module of BLAKE3. */
export async function loadHashing(): Promise<Hashing> {
  const blake3 = await createBLAKE3()
  return {
    blake3Hex: (bytes) => blake3.init().update(bytes).digest('hex'),
    hmacHex: (key, text) => createHmac('sha256', key).update(text).digest('hex'),
    sha256Hex: (text) => createHash('sha256').update(text).digest('hex'),
  }
}
