// Who may talk to the server [access/*]: each deployment has a way of its own to tell.

import type { RequestHead } from '../http/requests.ts'
import { guard } from './local/access.ts'
import type { Admitted, Server } from './state/server.ts'

/** Looks at who asks, before the path is looked at. */
export function admit(server: Server, head: RequestHead): Admitted {
  if (server.hosted !== null) return server.hosted.admitAccount(server, head)
  const refusal = guard(server.options, head)
  return refusal === undefined ? { world: server.worlds[0] } : { refusal }
}
