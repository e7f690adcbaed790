// Requests that the scenario answers instead of the server [scenario/answer-*].

import { findEndpoint, routesOn } from '../http/routes.ts'
import { json, type Reply } from '../http/replies.ts'
import { type Asked, findAnswer, isAwaited, release, replyOf } from './extensions/answers.ts'
import { hasEndpoint } from './local/endpoints.ts'
import type { NumberedRequest, Server } from './state/server.ts'
import type { World } from './state/world.ts'

/** The reply of the scenario to a request; undefined if it has none. */
export function answerScripted(
  server: Server,
  world: World,
  { request, method }: Pick<NumberedRequest, 'request' | 'method'>,
  path: string,
  query: string,
): Reply | undefined {
  const asked = { method, path, query }
  release(world, asked)
  const found = findAnswer(world, asked)
  if (found === undefined) {
    if (!isAwaited(world, asked) || isEndpoint(server, world, asked)) return undefined
    world.effects.push({ kind: 'answered', request, by: 'wait' })
    return json('{}')
  }
  // Named once: an answer may be meant to replace an endpoint, or its path may be a mistake [scenario/answer-replaces].
  const isReplacing = found.applied++ === 0 && isEndpoint(server, world, asked)
  const replaces = isReplacing ? { replaces: `${method} ${path}` } : {}
  world.effects.push({ kind: 'answered', request, by: 'answer', ...replaces })
  return replyOf(found.answer)
}

const isEndpoint = ({ hosted }: Server, world: World, { method, path }: Asked): boolean =>
  hosted === null
    ? hasEndpoint(world, method, path)
    : findEndpoint(routesOn('hosted'), method, path)?.name !== undefined

/** Whether the scenario answers a request. */
export const isAnswered = (world: World, asked: Asked): boolean =>
  findAnswer(world, asked) !== undefined || isAwaited(world, asked)
