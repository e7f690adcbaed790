// What an error of a case says, in the words of the protocol: what was expected and what came, never the text of an exception
// of JavaScript or a placeholder of an assertion.

import { differencesOf, shortText } from './differences.ts'
import type { Cause } from '../events.ts'

type Compared = { readonly expected?: unknown; readonly actual?: unknown }
export const isCompared = (error: unknown): error is Error & Compared =>
  error instanceof Error && ('expected' in error || 'actual' in error)

/** What was expected and what came. @param cause what is wrong with the traffic, if it shows anything. */
export function wordsOf(error: unknown, cause?: Cause): string {
  if (!(error instanceof Error)) return String(error)
  // Data of another form ends a case where it reads it: what its traffic lacks says more.
  if (error instanceof SyntaxError) return cause?.says ?? 'What came is not valid JSON.'
  if (error instanceof TypeError) return cause?.says ?? lackText(error.message)
  if (!isCompared(error) || error.expected === undefined) return error.message
  return comparison(error)
}

/** The part that a case read in vain. */
function lackText(message: string): string {
  const isText = /expects to receive a string, but got (.*)/.exec(message)?.[1]
  if (isText !== undefined)
    return `Expected a text, received ${isText === 'undefined' ? 'nothing' : isText}.`
  const member = /\(reading '([^']+)'\)/.exec(message)?.[1]
  return member === undefined
    ? 'What came lacks a part that the rule is about.'
    : `What came lacks the part that has ${/^\d+$/.test(member) ? `the item ${member}` : member}.`
}

/** How an assertion compares, where it is not for equality. */
const relation =
  /\b(to not|not to|to) (be (?:less|greater) than(?: or equal to)?|(?:deep equally )?(?:include|contain)|match(?! object)|deeply equal|be|equal)\b/

function comparison({ message, expected, actual }: Error & Compared): string {
  const [, about] = /^(.+?): expected /s.exec(message) ?? []
  const head = about === undefined ? [] : [about]
  const [, to = 'to', how = 'be'] = relation.exec(message) ?? []
  const isEqual = to === 'to' && /^(be|equal|deeply equal)$/.test(how)
  const isObject = / to match object /.test(message)
  if (isEqual || isObject) return [...head, ...differencesOf(expected, actual)].join('\n')
  const verb = how.replace('deeply equal', 'be').replace('deep equally ', '')
  return [
    ...head,
    `expected it ${to === 'to' ? 'to' : 'not to'} ${verb} ${shortText(expected)}, received ${shortText(actual)}`,
  ].join('\n')
}
