// Which answer of the scenario a request gets [scenario/answer-*], and which runs wait for it [scenario/node-waits].

import type { AnswerRule } from '../../../spec/scenario/answers.ts'
import type { RequestMatch } from '../../../spec/scenario/requests.ts'
import { jsonHeaders, type Reply } from '../../http/replies.ts'
import { decodePart, parameter } from '../../http/requests.ts'
import { matchesPath } from '../../lib/path-pattern.ts'
import { isForUser } from '../nodes/script.ts'
import { contentOf, endingOf } from '../nodes/file-contents.ts'
import type { ActiveAnswer } from '../state/scenario.ts'
import type { World } from '../state/world.ts'
import { mediaType } from '../world/content-types.ts'
import { wakeWorker } from '../world/timers.ts'

/** The parts of a request by which the scenario chooses. */
export type Asked = { readonly method: string; readonly path: string; readonly query: string }

/** Whether a request is one that the scenario names, whatever its method. */
export const isAt = ({ path, query = {} }: RequestMatch, asked: Asked): boolean =>
  matchesPath(path, decodePart(asked.path)) &&
  Object.entries(query).every(([name, value]) => parameter(asked.query, name) === `${value}`)

/** Whether a part of the scenario takes a method [scenario/answer-method]. */
export const takesMethod = ({ method }: Pick<RequestMatch, 'method'>, asked: string): boolean =>
  method === undefined
    ? asked !== 'OPTIONS'
    : method === asked || (method === 'GET' && asked === 'HEAD')

/** Whether a node rule names a request [scenario/node-waits-reply]. */
export const isAwaited = (world: World, asked: Asked): boolean =>
  awaitedAt(world, asked).some((one) => takesMethod(one, asked.method))

/** The requests that node rules name at a path. */
const awaitedAt = (world: World, asked: Asked): readonly RequestMatch[] =>
  world.script.nodes.flatMap(({ waitsFor, user }) =>
    waitsFor !== undefined && isForUser(world, user) && isAt(waitsFor, asked) ? waitsFor : [],
  )

/** Continues the runs that wait for a request [scenario/node-waits]. */
export function release(world: World, asked: Asked): void {
  for (const worker of world.state.workers) {
    const waits = worker.running?.waits
    if (waits && isAt(waits, asked) && takesMethod(waits, asked.method))
      wakeWorker(world, worker, world.state.nowMs)
  }
}

/** The answers that are left for a request, whatever its method. */
const answersAt = (world: World, asked: Asked): readonly ActiveAnswer[] =>
  world.script.answers.filter(
    ({ answer, applied }) =>
      applied < (answer.times ?? Infinity) && isForUser(world, answer.user) && isAt(answer, asked),
  )

/** The answer that a request gets; undefined for none. */
export const findAnswer = (world: World, asked: Asked): ActiveAnswer | undefined =>
  answersAt(world, asked).find(({ answer }) => takesMethod(answer, asked.method))

/** The methods that the scenario answers at a path. */
export const answeredMethods = (world: World, asked: Asked): readonly string[] =>
  [...answersAt(world, asked).map(({ answer }) => answer), ...awaitedAt(world, asked)].flatMap(
    ({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : (method ?? [])),
  )

/** The reply of an answer. */
export function replyOf(answer: AnswerRule): Reply {
  const { status = 200, headers: own = {} } = answer
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) headers[name] = String(value)
  const type = typeOf(answer)
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  if (type !== undefined && !isTyped) headers['Content-Type'] = type
  const { json } = answer
  return { status, headers, body: json === undefined ? textOrBytes(answer) : JSON.stringify(json) }
}

const textOrBytes = (answer: AnswerRule): Reply['body'] =>
  answer.base64 === undefined ? (answer.text ?? '') : contentOf(answer)

/** The media type of the content of an answer; undefined without one. */
function typeOf(answer: AnswerRule): string | undefined {
  if (answer.json !== undefined) return jsonHeaders['Content-Type']
  if (answer.text !== undefined) return 'text/plain; charset=utf-8'
  if (answer.base64 === undefined) return undefined
  return mediaType(`x.${endingOf(contentOf(answer))}`) ?? 'application/octet-stream'
}
