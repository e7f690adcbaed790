// Checks the answers of a scenario, and the requests for which nodes wait: rejects those that match the schema but cannot
// be sent, or never come.

import {
  type AnswerRule,
  answerContents,
  statusesWithoutBody,
} from '../../spec/scenario/answers.ts'
import type { NodeRule } from '../../spec/scenario/nodes.ts'
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
  if (isControl(path)) return { path: ['path'], problem: ofControl }
  const contents = answerContents.filter((name) => answer[name] !== undefined)
  if (contents.length > 1) return { path: [], problem: `has ${contents.join(' and ')}: choose one` }
  const [content] = contents
  if (content !== undefined && statusesWithoutBody.includes(status))
    return { path: [content], problem: `cannot stand beside status ${status}, which has no body` }
  return headerProblem(headers, ['headers'])
}

const ofControl = 'belongs to the control paths, whose requests do not reach the server'

const isControl = (path: string): boolean => /^\/_flowdouble(?:\/|$)/.test(path)

/** The nodes that wait for requests that never come. */
export const wrongWaits = (nodes: readonly NodeRule[]): readonly Violation[] =>
  nodes.flatMap(({ waitsFor }, index) =>
    waitsFor !== undefined && isControl(waitsFor.path)
      ? { path: ['nodes', index, 'waitsFor', 'path'], problem: ofControl }
      : [],
  )
