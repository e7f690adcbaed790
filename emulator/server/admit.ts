// Who may talk to the server [access/*]: each deployment has a way of its own to tell.

import type { Headers } from '../machine.ts'
import type { Reply } from '../http/replies.ts'
import { guard } from './local/access.ts'
import type { Server } from './server.ts'
import type { World } from './world/world.ts'

/** Path and query of a request or handshake, with what it says of its sender. */
export type Asked = { readonly method: string; readonly target: string; readonly headers: Headers }

/** The world that a request or handshake is for, or what keeps it out. */
export type Admitted = { readonly world: World } | { readonly refusal: Reply }

/** Looks at who asks, before the path is looked at. */
export function admit(server: Server, asked: Asked): Admitted {
  if (server.hosted !== null) return server.hosted.admitAccount(server, asked)
  const refusal = guard(server.options, asked)
  return refusal === undefined ? { world: server.worlds[0] } : { refusal }
}
