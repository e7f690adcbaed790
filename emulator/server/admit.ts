// Who may talk to the server [access/*]: each deployment has a way of its own to tell.

import type { Reply } from '../http/replies.ts'
import type { RequestHead } from '../http/requests.ts'
import { guard } from './local/access.ts'
import type { Server } from './server.ts'
import type { World } from './world/world.ts'

/** The world that a request or handshake is for, or what keeps it out. */
export type Admitted = { readonly world: World } | { readonly refusal: Reply }

/** Looks at who asks, before the path is looked at. */
export function admit(server: Server, head: RequestHead): Admitted {
  if (server.hosted !== null) return server.hosted.admitAccount(server, head)
  const refusal = guard(server.options, head)
  return refusal === undefined ? { world: server.worlds[0] } : { refusal }
}
