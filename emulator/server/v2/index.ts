// What the hosted API v2 does for a hosted server.

import type { Hosted } from '../state/server.ts'
import { admit } from './access.ts'
import { claimKey, readKey } from './keys.ts'

export { admit } from './access.ts'
export { answer, readsBody } from './endpoints.ts'

/** A submit or upload may have happened although its answer is a 5xx: its key is used up [v2-access/key-held]. */
export const noteFailure: Hosted['noteFailure'] = (server, request) => {
  if (request.method !== 'POST') return
  const admitted = admit(server, request)
  const key = readKey(request)
  if ('world' in admitted && typeof key === 'string') claimKey(admitted.world, key)
}
