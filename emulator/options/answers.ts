// Checks the answers of a scenario: rejects those that match the schema but cannot be sent, or that no request reaches.

import {
  type AnswerRule,
  answerContents,
  statusesWithoutBody,
} from '../../spec/scenario/answers.ts'
import { headerProblem } from './faults.ts'
import type { Violation } from './json-schema.ts'

/** The answers that cannot be sent, and why. The scenario matches its schema. */
export const wrongAnswers = (answers: readonly AnswerRule[] = []): readonly Violation[] =>
  answers.flatMap((answer, index) => {
    const wrong = problemOf(answer)
    return wrong === undefined ? [] : { ...wrong, path: ['answers', index, ...wrong.path] }
  })

function problemOf(answer: AnswerRule): Violation | undefined {
  const { status = 200, headers = {}, path } = answer
  if (/^\/_flowdouble(?:\/|$)/.test(path))
    return { path: ['path'], problem: 'belongs to the control paths, which no answer replaces' }
  const contents = answerContents.filter((name) => answer[name] !== undefined)
  if (contents.length > 1) return { path: [], problem: `has ${contents.join(' and ')}: choose one` }
  const [content] = contents
  if (content !== undefined && statusesWithoutBody.includes(status))
    return { path: [content], problem: `cannot stand beside status ${status}, which has no body` }
  return headerProblem(headers, ['headers'])
}
