// Identifies the account that a request to the Router comes from [router/key*].

import { keyHeader } from '../../../spec/server/access.ts'
import { refuseRouter } from '../../http/replies.ts'
import type { RequestHead } from '../../machine.ts'
import { worldOfBearer, worldOfKey } from '../hosted/access.ts'
import { isVisitor } from '../v2/access.ts'
import type { Admission, Server } from '../state/server.ts'

/** The world of the account whose key a request carries, or the refusal. */
export function admit(server: Server, head: RequestHead): Admission {
  const key = head.headers[keyHeader.toLowerCase()]
  const known = key === undefined ? worldOfBearer(server, head) : worldOfKey(server, key)
  const isOpen = key === undefined && isVisitor(server.worlds[0], head)
  const world = isOpen ? server.worlds[0] : known
  if (head.method === 'OPTIONS') return { world: world ?? server.worlds[0] }
  if (world === undefined) return { refusal: refuseRouter('unauthorized') }
  return world.setup.hosted?.account.tier === 'free'
    ? { refusal: refuseRouter('forbidden') }
    : { world }
}
