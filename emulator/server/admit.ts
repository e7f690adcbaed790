// Who may talk to the server [access/*]: each deployment has a way of its own to tell.

import { guard } from './local/access.ts'
import type { Admitted, Asked, Server } from './state/server.ts'

/** Looks at who asks, before the path is looked at. */
export function admit(server: Server, asked: Asked): Admitted {
  if (server.hosted !== null) return server.hosted.admitAccount(server, asked)
  const refusal = guard(server.options, asked)
  return refusal === undefined ? { world: server.worlds[0] } : { refusal }
}
