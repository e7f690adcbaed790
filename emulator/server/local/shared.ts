// What both deployments answer alike.

import type { EndpointName } from '../../../spec/server/endpoints.ts'
import { json, type Reply } from '../../http/replies.ts'
import type { Request } from '../../http/requests.ts'
import { nodeTypeText, objectInfoText } from '../nodes/catalog.ts'
import { promptInfo } from './system.ts'
import type { World } from '../state/world.ts'

export type Handler = (world: World, request: Request) => Reply

export const sharedHandlers = {
  promptInfo,
  objectInfo: (world) => json(objectInfoText(world)),
  objectInfoOf: (world, { segment }) => {
    const text = nodeTypeText(world, segment)
    return json(text === undefined ? '{}' : `{${JSON.stringify(segment)}: ${text}}`)
  },
} as const satisfies Partial<Record<EndpointName, Handler>>
