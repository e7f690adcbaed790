// What both deployments answer alike.

import type { EndpointName } from '../../spec/endpoints.ts'
import { json, type Reply } from '../replies.ts'
import type { Request } from '../requests.ts'
import { nodeTypeText, objectInfoText } from './catalog.ts'
import { promptInfo } from './system.ts'
import type { World } from './world.ts'

export type Handler = (world: World, request: Request) => Reply

export const sharedHandlers = {
  promptInfo,
  objectInfo: (world) => json(objectInfoText(world)),
  objectInfoOf: (world, { segment }) => {
    const text = nodeTypeText(world, segment)
    return json(text === undefined ? '{}' : `{${JSON.stringify(segment)}: ${text}}`)
  },
} as const satisfies Partial<Record<EndpointName, Handler>>
