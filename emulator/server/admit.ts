// Decides who may use the server [access/*], for each deployment.

import type { RequestHead } from '../http/requests.ts'
import { admit as admitLocal } from './local/access.ts'
import type { Admitted, Server } from './state/server.ts'

/** Looks at who asks, before the path is looked at. */
export const admit = (server: Server, head: RequestHead): Admitted =>
  server.hosted === null ? admitLocal(server, head) : server.hosted.admit(server, head)
