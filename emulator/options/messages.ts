// Checks the messages of a scenario: rejects those that match the schema but have no time or no content, or two of them.

import type { MessageRule } from '../../spec/scenario/messages.ts'
import type { Violation } from './json-schema.ts'

/** The messages that cannot be sent, and why. The scenario matches its schema. */
export const wrongMessages = (messages: readonly MessageRule[] = []): readonly Violation[] =>
  messages.flatMap((rule, index) => {
    const wrong = problemOf(rule)
    return wrong === undefined ? [] : { ...wrong, path: ['messages', index, ...wrong.path] }
  })

const problem = (path: Violation['path'], text: string): Violation => ({ path, problem: text })

/** Members that choose a node. */
const ofNodes = ['class_type', 'node_id', 'run'] as const

function problemOf(rule: MessageRule): Violation | undefined {
  const { everyMs, at, to, type, data, frame } = rule
  if (everyMs === undefined && at === undefined)
    return problem([], 'needs everyMs, or at: socket-open, node-start, node-step or node-end')
  if (everyMs !== undefined && at !== undefined)
    return problem([], 'has everyMs and at: use a separate message for each')
  const foreign = ofNodes.find((name) => rule[name] !== undefined)
  if (foreign !== undefined && !at?.startsWith('node-'))
    return problem([foreign], 'needs at: node-start, node-step or node-end')
  if (everyMs !== undefined && to === 'client')
    return problem(['to'], 'must be everyone: no client causes a message with everyMs')
  if (type === undefined && frame === undefined) return problem([], 'needs type or frame')
  if (frame === undefined) return undefined
  if (type !== undefined || data !== undefined)
    return problem(['frame'], 'cannot stand beside type and data: use a separate message')
  const contents = (['text', 'base64', 'from'] as const).filter((name) => frame[name] !== undefined)
  return contents.length > 1
    ? problem(['frame'], `has ${contents.join(' and ')}: choose one`)
    : undefined
}
