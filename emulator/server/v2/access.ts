// Identifies the account that a request to the hosted API v2 comes from [v2-access/*].

import { refuseV2 } from '../../http/replies.ts'
import type { RequestHead } from '../../machine.ts'
import { worldOfBearer } from '../hosted/access.ts'
import type { Admission, Server } from '../state/server.ts'
import type { World } from '../state/world.ts'

/** The world of the account whose key a request carries as a bearer token, or the refusal. */
export function admit(server: Server, head: RequestHead): Admission {
  const world = isVisitor(server.worlds[0], head) ? server.worlds[0] : worldOfBearer(server, head)
  if (head.method === 'OPTIONS') return { world: world ?? server.worlds[0] }
  if (world === undefined) return { refusal: refuseV2('unauthorized') }
  return world.setup.hosted?.account.tier === 'free'
    ? { refusal: refuseV2('forbidden') }
    : { world }
}

/** Whether a request has no key on a server that needs none [quirk hosted.v2-public-demo]. */
export const isVisitor = ({ setup }: World, { headers }: Pick<RequestHead, 'headers'>): boolean =>
  headers['authorization'] === undefined && setup.quirks.has('hosted.v2-public-demo')
