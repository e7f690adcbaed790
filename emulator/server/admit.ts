// Who may talk to the server [access/*]: each deployment has a way of its own to tell.

import { admit as admitLocal } from './local/access.ts'
import type { Admitted, Asked, Server } from './state/server.ts'

/** Looks at who asks, before the path is looked at. */
export const admit = (server: Server, asked: Asked): Admitted =>
  server.hosted === null ? admitLocal(server, asked) : server.hosted.admit(server, asked)
