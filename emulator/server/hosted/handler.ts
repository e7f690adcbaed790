// The type of a handler of a hosted endpoint.

import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { Server } from '../state/server.ts'
import type { HostedWorld } from '../state/world.ts'

/** `world` belongs to the requesting account. An endpoint without a handler does not compile. */
export type HostedHandler = (world: HostedWorld, request: Request, server: Server) => Reply
