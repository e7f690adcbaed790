// The type of a handler of a local endpoint.

import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'

export type Handler = (world: World, request: Request) => Reply
