// What answers an endpoint of a hosted server, as a type.

import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld } from '../state/world.ts'

/** `world` is that of the account that asks. An endpoint without a handler does not compile. */
export type HostedHandler = (world: HostedWorld, request: Request, server: Server) => Reply
