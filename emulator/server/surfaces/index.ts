// The functions of a hosted server: its APIs on the same accounts, each with its access, endpoints and errors.

import { type Surface, surfaceOf } from '../../../spec/hosted/surfaces.ts'
import * as v1 from '../hosted/index.ts'
import * as oauth from '../hosted/accounts/oauth-endpoints.ts'
import * as router from '../router/index.ts'
import type { Hosted, Server } from '../state/server.ts'
import * as v2 from '../v2/index.ts'
import * as partner from '../partner/index.ts'

export { blake3Hex, hmacHex, sha256Hex } from '../world/hashing.ts'
export { advanceTask, answerLink, handshakeNeeded, linkBase } from '../hosted/index.ts'
export { fireCall } from '../router/index.ts'
export { followStreams } from '../v2/streams.ts'

/** What each API does. */
type Parts = Pick<Hosted, 'admit' | 'answer' | 'readsBody'> &
  Partial<Pick<Hosted, 'noteFailure' | 'mark'>>
const parts: Readonly<Record<Surface, Parts>> = { v1, v2, router, partner, oauth }

/** The API that answers a request. Without v2 its paths are unknown ones of the first API [quirk hosted.no-v2]. */
function partsAt(target: string, { worlds: [{ setup }] }: Pick<Server, 'worlds'>): Parts {
  const surface = surfaceOf(target)
  return parts[surface === 'v2' && setup.quirks.has('hosted.no-v2') ? 'v1' : surface]
}

export const admit: Hosted['admit'] = (server, head) =>
  partsAt(head.target, server).admit(server, head)

export const answer: Hosted['answer'] = (server, world, request, path, query) =>
  partsAt(path, server).answer(server, world, request, path, query)

export const readsBody: Hosted['readsBody'] = (world, method, path) =>
  partsAt(path, { worlds: [world] }).readsBody(world, method, path)

export const noteFailure: Hosted['noteFailure'] = (server, request, reply) =>
  partsAt(request.target, server).noteFailure?.(server, request, reply)

export const mark: Hosted['mark'] = (server, path, reply) =>
  partsAt(path, server).mark?.(server, path, reply) ?? reply
