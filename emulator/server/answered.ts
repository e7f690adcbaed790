// Requests that the scenario answers instead of the server [scenario/answer-*].

import { findEndpoint, routesOn } from '../http/routes.ts'
import { json, type Reply } from '../http/replies.ts'
import { type Asked, findAnswer, isAwaited, release, replyOf } from './extensions/answers.ts'
import { hasEndpoint } from './local/endpoints.ts'
import type { Server } from './state/server.ts'
import type { World } from './state/world.ts'

/** The reply of the scenario to a request; undefined if it has none. */
export function answerScripted(server: Server, world: World, asked: Asked): Reply | undefined {
  release(world, asked)
  const found = findAnswer(world, asked)
  if (found === undefined)
    return isAwaited(world, asked) && !isEndpoint(server, world, asked) ? json('{}') : undefined
  const { method, path } = asked
  // Logged once: an answer may be meant to replace an endpoint, or its path may be a mistake [scenario/answer-replaces].
  if (found.applied++ === 0 && isEndpoint(server, world, asked))
    world.effects.push({ kind: 'replaced', endpoint: `${method} ${path}` })
  return replyOf(found.answer)
}

const isEndpoint = ({ hosted }: Server, world: World, { method, path }: Asked): boolean =>
  hosted === null
    ? hasEndpoint(world, method, path)
    : findEndpoint(routesOn('hosted'), method, path)?.name !== undefined

/** Whether the scenario answers a request. */
export const isAnswered = (world: World, asked: Asked): boolean =>
  findAnswer(world, asked) !== undefined || isAwaited(world, asked)
