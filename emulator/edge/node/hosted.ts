// The code that only a hosted server needs. Node computes its hashes.

import type { Hosted } from '../../server/state/server.ts'

/** Loads this code. */
export async function loadHosted(): Promise<Hosted> {
  const { loadHashing } = await import('./hashing.ts')
  const parts = await import('../../server/surfaces/index.ts')
  return Object.assign({}, parts, await loadHashing())
}
