// What answers an endpoint of a local server, as a type.

import type { Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import type { World } from '../state/world.ts'

export type Handler = (world: World, request: Request) => Reply
