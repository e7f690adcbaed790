// The functions of a hosted server: the hosted API, and beside it the hosted API v2 on the same accounts.

import { v2Root } from '../../../spec/v2/v2-access.ts'
import { profiles } from '../../../spec/server/deployments.ts'
import { splitTarget } from '../../http/requests.ts'
import * as v1 from '../hosted/index.ts'
import type { Hosted } from '../state/server.ts'
import { admitV2 } from './access.ts'
import * as v2 from './endpoints.ts'
import { claimKey, readKey } from './keys.ts'

export { blake3Hex, hmacHex, sha256Hex } from '../world/hashing.ts'
export { answerLink, handshakeNeeded, linkBase } from '../hosted/index.ts'
export { followStreams } from './streams.ts'

const below = `${profiles.hosted.prefix + v2Root}/`

/** Whether a path belongs to the hosted API v2. */
const isV2 = (path: string, quirks: { readonly has: (id: 'hosted.no-v2') => boolean }): boolean =>
  path.startsWith(below) && !quirks.has('hosted.no-v2')

export const admit: Hosted['admit'] = (server, head) => {
  const [path] = splitTarget(head.target)
  return isV2(path, server.worlds[0].setup.quirks) ? admitV2(server, head) : v1.admit(server, head)
}

export const answer: Hosted['answer'] = (server, world, request, path, query) =>
  isV2(path, world.setup.quirks)
    ? v2.answer(server, world, request, path, query)
    : v1.answer(server, world, request, path, query)

export const readsBody: Hosted['readsBody'] = (world, method, path) =>
  isV2(path, world.setup.quirks) ? v2.readsBody(method, path) : v1.readsBody(world, method, path)

/** A submit or upload may have happened although its answer is a 5xx: its key is used up [v2-access/key-held]. */
export const noteFailure: Hosted['noteFailure'] = (server, request) => {
  const [path] = splitTarget(request.target)
  if (request.method !== 'POST' || !isV2(path, server.worlds[0].setup.quirks)) return
  const admitted = admitV2(server, request)
  const key = readKey(request)
  if ('world' in admitted && typeof key === 'string') claimKey(admitted.world, key)
}
