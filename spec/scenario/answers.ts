// Answers: routes that a server has besides its own, such as those of an extension, and what they reply.

import { type Rules, chosen } from '../language.ts'
import type { Static } from '../static.ts'
import { closed, name, optional, positive } from '../schema.ts'
import { scenarioFile } from './nodes.ts'
import { requestWhen } from './requests.ts'

const { from, text, base64 } = scenarioFile.properties

/** One answer: the requests that it takes, and the reply. It has one content at most. */
export const answer = closed({
  about: optional({ ...name, description: 'a note for readers' }),
  ...requestWhen,
  user: optional({ ...name, description: 'only requests of this account (hosted)' }),
  times: optional({
    ...positive,
    description: 'how many requests it answers at most (default: all); then the next one does',
  }),
  status: optional({ type: 'integer', minimum: 200, maximum: 599, default: 200 }),
  headers: optional({ type: 'object', description: 'further headers, each a text' }),
  json: optional({ description: 'the content as JSON' }),
  text: optional(text),
  base64: optional(base64),
  from: optional(from),
})

export type AnswerRule = Static<typeof answer>

/** The members of which an answer has one at most. */
export const answerContents = ['json', 'text', 'base64', 'from'] as const

/** Statuses whose replies have no body. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304]

export const rules = {
  ...chosen.both({
    'scenario/answers':
      'An answer of a scenario replies to requests of its path with its status, headers and body.',
    'scenario/answer-path':
      'An answer finds a path as faults do: with and without /api, with `*` and `**`.',
    'scenario/answer-method':
      'An answer without a method takes all but OPTIONS; one for GET takes HEAD, too.',
    'scenario/answer-query':
      'An answer with a query takes only requests with these values of these parameters.',
    'scenario/answer-order':
      'The first answer that matches replies; with `times`, the next one follows after so many.',
    'scenario/answer-content':
      'An answer without a Content-Type has that of its content: JSON, text, or the name of its file.',
    'scenario/answer-other-method':
      'A path of answers rejects other methods with 405 and names its own in Allow.',
    'scenario/answer-replaces':
      'An answer replaces an endpoint of the server; the log names the endpoint the first time.',
    'scenario/answer-access':
      'A client whom the server refuses does not get an answer of the scenario.',
    'scenario/answer-faults': 'Faults apply to answers of a scenario as they do to other replies.',
    'scenario/answer-received':
      'Requests that answers reply to are listed and counted with their bodies like all others.',
  }),
  ...chosen.hosted({
    'scenario/answer-user': 'An answer with a `user` replies only to requests of that account.',
  }),
} as const satisfies Rules
